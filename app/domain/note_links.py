"""Links between notes: `[[wikilinks]]` as Obsidian resolves them, and Markdown links to `.md` files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from app.domain.note_paths import EXTENSION, folder_of, joined, relative_path, title_of

WIKILINK = re.compile(
    r"\[\[(?P<target>[^\[\]|#\n]{1,512})(?P<heading>#[^\[\]|\n]{0,512})?(?P<alias>\|[^\[\]\n]{0,512})?\]\]"
)
"""`[[target#heading|alias]]`."""
_BARE_LINK = re.compile(
    r"(?P<open>\]\()(?P<target>(?:[^()<>\s#]|\([^()<>\s#]{0,255}\)){1,2048}+)(?P<rest>(?:#[^()<>\s]{0,512})?)(?=[)\s])"
)
"""`](target#heading "title")`, pairs of parentheses in the target included."""
_ANGLE_LINK = re.compile(r"(?P<open>\]\(<)(?P<target>[^<>\n#]{1,2048})(?P<rest>(?:#[^<>\n]{0,512})?>)(?=[)\s])")
"""`](<target with spaces#heading> "title")`."""
_DEFINED = r"(?P<open>^ {0,3}\[[^\[\]\n]{1,512}\]:[ \t]{0,8}"
_BARE_DEFINITION = re.compile(_DEFINED + r")(?P<target>[^<>\s#]{1,2048})(?P<rest>(?:#[^<>\s]{0,512})?)(?=\s|$)")
_ANGLE_DEFINITION = re.compile(_DEFINED + r"<)(?P<target>[^<>\n#]{1,2048})(?P<rest>(?:#[^<>\n]{0,512})?>)(?=\s|$)")
"""`[name]: target "title"`, the whole of a line."""
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^`\n]*+\1(?!`)")
"""Code within a line. It starts where a run of backticks starts: tried in its middle, a long run takes for ever."""
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


class NotePaths:
    """The paths of an account's live notes, to find what a link means."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._by_title: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths, key=lambda path: (path.count("/"), path)):
            self._by_title[title_of(path).casefold()].append(path)

    def renamed(self, renames: Mapping[str, str]) -> NotePaths:
        """The paths after some notes have moved."""
        return NotePaths(renames.get(path, path) for path in self.paths)

    def of_wikilink(self, target: str, folder: str) -> str | None:
        """The note that a wikilink in a note of `folder` names: by its path, from the root or from there, else by its
        title, the one nearest to the root."""
        name = target.strip().removesuffix(EXTENSION)
        if not name:
            return None
        for path in (name.lstrip("/") + EXTENSION, joined(folder, name) + EXTENSION):
            if path in self.paths:
                return path
        ending = "/" + name.lstrip("/").casefold() + EXTENSION
        same = self._by_title[name.rpartition("/")[2].casefold()]
        return next((path for path in same if ("/" + path.casefold()).endswith(ending)), None)

    def of_markdown_link(self, target: str, folder: str) -> str | None:
        """The note that the address of a Markdown link names; None for an address elsewhere."""
        if _ELSEWHERE.match(target):
            return None
        name = unquote(target)
        if not name.endswith(EXTENSION):
            return None
        path = joined(folder, name)
        return path if path in self.paths else None

    def wikilink_to(self, path: str, *, whole: bool) -> str:
        """How a wikilink names a note: by its title where that is enough and `whole` is not asked for."""
        title = title_of(path)
        if not whole and self._by_title[title.casefold()] == [path]:
            return title
        return path.removesuffix(EXTENSION)


def has_links(body: str) -> bool:
    """Whether there may be a link in it."""
    return "[[" in body or "](" in body or "]:" in body


def relinked(
    body: str, folders: tuple[str, str], paths: tuple[NotePaths, NotePaths], renames: Mapping[str, str]
) -> str:
    """The body with every link that would mean another note after a move rewritten to mean the same one.

    `folders` is the folder of this note before and after, `paths` all paths before and after, `renames` new paths by
    old ones. Links in code stay as they are.
    """
    if not has_links(body):
        return body
    (folder, new_folder), (before, after) = folders, paths

    def wikilink(match: re.Match[str]) -> str:
        target = match["target"]
        meant = before.of_wikilink(target, folder)
        if meant is None:
            return match[0]
        meant = renames.get(meant, meant)
        if after.of_wikilink(target, new_folder) == meant:
            return match[0]
        name = after.wikilink_to(meant, whole="/" in target)
        name += EXTENSION if target.strip().endswith(EXTENSION) else ""
        return f"[[{name}{match['heading'] or ''}{match['alias'] or ''}]]"

    def markdown_link(match: re.Match[str]) -> str:
        target = match["target"]
        meant = before.of_markdown_link(target, folder)
        if meant is None:
            return match[0]
        meant = renames.get(meant, meant)
        if after.of_markdown_link(target, new_folder) == meant:
            return match[0]
        path = relative_path(meant, new_folder)
        in_angles = match["open"].endswith("<") and not _NOT_IN_ANGLES.search(path)
        name = path if in_angles else quote(path, safe="/~!$&'*+,;=:@-._")
        return match["open"] + name + match["rest"]

    def rewritten(text: str) -> str:
        text = WIKILINK.sub(wikilink, text)
        for links in (_BARE_LINK, _ANGLE_LINK, _BARE_DEFINITION, _ANGLE_DEFINITION):
            text = links.sub(markdown_link, text)
        return text

    def without_code_rewritten(line: str) -> str:
        parts, at = list[str](), 0
        for code in CODE_SPAN.finditer(line):
            parts += [rewritten(line[at : code.start()]), code[0]]
            at = code.end()
        return "".join([*parts, rewritten(line[at:])])

    return "\n".join(
        line if in_code or not has_links(line) else without_code_rewritten(line) for line, in_code in lines_of(body)
    )


_NOT_IN_ANGLES = re.compile(r"[<>#%\\\n]")


def relinked_values(value: Any, relink: Callable[[str], str]) -> Any:
    """Metadata with the links in its texts rewritten; the names of values stay."""
    if isinstance(value, str):
        return relink(value) if has_links(value) else value
    if isinstance(value, Mapping):
        return {name: relinked_values(inner, relink) for name, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [relinked_values(inner, relink) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def lines_of(body: str) -> Iterator[tuple[str, bool]]:
    """The lines of a body, and whether each belongs to fenced code (the fences included)."""
    fence = ""
    for line in body.split("\n"):
        mark = line.lstrip(" ")
        opened = mark[:3] in {"```", "~~~"} and len(line) - len(mark) < 4
        in_code = bool(fence) or opened
        if fence and opened and mark.startswith(fence) and not mark.strip(fence[0] + " \t\r"):
            fence = ""
        elif opened and not fence:
            fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
        yield line, in_code


def folder_pair(before: str, after: str) -> tuple[str, str]:
    """The folders of a note's path before and after a move."""
    return folder_of(before), folder_of(after)
