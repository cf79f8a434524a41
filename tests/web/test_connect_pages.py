"""The Connect pages and the developers' page: for everybody, and true."""

from __future__ import annotations

import base64
import json
import re
import shlex
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
from litestar import Litestar

from app.core.settings import Settings
from app.domain.errors import ErrorCode
from app.main import create_app
from app.mcp.reference import reference
from app.web.connect import links
from app.web.connect.guides import CHATGPT, CLAUDE, GUIDES, Guide
from app.web.connect.troubles import TROUBLES, troubles_of
from app.web.pages.developers import ANSWERS, MEANINGS, SPECIFICATIONS
from tests.web.conftest import BASE, SETTINGS, Visitor, text_of, visitor

URL = f"{BASE}/mcp"
PATHS = ["/connect", "/developers", *(guide.path for guide in GUIDES)]
every_guide = pytest.mark.parametrize("guide", GUIDES, ids=[guide.slug for guide in GUIDES])


def shown_values(answer: httpx.Response) -> list[str]:
    """What can be copied from a page."""
    found = re.findall(r'<input id="[^"]+" type="text" value="([^"]*)"', answer.text)
    found += re.findall(r"<textarea [^>]*>\n(.*?)</textarea>", answer.text, flags=re.DOTALL)
    return [unescape(value) for value in found]


def hrefs(answer: httpx.Response) -> list[str]:
    return [unescape(href) for href in re.findall(r'href="([^"]+)"', answer.text)]


@pytest.mark.parametrize("path", PATHS)
async def test_anybody_can_read_it_and_the_address_is_there(path: str, carol: Visitor, alice: Visitor) -> None:
    for person in (carol, alice):
        answer = await person.get(path)
        assert URL in shown_values(answer)
        assert "/connect" in hrefs(answer)
        assert "/developers" in hrefs(answer)


async def test_the_pages_are_linked_from_where_people_look(carol: Visitor, alice: Visitor) -> None:
    for person, path in ((carol, "/"), (carol, "/sign-in"), (alice, "/"), (alice, "/connections")):
        assert "/connect" in hrefs(await person.get(path)), path
    overview = hrefs(await carol.get("/connect"))
    assert {guide.path for guide in GUIDES} <= set(overview)


async def test_there_is_no_page_for_a_client_that_is_not_known(carol: Visitor) -> None:
    await carol.get("/connect/clippy", 404)


@every_guide
async def test_a_guide_shows_its_steps_commands_and_failures(guide: Guide, carol: Visitor) -> None:
    answer = await carol.get(guide.path)
    plain = text_of(answer)
    assert len(guide.steps) >= 3
    for step in guide.steps:
        assert f"<p>{step.do}</p>" in answer.text
        assert step.see in answer.text
        for link in step.links:
            assert link.href(URL) in hrefs(answer)
        for item in step.copy:
            assert item.text(URL) in shown_values(answer)
    for item in guide.more:
        assert item.text(URL) in shown_values(answer)
    for trouble in TROUBLES:
        assert (trouble.seen in plain) == (not trouble.guides or guide in trouble.guides), trouble.seen
    assert "ofid_" in plain
    assert urlsplit(BASE).netloc in plain


@every_guide
async def test_every_endpoint_is_offered_to_each_client(guide: Guide, carol: Visitor) -> None:
    shown = shown_values(await carol.get(guide.path))
    assert {endpoint.url for endpoint in reference(SETTINGS).endpoints} <= set(shown)


async def test_the_overview_has_every_failure_and_no_client_is_without_its_own(carol: Visitor) -> None:
    plain = text_of(await carol.get("/connect"))
    assert all(trouble.seen in plain for trouble in TROUBLES)
    assert all(troubles_of(guide, plans=True) for guide in GUIDES)


async def test_the_table_says_what_the_dispatch_does(carol: Visitor) -> None:
    answer = await carol.get("/connect")
    rows = re.findall(r'<a href="/developers#(\w+)">[^<]*</a><br>.*?</tr>', answer.text, flags=re.DOTALL)
    told = reference(SETTINGS).tools
    assert sorted(rows) == sorted(tool.name for tool in told)
    for tool in told:
        [row] = re.findall(rf'<a href="/developers#{tool.name}">[^<]*</a><br>(.*?)</tr>', answer.text, flags=re.DOTALL)
        cells = re.findall(r"<td>(yes|no)</td>", row)
        assert cells == ["yes" if plan in tool.plans else "no" for plan in ("free", "plus", "pro")]
    assert "<td>no</td>" in answer.text


@pytest.mark.usefixtures("rollback")
async def test_without_plans_everything_is_said_to_be_open() -> None:
    settings = Settings(secret_key="k" * 32, public_url=BASE, plans=False)
    person = visitor(create_app(settings), settings)
    answer = await person.get("/connect")
    plain = text_of(answer)
    assert "every tool is open to everybody" in plain
    assert "<td>no</td>" not in answer.text
    assert not any(trouble.seen in plain for trouble in TROUBLES if trouble.with_plans)
    for word in ("Free", "Plus"):
        assert word not in re.findall(r'<th scope="col">(.*?)</th>', answer.text)
    assert "Plans" not in re.findall("<dt>(.*?)</dt>", (await person.get("/developers")).text)


@pytest.mark.usefixtures("rollback")
async def test_who_calls_from_outside_is_told_when_the_address_cannot_be_reached(application: Litestar) -> None:
    for guide in GUIDES:
        said = "LOCI_PUBLIC_URL" in text_of(await visitor(application).get(guide.path))
        assert said == (guide in {CLAUDE, CHATGPT})
    settings = Settings(secret_key="k" * 32, public_url="https://loci.example.org")
    secure = visitor(create_app(settings), settings)
    answer = await secure.get("/connect/claude")
    assert "LOCI_PUBLIC_URL" not in text_of(answer)
    assert "https://loci.example.org/mcp" in shown_values(answer)


async def test_the_developers_page_has_every_tool_with_its_schemas(carol: Visitor) -> None:
    answer = await carol.get("/developers")
    shown = dict(re.findall(r'<pre class="code" data-schema="([^"]+)">(.*?)</pre>', answer.text, flags=re.DOTALL))
    told = reference(SETTINGS)
    assert len(shown) == 2 * len(told.tools)
    for tool in told.tools:
        assert json.loads(unescape(shown[f"{tool.name}.input"])) == tool.input_schema
        assert json.loads(unescape(shown[f"{tool.name}.output"])) == tool.output_schema
        assert tool.description in text_of(answer)
    for endpoint in told.endpoints:
        assert endpoint.path in text_of(answer)
        assert endpoint.metadata_url in hrefs(answer)
    assert all(version in text_of(answer) for version in told.protocol_versions)


async def test_the_developers_page_has_every_code_answer_and_specification(carol: Visitor) -> None:
    answer = await carol.get("/developers")
    plain = text_of(answer)
    assert set(MEANINGS) == set(ErrorCode)
    assert all(code.value in plain for code in ErrorCode)
    assert all(told.status in plain for told in ANSWERS)
    assert "-32001" in plain
    assert "1,048,576" in plain
    assert all(address in hrefs(answer) for _, address in SPECIFICATIONS)
    for path in ("/authorize", "/token", "/register", "/revoke", "/.well-known/oauth-authorization-server"):
        assert BASE + path in plain


async def test_documents_that_the_page_points_to_are_served(carol: Visitor) -> None:
    for endpoint in reference(SETTINGS).endpoints:
        document = (await carol.get(urlsplit(endpoint.metadata_url).path)).json()
        assert document["resource"] == endpoint.url
        assert document["scopes_supported"] == list(endpoint.scopes)


AWKWARD = "https://loci.example.org:8443/mcp/flashcards/readonly"


@pytest.mark.parametrize("url", [URL, AWKWARD])
def test_links_of_vscode_hold_the_server(url: str) -> None:
    for scheme in ("vscode", "vscode-insiders"):
        address, _, query = links.vscode_link(url, scheme).partition("?")
        assert address == f"{scheme}:mcp/install"
        assert re.fullmatch(r"[A-Za-z0-9%._~-]+", query)
        assert json.loads(unquote(query)) == {"name": "loci", "type": "http", "url": url}
    web = urlsplit(links.vscode_web_link(url))
    assert (web.scheme, web.netloc, web.path) == ("https", "insiders.vscode.dev", "/redirect/mcp/install")
    asked = parse_qs(web.query, strict_parsing=True)
    assert asked["name"] == ["loci"]
    assert json.loads(asked["config"][0]) == {"type": "http", "url": url}
    words = shlex.split(links.vscode_command(url))
    assert words[:2] == ["code", "--add-mcp"]
    assert json.loads(words[2]) == {"name": "loci", "type": "http", "url": url}


@pytest.mark.parametrize("url", [URL, AWKWARD, "https://loci.example.org/mcp?>>>???"])
def test_links_of_cursor_hold_the_server(url: str) -> None:
    for link, host, path in (
        (links.cursor_link(url), "anysphere.cursor-deeplink", "/mcp/install"),
        (links.cursor_web_link(url), "cursor.com", "/en/install-mcp"),
    ):
        parts = urlsplit(link)
        assert (parts.netloc, parts.path) == (host, path)
        asked = parse_qs(parts.query, strict_parsing=True)
        assert asked["name"] == ["loci"]
        assert json.loads(base64.b64decode(asked["config"][0], validate=True)) == {"url": url}


@pytest.mark.parametrize(
    "text", [links.claude_code_file, links.vscode_file, links.vscode_file_with_key, links.cursor_file,
             links.cursor_file_with_key, links.plain_file, links.plain_file_with_key],
)  # fmt: skip
def test_configuration_files_are_json_with_the_address(text: object) -> None:
    file = json.loads(text(AWKWARD))  # type: ignore[operator]
    [server] = (file.get("servers") or file["mcpServers"]).values()
    assert server["url"] == AWKWARD
    assert server.get("headers", {"Authorization": "Bearer x"})["Authorization"].startswith("Bearer ")


def test_commands_of_claude_code_are_words_of_a_shell() -> None:
    added = shlex.split(links.claude_code_add(AWKWARD))
    assert added == ["claude", "mcp", "add", "--transport", "http", "--scope", "user", "loci", AWKWARD]
    with_key = shlex.split(links.claude_code_with_key(AWKWARD))
    assert with_key == [*added, "--header", f"Authorization: Bearer {links.KEY}"]
