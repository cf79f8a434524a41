"""The catalogues of the interface: English message ids, one `.po` file per further language in `app/locale`."""

from __future__ import annotations

import io
from functools import cache
from gettext import NullTranslations
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

LOCALES = Path(__file__).resolve().parent.parent / "locale"
SOURCE_LANGUAGE = "en"


def languages() -> tuple[str, ...]:
    """The languages that the interface speaks, the source language first."""
    found = sorted(path.parent.parent.name for path in LOCALES.glob("*/LC_MESSAGES/loci.po"))
    return (SOURCE_LANGUAGE, *(name for name in found if name != SOURCE_LANGUAGE))


@cache
def translations(language: str) -> NullTranslations:
    """The catalogue of `language`; English where there is none."""
    path = LOCALES / language / "LC_MESSAGES" / "loci.po"
    if language == SOURCE_LANGUAGE or not path.is_file():
        return NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return Translations(compiled)
