"""Collect the strings of the interface (templates, `N_()`, `translate()`) into app/locale/loci.pot."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import write_po

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "app" / "locale" / "loci.pot"
KEYWORDS = {**DEFAULT_KEYWORDS, "N_": None, "translate": (2,)}


def collected() -> Catalog:
    """All message ids with the files they stand in (no line numbers, which would change with every edit)."""
    catalog = Catalog(project="Loci", charset="utf-8", header_comment="# Messages of Loci.", fuzzy=False)
    for folder, methods in (
        (ROOT / "app", [("**.py", "python")]),
        (ROOT / "templates", [("**.html", "jinja2.ext:babel_extract")]),
    ):
        found = extract_from_dir(
            folder,
            methods,
            {
                "**.html": {
                    "extensions": "jinja2.ext.i18n,jinja2.ext.do",
                    "newstyle_gettext": "true",
                    "trimmed": "false",
                }
            },
            keywords=KEYWORDS,
        )
        for filename, _line, message, comments, context in found:
            name = f"{folder.name}/{Path(filename).as_posix()}"
            catalog.add(message, None, [(name, None)], auto_comments=comments, context=context)
    return catalog


def text_of(catalog: Catalog) -> str:
    """The catalogue as a .pot file in a stable order, without the time it was made."""
    out = io.BytesIO()
    write_po(out, catalog, sort_output=True, omit_header=True, include_lineno=False, width=110)
    return out.getvalue().decode()


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text_of(collected()), encoding="utf-8")


if __name__ == "__main__":
    main()
