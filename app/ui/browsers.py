"""What a browser is, in two words, from what it calls itself: for the list of signed-in browsers."""

from __future__ import annotations

# The first that is found counts: Edge and Opera call themselves Chrome too, and Chrome calls itself Safari.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Such as `Firefox, Windows`; empty when nothing is recognised. Product names need no translation."""
    found = [next((name for mark, name in table if mark in user_agent), "") for table in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in found if name)
