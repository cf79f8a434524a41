"""Where a client may have people sent back to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.redirects import RedirectRefused, check_redirect, destination, matches

KNOWN = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    "https://chatgpt.com/connector/oauth/abc-123",
    "http://localhost:33418/callback",
    "http://127.0.0.1:8080/callback",
    "http://[::1]:8080/callback",
    "https://vscode.dev/redirect",
    "https://app.example/cb?client=1",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/oauth",
    "vscode://vscode.github-authentication/did-authenticate",
]
REFUSED = [
    "", "callback", "/callback", "//evil.example/cb", "javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x",
    "file:///x", "blob:https://a.example/1", "vbscript:x", "view-source:https://a.example/", "about:blank",
    "intent://x#Intent;end", "ms-msdt:/id", "search-ms:query=x", "chrome-extension://x/y", "mailto:a@b.example",
    "http://app.example/cb", "http://127.0.0.2/cb", "http://127.1/cb", "http://0.0.0.0/cb", "http://2130706433/cb",
    "http://localhost.evil.example/cb", "http://localhost@evil.example/cb", "http://evil.example\\@localhost/cb",
    "https://user@app.example/cb", "https://app.example/cb#", "https://app.example/cb#x", "https:///cb", "https:cb",
    "https://app.example:99999/cb", "https://app.example:x/cb", "https://app example/cb", "https://app.example/a b",
    "https://app.example/\n", "https://app.example/é", 'https://app.example/"', "https://app.example/<x>",
    "https://[::1/cb", "cursor:", "cursor://", "cursor:/", "https://app.example/" + "x" * 2000, "https://-a/cb",
]  # fmt: skip


@pytest.mark.parametrize("uri", KNOWN)
def test_addresses_of_known_clients_may_be_registered(uri: str) -> None:
    assert check_redirect(uri) == uri
    assert matches(uri, uri)


@pytest.mark.parametrize("uri", REFUSED)
def test_addresses_that_lead_astray_may_not(uri: str) -> None:
    with pytest.raises(RedirectRefused) as caught:
        check_redirect(uri)
    assert "evil" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_a_loopback_address_may_come_with_any_port(host: str) -> None:
    registered = f"http://{host}/callback"
    assert matches(registered, f"http://{host}:1/callback")
    assert matches(f"http://{host}:8080/callback", f"http://{host}:65535/callback")
    assert matches(f"http://{host}:8080/callback", registered)
    for other in ("http://127.0.0.9:1/callback", f"http://{host}:1/other", f"http://{host}:1/callback?x=1",
                  f"https://{host}:1/callback", f"http://a@{host}:1/callback", f"http://{host}:1/callback#x",
                  f"http://{host}:99999/callback"):  # fmt: skip
        assert not matches(registered, other), other


def test_names_of_the_loopback_are_not_each_other() -> None:
    assert not matches("http://localhost/cb", "http://127.0.0.1:1/cb")


@given(st.sampled_from(KNOWN), st.text(max_size=20))
def test_nothing_that_was_added_matches(registered: str, more: str) -> None:
    for given_uri in (registered + more, more + registered):
        assert matches(registered, given_uri) == (given_uri == registered)


@given(st.text(max_size=80))
def test_any_text_is_judged_without_failing(text: str) -> None:
    try:
        assert check_redirect(text) == text
    except RedirectRefused:
        pass


@pytest.mark.parametrize(
    ("uri", "host", "kind"),
    [
        ("https://claude.ai/api/mcp/auth_callback", "claude.ai", "web"),
        ("http://127.0.0.1:8080/callback", "127.0.0.1", "this computer"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor", "program"),
    ],
)
def test_the_person_reads_where_they_go(uri: str, host: str, kind: str) -> None:
    assert (destination(uri).host, destination(uri).kind) == (host, kind)
