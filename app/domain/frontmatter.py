"""YAML frontmatter: from text to plain values and back, by the core schema of YAML 1.2, the one that JSON agrees with.

PyYAML's own schema is that of 1.1, in which `no` is false, `012` is ten and `2026-07-05` is no text. Here those are
texts, so that values keep their look on the way through. Only plain values are read: no tags, no anchors, no aliases.
Parsing and writing back gives the same values; comments and the choice of quotes are not values and get lost.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

import yaml

from app.domain.errors import N_, InvalidInput
from app.domain.notes import FRONTMATTER_DEPTH, FRONTMATTER_MAX_BYTES, Frontmatter

FENCE: Final = "---"
_STR, _NULL, _BOOL, _INT, _FLOAT = (f"tag:yaml.org,2002:{name}" for name in ("str", "null", "bool", "int", "float"))
_COLLECTIONS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_RESOLVERS = (
    (_NULL, re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    (_BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")),
    (_INT, re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,18})$"), list("-+0123456789")),
    (
        _FLOAT,
        re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,3})?$"),
        list("-+0123456789"),
    ),
)


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012 - as PyYAML keeps them, one for each class


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's question: equal values are written twice
        return True


_BREAKS = re.compile("[\x85\u2028\u2029]")


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Lines as a block, the line breaks of other alphabets escaped, since readers fold them."""
    style = '"' if _BREAKS.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar(_STR, text, style=style)


_Dumper.add_representer(str, _text)
for _tag, _pattern, _first in _RESOLVERS:
    _Loader.add_implicit_resolver(_tag, _pattern, _first)
    _Dumper.add_implicit_resolver(_tag, _pattern, _first)


def parse_yaml(text: str) -> Frontmatter:
    """The mapping in a YAML text; an empty one for an empty text.

    Raises `InvalidInput`, with the line where there is one, for text that is no YAML, no mapping of plain values, or
    too large.
    """
    if len(text.encode(errors="replace")) > 2 * FRONTMATTER_MAX_BYTES:
        raise _invalid(N_("The frontmatter is too large."), N_("Put longer text into the body."))
    try:
        _check_events(text)
        node: Any = yaml.compose(text, Loader=_Loader)  # pyright: ignore[reportUnknownVariableType]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark is None:
            raise _invalid(N_("The frontmatter is not valid YAML."), N_("Write it as lines like key: value.")) from None
        raise _invalid(
            N_("The frontmatter is not valid YAML (line %(line)d)."),
            N_("Write it as lines like key: value, with quotes around text that holds a colon."),
            line=mark.line + 1,
        ) from None
    if node is None:
        return {}
    value = _value(node)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _invalid(N_("The frontmatter is not a mapping."), N_("Write it as lines like key: value."))
    return value  # pyright: ignore[reportUnknownVariableType]


def _check_events(text: str) -> None:
    """Stop before anything is built that could be deep or large."""
    depth = documents = 0
    event: Any
    for event in yaml.parse(text, Loader=_Loader):  # pyright: ignore[reportUnknownVariableType]
        if isinstance(event, yaml.AliasEvent) or getattr(cast("Any", event), "anchor", None):
            raise _invalid(N_("The frontmatter uses an anchor or an alias."), N_("Write the value out."))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > FRONTMATTER_DEPTH:
                raise _invalid(N_("The frontmatter is nested too deeply."), N_("Keep it to a few levels."))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _invalid(N_("The frontmatter is more than one document."), N_("Write one mapping."))


def _value(node: Any) -> Any:
    if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
        raise _tagged()
    if isinstance(node, yaml.MappingNode):
        return {_key(key): _value(inner) for key, inner in node.value}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(node, yaml.SequenceNode):
        return [_value(inner) for inner in node.value]  # pyright: ignore[reportUnknownVariableType]
    text: str = node.value
    match node.tag:
        case tag if tag in {_STR, "!"}:
            return text
        case tag if tag == _NULL:
            return None
        case tag if tag == _BOOL:
            return text.lower() == "true"
        case tag if tag == _INT:
            return int(text)
        case tag if tag == _FLOAT:
            number = float(text)
            return number if abs(number) != float("inf") else text
        case _:
            raise _tagged()


def _tagged() -> InvalidInput:
    return _invalid(N_("The frontmatter uses a YAML tag."), N_("Write plain text, numbers, lists and mappings."))


def _key(node: Any) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _invalid(N_("A key of the frontmatter is not text."), N_("Write it as lines like key: value."))
    return str(node.value)  # pyright: ignore[reportUnknownArgumentType]


def _invalid(message: str, hint: str, **params: object) -> InvalidInput:
    return InvalidInput(message, hint, field="frontmatter", **params)


def to_yaml(frontmatter: Frontmatter) -> str:
    """The YAML of a mapping, keys in their order, without fences; an empty string for an empty mapping."""
    if not frontmatter:
        return ""
    return yaml.dump(
        frontmatter, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=1_000_000
    )


def to_document(frontmatter: Frontmatter, body: str) -> str:
    """The Markdown file: fenced frontmatter where there is any (or the body would read as if), then the body."""
    if not frontmatter and not _FENCED.match(body) and not body.startswith("\ufeff"):
        return body
    return f"{FENCE}\n{to_yaml(frontmatter)}{FENCE}\n{body}"


_FENCED = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def from_document(text: str) -> tuple[Frontmatter, str]:
    """Frontmatter and body of a Markdown file. Raises `InvalidInput` for fenced frontmatter that is no mapping."""
    found = _FENCED.match(text)
    if found is None:
        return {}, text.removeprefix("\ufeff")
    return parse_yaml(found[1].replace("\r\n", "\n")), text[found.end() :]
