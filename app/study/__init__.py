"""Answering cards: what is due, the four buttons, the log of reviews, undo."""
