"""Taking everything out."""
