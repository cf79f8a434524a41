"""The study widget: one document with everything in it, under an address that changes with its content.

Hosts keep a document by its address, so a chat from last month asks for an older one. What it gets is the present
document: the tools behind it are the same, and a session is found by its number.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import mcp_types as types

from app.ui.render import STATIC

MIME_TYPE = "text/html;profile=mcp-app"
EXTENSION = "io.modelcontextprotocol/ui"
_ADDRESS = "ui://loci/study.html"
_SOURCE = STATIC / "widget" / "study.html"
_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT = re.compile(r'<script( type="module")? src="([^"]+)"></script>')
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)


# No address is allowed: the document has everything in it and talks to the chat alone.
_META: Final[dict[str, Any]] = {
    "ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True},
    "openai/widgetCSP": {"connect_domains": [], "resource_domains": []},
    "openai/widgetPrefersBorder": True,
    "openai/widgetDescription": "A study session: the person answers on the screen and sees what is next there.",
}


@dataclass(frozen=True, slots=True)
class Widget:
    """The document and its address."""

    uri: str
    html: str


@cache
def widget() -> Widget:
    """The present document. The same files give the same address in every process."""
    html = _SOURCE.read_text(encoding="utf-8")
    html = _STYLE.sub(lambda link: f"<style>{_css(_beside(_SOURCE, link[1]))}</style>", html)
    html = _SCRIPT.sub(lambda tag: f"<script{tag[1] or ''}>{_script(_beside(_SOURCE, tag[2]))}</script>", html)
    return Widget(f"{_ADDRESS}?v={hashlib.sha256(html.encode()).hexdigest()[:12]}", html)


def is_widget(uri: str) -> bool:
    """Whether the address is that of the widget, of this version or of an older one."""
    return uri.partition("?")[0] == _ADDRESS


def widget_resource() -> types.Resource:
    """The entry in `resources/list`."""
    return types.Resource(
        uri=widget().uri,
        name="study",
        title="Study",
        description="The screen on which a study session is answered inside the chat.",
        mime_type=MIME_TYPE,
        _meta=_META,
    )


def widget_contents(uri: str) -> types.ReadResourceResult:
    """The document under the address that was asked for, of this version or an older one."""
    contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=widget().html, _meta=_META)
    return types.ReadResourceResult(contents=[contents])


def _beside(file: Path, href: str) -> Path:
    return (file.parent / href).resolve()


def _css(file: Path) -> str:
    return _embedded(re.sub(r"\s*/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL))


def _script(file: Path) -> str:
    return _embedded(_with_imports(file))


def _with_imports(file: Path) -> str:
    """A script with what it imports above it: in one document there is nothing to import from."""
    text = re.sub(r"^/\*\*.*?\*/\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    imported = "".join(_with_imports(_beside(file, href)) for href in _IMPORT.findall(text))
    return imported + re.sub(r"^export ", "", _IMPORT.sub("", text), flags=re.MULTILINE)


def _embedded(text: str) -> str:
    """The text of one of our files; raises ValueError where it would end the element around it."""
    if "</s" in text.lower():
        raise ValueError("a file of the widget would end its element")
    return text
