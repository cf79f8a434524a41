"""The authorization server: OAuth clients, consents, tokens. Its endpoints and pages are in `app.web`."""
