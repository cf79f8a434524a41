"""Notes as HTML: CommonMark with tables, wikilinks led to notes, nothing raw, nothing loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from app.domain.note_links import WIKILINK

RENDERED_MAX: Final = 200_000
"""Characters; a longer note is shown as plain text."""
BRACKETS_MAX: Final = 5_000
"""Opening brackets; each may begin a link, and the parser looks for the end of each."""
_TAGS: Final = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "hr",
    "br", "a", "table", "thead", "tbody", "tr", "th", "td", "span",
}  # fmt: skip
_ATTRIBUTES: Final = {"a": {"href", "rel", "title", "class"}, "ol": {"start"}, "span": {"class"}, "code": set[str]()}
_SCHEMES: Final = {"http", "https", "mailto"}
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")

Resolve = Callable[[str, bool], str | None]
"""The address of the page of a note by a link's target (and whether it is a wikilink); None when there is no note."""


def render_markdown(body: str, resolve: Resolve) -> Markup:
    """The body as HTML that may stand in a page.

    Headings start at the second level, below the page's own. A link to a note that is not there is marked, an image is
    shown as its text, a link elsewhere says nothing of where it was followed from.
    """
    if len(body) > RENDERED_MAX or body.count("[") > BRACKETS_MAX:
        return Markup("<pre>{}</pre>").format(body)
    html = _parser().render(body, {"resolve": resolve})
    return Markup(  # noqa: S704 - cleaned by the line below
        nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel=None)
    )


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 40}).enable(
        ["table", "strikethrough"]
    )
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.core.ruler.after("inline", "tasks", _tasks)
    rules = cast("Any", parser.renderer).rules
    rules["link_open"] = _link_open
    rules["image"] = _image
    rules["heading_open"] = rules["heading_close"] = _heading
    rules["wikilink"] = _wikilink_html
    return parser


_TASK = re.compile(r"\[([ xX])\][ \t]+")


def _tasks(state: StateCore) -> None:
    """`- [ ] open` and `- [x] done` with a box in place of the brackets."""
    for outer, inner, inline in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if outer.type != "list_item_open" or inner.type != "paragraph_open" or not inline.children:
            continue
        first = inline.children[0]
        if first.type == "text" and (task := _TASK.match(first.content)):
            first.content = ("☐ " if task[1] == " " else "☑ ") + first.content[task.end() :]


def _wikilink(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    match = WIKILINK.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = (match["alias"] or "|" + match["target"] + (match["heading"] or ""))[1:]
        token.meta = {"target": match["target"]}
    state.pos = match.end()
    return True


def _wikilink_html(tokens: list[Token], index: int, _options: Any, env: Any) -> str:
    token = tokens[index]
    href = env["resolve"](token.meta["target"], True)
    if href is None:
        return str(Markup('<span class="no-note">{}</span>').format(token.content))
    return str(Markup('<a href="{}">{}</a>').format(href, token.content))


def _link_open(tokens: list[Token], index: int, _options: Any, env: Any) -> str:
    token = tokens[index]
    target = str(token.attrs.get("href", ""))
    if _ELSEWHERE.match(target):
        return str(Markup('<a href="{}" rel="nofollow noopener noreferrer">').format(target))
    href = env["resolve"](target.partition("#")[0], False)
    if href is None:
        return '<a class="no-note">'
    return str(Markup('<a href="{}">').format(href))


def _image(tokens: list[Token], index: int, _options: Any, _env: Any) -> str:
    """Nothing is fetched: the text of the image, as a link where it lies elsewhere."""
    token = tokens[index]
    target, text = str(token.attrs.get("src", "")), token.content or str(token.attrs.get("src", ""))
    if _ELSEWHERE.match(target):
        return str(Markup('<a href="{}" rel="nofollow noopener noreferrer">{}</a>').format(target, text))
    return str(Markup('<span class="no-note">{}</span>').format(text))


def _heading(tokens: list[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    level = min(6, int(token.tag[1]) + 1)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
