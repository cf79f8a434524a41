"""Every declaration, looped over: what clients are told, and that nothing of it changes unnoticed.

`UPDATE_SNAPSHOTS=1 pytest tests/mcp/test_registry.py` writes the snapshots anew.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import INSTRUCTIONS
from app.mcp.registry import SURFACES, TOOLS, RegistryError, check, security_schemes, wire
from app.mcp.spec import AnyTool, Kind, Toolset, Visibility
from app.mcp.widget import widget

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"
NAMES = [tool.name for tool in TOOLS]
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=NAMES)

# Section 4 of the contract and the published document: what reads, what writes, what takes away.
READING_CARDS = {"list_decks", "search_flashcards", "get_flashcard", "search", "fetch", "get_account_status"}
READING_NOTES = {"memory__search", "memory__read", "memory__list"}
READING_STUDY = {
    "get_deck": Scope.DECKS_READ,
    "search_cards": Scope.DECKS_READ,
    "get_card": Scope.DECKS_READ,
    "get_learning_stats": Scope.STATS_READ,
    "get_study_plan": Scope.STATS_READ,
    "get_study_session": Scope.DECKS_READ,
}
READING = READING_CARDS | READING_NOTES | set(READING_STUDY) | {"study_step"}
WRITING_CARDS = {
    "create_deck", "update_deck", "import_flashcards", "update_flashcard", "restore_deck", "restore_flashcards",
}  # fmt: skip
WRITING_NOTES = {"memory__write", "memory__edit"}
WRITING_STUDY = {"create_cards", "import_deck", "update_card"}
DELETING = {"delete_flashcards", "delete_deck", "memory__delete", "delete_card"}
STUDYING = {
    "start_study_session": Scope.STUDY_WRITE,
    "record_review": Scope.STUDY_WRITE,
    "render_study_session": Scope.STUDY_RENDER,
}
ADDING = {
    "import_flashcards", "create_cards", "import_deck", "start_study_session", "render_study_session",
    "study_undo", "study_settings",
}  # fmt: skip
FLASHCARDS = READING_CARDS | WRITING_CARDS | {"delete_flashcards", "delete_deck"}
# What the study screen calls; the model is not to see them.
OF_THE_APP = {
    "study_step": Scope.STUDY_RENDER,
    "study_reveal": Scope.STUDY_WRITE,
    "study_answer": Scope.STUDY_WRITE,
    "study_rate": Scope.STUDY_WRITE,
    "study_undo": Scope.STUDY_WRITE,
    "study_set_aside": Scope.STUDY_WRITE,
    "study_settings": Scope.STUDY_WRITE,
}
NOTES = READING_NOTES | WRITING_NOTES | {"memory__delete"}
STUDY = {"list_decks", "create_deck", "delete_card"} | set(READING_STUDY) | WRITING_STUDY | set(STUDYING)


def shown(tool: AnyTool) -> dict[str, Any]:
    """The tool as a client sees it."""
    listed = wire(tool.name).model_dump(by_alias=True, mode="json", exclude_none=True)
    return {**listed, "securitySchemes": security_schemes(tool)}


def test_each_toolset_has_its_tools():
    of_the_model = [tool for tool in TOOLS if tool.visibility is Visibility.ALL]
    sets = {toolset: {tool.name for tool in of_the_model if toolset in tool.toolsets} for toolset in Toolset}
    assert sets == {Toolset.FLASHCARDS: FLASHCARDS, Toolset.STUDY: STUDY, Toolset.MEMORY: NOTES}
    assert [len(tools) for tools in sets.values()] == [14, 15, 6]
    assert {tool.name for tool in of_the_model} == FLASHCARDS | STUDY | NOTES
    assert len(of_the_model) == 33
    assert {tool.name for tool in TOOLS if tool.visibility is Visibility.APP} == set(OF_THE_APP)


def test_an_endpoint_exists_for_all_tools_and_for_each_toolset_and_read_only_for_both():
    assert [surface.path for surface in SURFACES] == [
        "/mcp",
        "/mcp/readonly",
        "/mcp/flashcards",
        "/mcp/flashcards/readonly",
        "/mcp/study",
        "/mcp/study/readonly",
        "/mcp/memory",
        "/mcp/memory/readonly",
    ]


@every_tool
def test_all_four_hints_are_given_and_follow_from_what_the_tool_does(tool: AnyTool):
    hints = shown(tool)["annotations"]
    if tool.name in NOTES:  # as they are published; see the test of the shapes
        assert {"readOnlyHint", "destructiveHint", "openWorldHint"} <= set(hints)
        return
    assert hints == {
        "readOnlyHint": tool.name in READING,
        "destructiveHint": tool.name in DELETING,
        "idempotentHint": tool.name not in ADDING,
        "openWorldHint": False,
    }


@every_tool
def test_scope_and_plan_follow_from_reading_or_writing(tool: AnyTool):
    studying = STUDYING | OF_THE_APP
    writes = tool.name not in READING | set(studying)
    read, write = (
        (Scope.MEMORY_READ, Scope.MEMORY_WRITE) if tool.name in NOTES else (Scope.DECKS_READ, Scope.DECKS_WRITE)
    )
    assert tool.scope is (write if writes else (READING_STUDY | studying).get(tool.name, read))
    assert tool.feature is (Feature.AI_WRITE if writes else None)
    schemes = [{"type": "oauth2", "scopes": ["email", "profile", tool.scope.value]}]
    assert shown(tool)["securitySchemes"] == schemes
    assert shown(tool)["_meta"]["securitySchemes"] == schemes


@every_tool
def test_schemas_are_valid_plain_and_closed(tool: AnyTool):
    for schema in (shown(tool)["inputSchema"], shown(tool)["outputSchema"]):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        text = json.dumps(schema)
        for word in ("$ref", "$defs", "anyOf", '"null"', *(() if tool.name == "memory__list" else ("oneOf",))):
            assert word not in text
        for object_schema in _objects(schema):
            assert object_schema["additionalProperties"] is False or "properties" not in object_schema
            if tool.name == "memory__edit":
                continue  # old_str and new_str are published so
            assert re.fullmatch(r"([a-z][a-zA-Z]*,?)*", ",".join(object_schema.get("properties", {})))


@every_tool
def test_every_argument_is_described(tool: AnyTool):
    for name, field in shown(tool)["inputSchema"]["properties"].items():
        assert field.get("description", "").strip(), name


@every_tool
def test_texts_fit_what_hosts_accept(tool: AnyTool):
    assert len(tool.name) <= 64
    assert 60 < len(tool.description) < 2048
    assert tool.title
    assert tool.description.endswith(".")


@every_tool
def test_who_writes_asks_the_person_first(tool: AnyTool):
    asks = "get a yes before calling" in tool.description or "only after the person asked" in tool.description
    assert asks == (tool.name not in READING | set(STUDYING) | set(OF_THE_APP))


def test_the_rules_of_good_cards_reach_every_model():
    rules = ("One idea", "stand alone", "common mistakes", "rephrases", "exact terms", "language")
    assert all(rule in INSTRUCTIONS for rule in rules)
    for tool in TOOLS:
        if tool.name in {"import_flashcards", "update_flashcard", "create_cards", "update_card"}:
            assert all(rule in tool.description for rule in rules)
    assert "wait for a yes" in INSTRUCTIONS


def test_import_flashcards_has_the_published_shape():
    published = json.loads((HERE / "import_flashcards.shape.json").read_text())
    ours = _without_wording(next(shown(tool) for tool in TOOLS if tool.name == "import_flashcards"))
    for part in ("name", "inputSchema", "outputSchema", "annotations"):
        assert ours[part] == published[part]
    assert set(ours) == (set(published) - {"about"}) - {"title"}
    schemes = [{"type": "oauth2", "scopes": ["email", "profile", "decks:write"]}]
    assert ours["securitySchemes"] == schemes
    assert ours["_meta"] == {"securitySchemes": schemes}


@pytest.mark.parametrize(
    "published", json.loads((HERE / "memory_tools.shape.json").read_text())["tools"], ids=lambda tool: tool["name"]
)
def test_memory_tools_have_the_published_shapes(published: dict[str, Any]):
    ours = _without_wording(next(shown(tool) for tool in TOOLS if tool.name == published["name"]))
    for part in ("name", "inputSchema", "outputSchema", "annotations"):
        assert ours[part] == published[part]


@every_tool
def test_the_wire_form_is_the_one_of_the_snapshot(tool: AnyTool):
    path = SNAPSHOTS / f"{tool.name}.json"
    text = json.dumps(shown(tool), indent=1, ensure_ascii=False) + "\n"
    text = text.replace(widget().uri, "ui://loci/study.html?v=<its content>")  # no part of the contract
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_there_is_no_snapshot_without_its_tool():
    assert {path.stem for path in SNAPSHOTS.glob("*.json")} == set(NAMES)


def test_the_instructions_are_those_of_the_snapshot():
    path = SNAPSHOTS / "instructions.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(INSTRUCTIONS, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == INSTRUCTIONS


def test_the_tool_documentation_is_current():
    root = HERE.parent.parent
    place = importlib.util.spec_from_file_location("generate_tool_docs", root / "scripts" / "generate_tool_docs.py")
    assert place
    assert place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    assert (root / "docs" / "tools.md").read_text(encoding="utf-8") == module.document()


@pytest.mark.parametrize(
    "change",
    [
        {"name": "List decks"},
        {"name": "x" * 65},
        {"title": " "},
        {"description": ""},
        {"description": "x" * 2048},
        {"toolsets": frozenset()},
        {"scope": Scope.EMAIL},
        {"scope": Scope.DECKS_WRITE},
        {"kind": Kind.WRITE},
    ],
)
def test_a_declaration_that_clients_would_refuse_fails_at_import(change: dict[str, Any]):
    with pytest.raises(RegistryError):
        check([replace(TOOLS[0], **change)])


def test_two_tools_of_one_name_fail_at_import():
    with pytest.raises(RegistryError):
        check([TOOLS[0], TOOLS[0]])


@every_tool
def test_no_output_can_hold_null(tool: AnyTool):
    text = msgspec.json.encode(msgspec.json.schema(tool.output)).decode()
    assert '"null"' not in text


def _objects(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = [schema] if schema.get("type") == "object" else []
    for inner in [*schema.get("properties", {}).values(), schema.get("items")]:
        found += _objects(inner) if inner else []
    return found


def _without_wording(value: Any, inside_properties: bool = False) -> Any:
    if isinstance(value, list):
        return [_without_wording(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_wording(item, key == "properties")
        for key, item in value.items()
        if inside_properties or key not in {"description", "title"}
    }
