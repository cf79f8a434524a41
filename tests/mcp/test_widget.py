"""The widget's document: everything in it, small, under an address of its content, and older addresses still read."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from app.mcp.registry import TOOLS, wire
from app.mcp.spec import Visibility
from app.mcp.widget import EXTENSION, MIME_TYPE, widget
from tests.mcp.conftest import HANDSHAKE, MODERN, Client


def test_the_document_loads_nothing_and_is_small() -> None:
    html = widget().html
    assert not re.search(r'(?:src|href)="', html.replace('href="data:', ""))
    assert "eval(" not in html
    assert "new Function" not in html
    assert len(gzip.compress(html.encode())) < 30_000


def test_the_tool_names_the_document_and_the_steps_are_for_the_app() -> None:
    shown = [wire(tool.name).meta for tool in TOOLS if tool.shows_widget]
    assert [meta and meta["ui"]["resourceUri"] for meta in shown] == [widget().uri]
    assert [meta and meta["openai/outputTemplate"] for meta in shown] == [widget().uri]
    for tool in TOOLS:
        if tool.visibility is Visibility.APP:
            meta = wire(tool.name).meta
            assert meta is not None
            assert meta["ui"] == {"visibility": ["app"]}


@pytest.mark.parametrize(("version", "greeting"), [(HANDSHAKE, "initialize"), (MODERN, "server/discover")])
async def test_both_eras_declare_the_extension_and_read_the_document(
    client: Client, version: str, greeting: str
) -> None:
    client.version = version
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

    async def result(method: str, **params: Any) -> dict[str, Any]:
        response = await client.rpc(method, params)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    said = await result(greeting, **(hello if version == HANDSHAKE else {}))
    assert said["capabilities"]["extensions"][EXTENSION] == {"mimeTypes": [MIME_TYPE]}
    listed = await result("resources/list")
    assert widget().uri in [resource["uri"] for resource in listed["resources"]]
    for uri in (widget().uri, "ui://loci/study.html?v=000000000000", "ui://loci/study.html"):
        (content,) = (await result("resources/read", uri=uri))["contents"]
        assert (content["uri"], content["mimeType"], content["text"]) == (uri, MIME_TYPE, widget().html)
        assert content["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
    refused = await client.rpc("resources/read", {"uri": "ui://loci/other.html"})
    assert "error" in refused.json()
