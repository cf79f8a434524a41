"""Pictures and sounds of cards."""
