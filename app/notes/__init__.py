"""Markdown notes with every version of them."""
