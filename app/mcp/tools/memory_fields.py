"""Fields and shapes of the six memory tools, as the public reference implementation publishes them.

Names, keys and limits are its; `tests/mcp/memory_tools.shape.json` holds them. Wording is ours.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from app.domain.note_paths import PATH_MAX
from app.domain.notes import TAG_MAX
from app.mcp.schema import ENUM_ORDER, JsonSchema

Path = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=PATH_MAX,
        description="Exact path of the note from the root, with folders and .md, such as work/plan.md. Case matters.",
    ),
]
Folder = Annotated[
    str,
    Meta(
        max_length=PATH_MAX,
        description="A folder such as work/tasks, without a slash at its start. Left out: everything.",
    ),
]
Tags = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=TAG_MAX)]],
    Meta(max_length=50, description="Only notes that carry all of these tags, written without #. Case matters."),
]
Query = Annotated[
    str,
    Meta(
        min_length=1,
        description="A word or a short piece of text, letter by letter, in any script. Case does not matter.",
    ),
]
Limit = Annotated[int, Meta(ge=1, le=50, description="Results on a page, 20 if left out.")]
Cursor = Annotated[
    str, Meta(min_length=1, description="nextCursor of the previous page, as it was. Left out: the first page.")
]
Body = Annotated[
    str, Meta(description="The whole text of the note in Markdown, without frontmatter. It replaces what is there.")
]
NewBody = Annotated[
    str,
    Meta(description="mode replace: the new body. mode append: what is added at the end. Not with mode str_replace."),
]
_OPEN_MAPPING: JsonSchema = {"propertyNames": {"type": "string"}, "additionalProperties": {}}
Frontmatter = Annotated[
    dict[str, Any],
    Meta(description="Metadata as a mapping, without --- fences; it replaces all.", extra_json_schema=_OPEN_MAPPING),
]
MergedFrontmatter = Annotated[
    dict[str, Any],
    Meta(
        description="Metadata to set. Keys that are not named stay; a nested value is replaced as a whole.",
        extra_json_schema=_OPEN_MAPPING,
    ),
]
MODES = ("replace", "append", "str_replace")
MODE_SCHEMA: JsonSchema = {"type": "string", ENUM_ORDER: list(MODES)}

_TEXT: JsonSchema = {"type": "string"}
_NUMBER: JsonSchema = {"type": "number"}


def _object(properties: JsonSchema, *optional: str) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_FILE = _object({"type": {"type": "string", "const": "file"}, "path": _TEXT, "title": _TEXT, "updated": _TEXT})
_FOLDER: JsonSchema = {
    "type": {"type": "string", "const": "folder"},
    "path": _TEXT,
    "files": _NUMBER,
    "truncated": {"type": "boolean"},
}
_CLOSED = _object(_FOLDER, "truncated")
_OPEN = _object({**_FOLDER, "entries": {"type": "array", "items": {"oneOf": [_FILE, _CLOSED]}}}, "truncated", "entries")
TREE_SCHEMA: JsonSchema = _object(
    {
        "folder": _TEXT,
        "entries": {"type": "array", "items": {"oneOf": [_FILE, _OPEN]}},
        "truncated": {"type": "boolean"},
        "files": _NUMBER,
    }
)
"""The tree of `memory__list`: a file, a folder, or a folder with its files and folders."""
