"""Write docs/settings.md from the fields of `app.core.settings.Settings`."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from app.core.settings import Settings, variable_of

TARGET = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
HEAD = """# Settings

Environment variables, or lines of a file `.env` in the folder where `loci` starts; the environment wins. They are read
once, when a command starts. A variable that starts with `LOCI_` and is not listed here is refused, so that a slip of
the pen is noticed.

| variable | default | meaning |
|---|---|---|
"""


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return " ".join(str(word) for word in default) if isinstance(default, tuple) else str(default)


def page() -> str:
    """The text of the page."""
    rows: list[str] = []
    for item in fields(Settings):
        shown = _shown(item.default)
        code = f"`{shown}`" if shown else ""
        rows.append(f"| `{variable_of(item)}` | {code} | {item.metadata['help']} |")
    return HEAD + "\n".join(rows) + "\n"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    TARGET.write_text(page())


if __name__ == "__main__":
    main()
