"""What a client reads before it asks: every place that it may look at, for pages of any origin."""

from __future__ import annotations

import httpx
import pytest

from app.mcp.registry import SURFACES
from tests.oauth.conftest import BASE, App

ENDPOINTS = [surface.path for surface in SURFACES]
SERVER = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    *(f"/.well-known/oauth-authorization-server{path}" for path in ENDPOINTS),
    *(f"/.well-known/openid-configuration{path}" for path in ENDPOINTS),
    *(f"{path}/.well-known/openid-configuration" for path in ENDPOINTS),
]


@pytest.mark.parametrize("path", SERVER)
async def test_the_servers_metadata_is_wherever_clients_look(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    document = answer.json()
    assert document["issuer"] == BASE
    assert document["authorization_endpoint"] == f"{BASE}/authorize"
    assert document["token_endpoint"] == f"{BASE}/token"
    assert document["registration_endpoint"] == f"{BASE}/register"
    assert document["revocation_endpoint"] == f"{BASE}/revoke"
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert set(document["token_endpoint_auth_methods_supported"]) == {
        "none", "client_secret_post", "client_secret_basic"
    }  # fmt: skip
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert document["authorization_response_iss_parameter_supported"] is True
    assert document["client_id_metadata_document_supported"] is True
    assert "offline_access" not in document["scopes_supported"]
    assert "jwks_uri" not in document


@pytest.mark.parametrize("path", ENDPOINTS)
async def test_an_endpoint_names_its_server_and_itself_to_the_letter(http: httpx.AsyncClient, path: str) -> None:
    document = (await http.get(f"/.well-known/oauth-protected-resource{path}")).json()
    assert document["resource"] == BASE + path
    assert document["authorization_servers"] == [BASE]
    server = (await http.get("/.well-known/oauth-authorization-server")).json()
    assert set(document["scopes_supported"]) <= set(server["scopes_supported"])


@pytest.mark.parametrize("path", [*SERVER[:3], "/token", "/register", "/revoke"])
async def test_a_page_of_another_origin_may_ask(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.options(
        path, headers={"origin": "https://inspector.example", "access-control-request-method": "POST"}
    )
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in answer.headers


async def test_a_page_of_another_origin_may_register_and_exchange(http: httpx.AsyncClient) -> None:
    http.headers.update({"origin": "https://inspector.example", "sec-fetch-site": "cross-site"})
    app = App(http)
    assert (await app.register()).status_code == 201
    assert (await app.exchange("x")).json()["error"] == "invalid_grant"


async def test_a_registration_is_answered_with_what_was_registered(http: httpx.AsyncClient) -> None:
    answer = await App(http).register(
        client_name="  Clau\u202ede \n <b>  ",
        scope="decks:read",
        logo_uri="https://claude.ai/logo.png",
        software_id="x",
    )
    assert answer.headers["cache-control"] == "no-store"
    document = answer.json()
    assert document["client_name"] == "Claude <b>"
    assert document["token_endpoint_auth_method"] == "none"
    assert document["grant_types"] == ["authorization_code", "refresh_token"]
    assert "client_secret" not in document
    assert document["client_id_issued_at"] > 1_700_000_000
    assert "logo_uri" not in document
