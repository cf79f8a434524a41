"""Statistics: how answers went and what is ahead, of an account or of one of its decks."""
