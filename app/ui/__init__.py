"""Turning data into HTML, for the browser and the chat widget alike."""
