"""What the pages of notes share: a note as its form shows it, its links, refusals in a person's words."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Response

from app.accounts.views import SignedIn
from app.domain.errors import N_, AppError, Conflict, InvalidInput, RestrictedContent
from app.domain.frontmatter import parse_yaml, to_yaml
from app.domain.note_links import NotePaths, has_links
from app.domain.note_paths import ancestors, folder_of
from app.domain.notes import Frontmatter
from app.domain.plans import limits_for
from app.notes import queries
from app.notes.views import NoteView
from app.ui.markdown import render_markdown
from app.ui.render import translate
from app.web.context import HtmlRequest, page, reader_of, web_context
from app.web.forms import Form
from app.web.pages.refusals import Errors
from app.web.pages.sign_in import refusal

_FIELDS = ("path", "body", "frontmatter")
EMPTY = dict.fromkeys(_FIELDS, "")


def values_of(note: NoteView) -> dict[str, str]:
    """The fields of a note's form."""
    return {"path": note.path, "body": note.body, "frontmatter": to_yaml(note.frontmatter)}


def sent_values(form: Form) -> dict[str, str]:
    """The fields as they were sent; body and metadata keep their spaces and line ends."""
    body, metadata = form.texts("body"), form.texts("frontmatter")
    return {
        "path": form.text("path"),
        "body": body[0] if body else "",
        "frontmatter": metadata[0] if metadata else "",
    }


def frontmatter_in(values: dict[str, str]) -> Frontmatter:
    """The metadata that was typed. Raises `InvalidInput`."""
    return parse_yaml(values["frontmatter"])


def full_path(path: str) -> str:
    """A path as a person types it: without the ending it is the one with it."""
    return path if not path or path.endswith((".md", "/")) else path + ".md"


async def rendered(account_id: int, path: str, body: str) -> Any:
    """The body as HTML, its links led to the pages of notes that are there."""
    known = await queries.paths(account_id) if has_links(body) else {}
    paths, folder = NotePaths(known), folder_of(path)

    def resolve(target: str, wiki: bool) -> str | None:
        found = paths.of_wikilink(target, folder) if wiki else paths.of_markdown_link(target, folder)
        return f"/notes/{known[found]}" if found else None

    # A long note takes a while, and nobody else is to wait for it.
    return await asyncio.to_thread(render_markdown, body, resolve)


def note_limit(me: SignedIn, request: HtmlRequest) -> int:
    """How many notes the person's plan holds."""
    settings = web_context(request).settings
    return limits_for(me.account.plan, settings.plan_figures, plans_on=settings.plans).notes


def note_page(request: HtmlRequest, template: str, *, path: str = "", status: int = 200, **shown: Any) -> Response[str]:
    """A page of notes, with the folders that lead to `path`."""
    return page(
        request, template, status=status, nav="notes", crumbs=ancestors(folder_of(path)), shown_path=path, **shown
    )


def said(request: HtmlRequest, error: AppError) -> tuple[int, Errors]:
    """The status and the (field, text) pairs with which a form of notes is shown again."""
    reader = reader_of(request)
    if isinstance(error, RestrictedContent):
        kind = translate(reader, str(error.params["kind"]))
        error = RestrictedContent(error.message, error.hint, kind=kind)
    status, errors = refusal(request, error)
    if isinstance(error, Conflict) and "note_id" in error.params:
        return status, [("path", translate(reader, N_("Another note is at this path. Choose another one.")))]
    if isinstance(error, InvalidInput) and error.field not in _FIELDS:
        field = "path" if error.field in {"to", "folder"} else None
        return status, [(field, text) for _, text in errors]
    return status, errors
