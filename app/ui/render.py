"""The one Jinja environment: autoescaped, strict about names, every string through the catalogue."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_time, format_timedelta
from babel.numbers import format_decimal
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.domain.modes import is_wordless
from app.ui.browsers import browser_name
from app.ui.translations import SOURCE_LANGUAGE, translations

_ROOT = Path(__file__).resolve().parent.parent
# In a checkout these folders lie beside the package; a wheel carries them inside it.
TEMPLATES = _ROOT / "templates" if (_ROOT / "templates").is_dir() else _ROOT.parent / "templates"
STATIC = _ROOT / "static" if (_ROOT / "static").is_dir() else _ROOT.parent / "static"


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom a page is written: the language of its words and the zone of its times."""

    language: str = SOURCE_LANGUAGE
    zone: str = "UTC"


def render(template: str, reader: Reader, **context: Any) -> str:
    """The text of a template for one reader."""
    return _environment(reader.language).get_template(template).render(reader=reader, **context)


def translate(reader: Reader, message: str, **params: object) -> str:
    """A message of the catalogue in the reader's language, its `%(name)s` places filled."""
    text = translations(reader.language).gettext(message)
    return text % params if params else text


@cache
def asset_version() -> str:
    """A digest of everything under `static/`: it changes with any file, so that browsers may keep what they have."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(STATIC).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def asset(path: str) -> str:
    """The address of a file under `static/`."""
    return f"/static/{path}?v={asset_version()}"


@cache
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    environment.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    own_globals: dict[str, Any] = {"asset": asset}
    environment.globals.update(own_globals)

    def local_time(moment: datetime, reader: Reader, form: str = "medium") -> str:
        return format_datetime(moment, form, tzinfo=ZoneInfo(reader.zone), locale=language)

    def clock_time(moment: datetime, reader: Reader) -> str:
        return format_time(moment, "short", tzinfo=ZoneInfo(reader.zone), locale=language)

    def number(value: float) -> str:
        return format_decimal(value, locale=language)

    def local_date(moment: datetime, reader: Reader, form: str = "medium") -> str:
        return format_date(moment.astimezone(ZoneInfo(reader.zone)), form, locale=language)

    def ago(moment: datetime, now: datetime) -> str:
        return format_timedelta(moment - now, add_direction=True, locale=language)

    own: dict[str, Any] = dict(  # noqa: C408 - names, as templates write them
        rich=_rich,
        lines=_lines,
        local_time=local_time,
        clock_time=clock_time,
        local_date=local_date,
        ago=ago,
        number=number,
        browser_name=browser_name,
        beside_files=beside_files,
    )
    environment.filters.update(own)
    return environment


def _rich(html: str) -> Markup:
    """HTML that `app.domain.richtext` has sanitised before it was stored."""
    return Markup(html)  # noqa: S704 - sanitised when stored, by the one function that may


def beside_files(body: Markup, plain: str, files: Sequence[object]) -> Markup:
    """A side above its pictures and sounds: `[image]` above the picture itself is for screen readers alone."""
    return Markup('<span class="hidden-label">%s</span>') % plain if files and is_wordless(plain) else body


def _lines(text: str) -> Markup:
    """Plain text with its line ends kept."""
    return Markup("<br>").join(text.split("\n"))
