"""Clients described by a document: what is fetched, from where, and what is refused without asking."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar

from app.core import clock, db
from app.oauth import fetching
from app.oauth.documents import ClientDocuments
from app.oauth.fetching import FETCH_BYTES, Fetched, FetchRefused, check_url, get_pinned, is_public
from tests.oauth.conftest import CALLBACK, App, Browser

URL = "https://client.example.com/oauth/client.json"
PUBLIC = "93.184.215.14"


@dataclass
class Outside:
    """A network of one document: what names resolve to, what is served, and what was asked for."""

    addresses: list[str] = field(default_factory=lambda: [PUBLIC])
    document: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0

    async def resolve(self, _host: str) -> list[str]:
        return self.addresses

    async def get(self, address: str, url: str) -> Fetched:
        self.asked.append((address, url))
        await asyncio.sleep(self.seconds)
        body = self.document if isinstance(self.document, bytes) else json.dumps(self.document).encode()
        return Fetched(self.headers, body)


def document(**changed: Any) -> dict[str, Any]:
    return {
        "client_id": URL,
        "client_name": "Editor",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        **changed,
    }


@pytest.fixture
def outside(application: Litestar) -> Iterator[Outside]:
    """The application asks this network."""
    made = Outside(document=document())
    usual = application.state.authorization
    application.state.authorization = replace(usual, documents=ClientDocuments(made.resolve, made.get))
    yield made
    application.state.authorization = usual


@pytest.fixture
def editor(app: App) -> App:
    return App(app.http, client_id=URL)


async def test_a_client_needs_no_registration(editor: App, alice: Browser, outside: Outside) -> None:
    page = await alice.get(editor.address())
    assert "<strong>client.example.com</strong>" in page.text
    assert "Editor" in page.text
    tokens = await editor.connect(alice)
    assert await editor.tools(tokens["access_token"])
    assert (await editor.refresh(tokens["refresh_token"])).status_code == 200
    assert outside.asked == [(PUBLIC, URL)]  # once: it is kept
    listed = await alice.get("/connections")
    assert "client.example.com" in listed.text


@pytest.mark.parametrize(
    ("headers", "minutes"),
    [({}, 60), ({"cache-control": "max-age=60"}, 5), ({"cache-control": "public, max-age=7200"}, 120),
     ({"cache-control": "max-age=99999999"}, 1440), ({"cache-control": "no-store"}, 5)],
)  # fmt: skip
async def test_a_document_is_kept_as_long_as_its_host_says(
    committed: None, headers: dict[str, str], minutes: int
) -> None:
    outside = Outside(document=document(), headers=headers)
    documents = ClientDocuments(outside.resolve, outside.get)
    now = clock.now()
    for after, fetches in ((0, 1), (minutes - 1, 1), (minutes + 1, 2)):
        found = await documents.find(URL, now=now + timedelta(minutes=after), asker="192.0.2.1")
        assert found is not None
        assert len(outside.asked) == fetches
    assert await db.fetch_value("SELECT count(*) FROM oauth_client") == 1


async def test_a_changed_document_counts(editor: App, alice: Browser, outside: Outside) -> None:
    await editor.connect(alice)
    await db.execute("UPDATE oauth_client SET fresh_until = fresh_until - interval '2 hours'")
    outside.document = document(redirect_uris=["https://elsewhere.example.com/cb"])
    assert (await alice.get(editor.address())).status_code == 400


async def test_fetches_for_one_asker_are_counted(editor: App, alice: Browser, outside: Outside) -> None:
    for number in range(12):
        editor.client_id = f"https://client{number}.example.com/client.json"
        page = await alice.get(editor.address())
    assert page.status_code == 429
    assert int(page.headers["retry-after"]) > 0
    assert len(outside.asked) == 10


REFUSED: dict[str, Any] = {
    "another client_id": document(client_id=URL + "x"),
    "no client_id": {"redirect_uris": [CALLBACK]},
    "no redirects": {"client_id": URL},
    "another redirect": document(redirect_uris=["https://elsewhere.example.com/cb"]),
    "a redirect that runs something": document(redirect_uris=["javascript:alert(1)", CALLBACK]),
    "a secret": document(client_secret="x"),
    "a method with a secret": document(token_endpoint_auth_method="client_secret_post"),
    "private_key_jwt": document(token_endpoint_auth_method="private_key_jwt"),
    "no JSON": b"<html>",
    "a list": [],
    "nested without end": b"[" * 60_000,
    "no text": b"\xff\xfe",
}


@pytest.mark.parametrize("served", REFUSED.values(), ids=REFUSED)
async def test_documents_that_are_refused(editor: App, alice: Browser, outside: Outside, served: Any) -> None:
    outside.document = served
    page = await alice.get(editor.address())
    assert page.status_code == 400
    assert "ofid_" in page.text
    assert "elsewhere" not in page.text
    assert await db.fetch_value("SELECT count(*) FROM oauth_authorization_code") == 0


INSIDE = [
    "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1",
    "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001:0:53aa:64c:0:0:80ff:fffe", "2001:db8::1", "rubbish",
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
async def test_hosts_at_addresses_inside_are_not_asked(
    editor: App, alice: Browser, outside: Outside, address: str
) -> None:
    for addresses in ([address], [PUBLIC, address], [address, PUBLIC]):
        outside.addresses = addresses
        assert (await alice.get(editor.address())).status_code == 400
    assert outside.asked == []
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_no_private_address_is_public(address: Any) -> None:
    assert not (is_public(str(address)) and (address.is_private or address.is_multicast or address.is_loopback))
    assert not is_public(f"::ffff:{address}")
    assert not is_public(str(ip_address(int(address) + (0x64FF9B << 96))))


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:82f::200e"])
def test_addresses_of_the_open_internet_are(address: str) -> None:
    assert is_public(address)


BAD_URLS = [
    "http://client.example.com/c", "https://client.example.com", "https://client.example.com/", "https:///c",
    "https://client.example.com:8443/c", "https://client.example.com:443/c", "https://user@client.example.com/c",
    "https://user:pw@client.example.com/c", "https://client.example.com/c#f", "https://client.example.com/a/../c",
    "https://client.example.com/./c", "https://client.example.com/%2e%2e/c", "https://127.0.0.1/c",
    "https://2130706433/c", "https://0x7f000001/c", "https://0x7f.0.0.1/c", "https://0177.0.0.1/c", "https://127.1/c",
    "https://[::1]/c", "https://[::ffff:127.0.0.1]/c", "https://localhost/c", "https://localhost./c",
    "https://intranet/c", "https://db.internal/c", "https://printer.local/c", "https://client.example.com./c",
    "https://CLIENT.example.com/c", "https://client.example.com\\@evil.example/c", "https://client.example.com /c",
    "https://client.example.com/a b", "https://１２７.0.0.1/c", "https://client..example.com/c", "https://-a.example/c",
    "HTTPS://client.example.com/c", "ftp://client.example.com/c", "https://metadata.google.internal/c",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD_URLS)
async def test_addresses_that_name_no_public_host_are_not_asked(
    editor: App, alice: Browser, outside: Outside, url: str
) -> None:
    with pytest.raises(FetchRefused):
        check_url(url)
    outside.document = document(client_id=url)
    editor.client_id = url
    assert (await alice.get(editor.address())).status_code == 400
    assert outside.asked == []


async def test_a_slow_host_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = Outside(document=document(), seconds=30)
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.01)
    with pytest.raises(FetchRefused, match="too long"):
        await fetching.fetch(URL, resolve=outside.resolve, get=outside.get)


async def test_a_name_that_does_not_resolve_is_refused() -> None:
    async def nowhere(host: str) -> list[str]:
        raise OSError

    for resolve in (nowhere, Outside(addresses=[]).resolve):
        with pytest.raises(FetchRefused):
            await fetching.fetch(URL, resolve=resolve, get=Outside().get)


@asynccontextmanager
async def tls_server(folder: Path, host: str, answer: bytes) -> AsyncIterator[tuple[int, ssl.SSLContext, list[bytes]]]:
    """A host with a certificate for `host`; its port, a context that trusts it, and the requests that came."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    day = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(day - timedelta(days=1))
        .not_valid_after(day + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "host.pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(pem)
    came: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=serving)
    async with server:
        trusted = ssl.create_default_context(cadata=certificate.public_bytes(serialization.Encoding.PEM).decode())
        yield server.sockets[0].getsockname()[1], trusted, came


def http_answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def test_the_connection_goes_to_the_address_in_the_name_of_the_host(tmp_path: Path) -> None:
    body = json.dumps(document()).encode()
    answer = http_answer(body, "200 OK", "Cache-Control: max-age=60")
    async with tls_server(tmp_path, "client.example.com", answer) as (port, trusted, came):
        fetched = await get_pinned("127.0.0.1", port, URL, trusted)
    assert fetched.body == body
    assert fetched.headers["cache-control"] == "max-age=60"
    assert came[0].startswith(b"GET /oauth/client.json HTTP/1.1\r\n")
    assert b"host: client.example.com\r\n" in came[0].lower().replace(b"Host", b"host")
    assert b"cookie" not in came[0].lower()


async def test_a_certificate_of_another_host_is_refused(tmp_path: Path) -> None:
    async with tls_server(tmp_path, "other.example.com", http_answer(b"{}")) as (port, trusted, came):
        with pytest.raises(httpx2.ConnectError):
            await get_pinned("127.0.0.1", port, URL, trusted)
    assert came == []


@pytest.mark.parametrize(
    "answer",
    [
        http_answer(b"", "302 Found", "Location: https://client.example.com/other"),
        http_answer(b"", "307 Temporary Redirect", "Location: http://169.254.169.254/"),
        http_answer(b"{}", "404 Not Found"),
        http_answer(b"x" * (FETCH_BYTES + 1)),
        http_answer(b"{}", "200 OK", "Content-Encoding: gzip"),
    ],
    ids=["redirect", "redirect inside", "missing", "oversize", "compressed"],
)
async def test_answers_that_are_no_document(tmp_path: Path, answer: bytes) -> None:
    async with tls_server(tmp_path, "client.example.com", answer) as (port, trusted, came):
        with pytest.raises(FetchRefused):
            await get_pinned("127.0.0.1", port, URL, trusted)
    assert len(came) == 1
