"""Collections, decks and cards: their text, their trash, their search; and the row that holds a card's schedule."""
