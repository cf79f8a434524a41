"""Loci keeps what a person learns: flashcards on an FSRS schedule and Markdown notes."""
