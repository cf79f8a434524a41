"""The demo account: its decks and how they were studied before today."""
