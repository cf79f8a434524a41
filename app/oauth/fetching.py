"""Fetching a document from an address that a stranger chose, without being led inside.

https on port 443 alone, every address of the host checked and the connection pinned to one that was, no redirect, no
proxy, a limit of time and of bytes. What reaches outside are two functions, so that tests can stand in for a network.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

FETCH_SECONDS: Final = 5.0
FETCH_BYTES: Final = 65_536

# A name with a point, whose last part is no number: what is left out are addresses in any notation, and bare names.
_HOST = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.)+(?!\d+$|0x[0-9a-f]*$)[a-z0-9\-]{2,63}")
_INSIDE = (".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp", ".arpa", ".onion", ".test")
# Not on the open internet, whatever the version of `ipaddress` says (IANA's special-purpose registries).
_SPECIAL = tuple(
    map(
        ip_network,
        ("100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "5f00::/16", "3fff::/20", "fec0::/10"),
    )
)
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))  # NAT64, RFC 6052 and RFC 8215
_PATH = re.compile(r"/[!$%&'()*+,\-./0-9:;=@A-Z_a-z~?]+")


class FetchRefused(Exception):
    """The document was not fetched; the text says why, for the client's developer. Nothing of the answer is in it."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document with status 200."""

    headers: Mapping[str, str]
    body: bytes


Resolve = Callable[[str], Awaitable[list[str]]]
"""From a host's name to its addresses."""
Get = Callable[[str, str], Awaitable[Fetched]]
"""From an address and a URL to the document: one GET over TLS to that address, in the name of the URL's host."""


def check_url(url: str) -> str:
    """The host of `url` if a document may be fetched from there, else `FetchRefused`."""
    parts = urlsplit(url)
    host = parts.netloc
    if parts.scheme != "https" or not url.startswith("https://"):
        raise FetchRefused("the address does not start with https")
    if not _HOST.fullmatch(host) or host.endswith(_INSIDE):
        raise FetchRefused("the address does not name a public host alone, in small letters")
    rest = url[len("https://") + len(host) :]
    if not _PATH.fullmatch(rest) or any(part in {".", ".."} for part in parts.path.split("/")) or "%2e" in rest.lower():
        raise FetchRefused("the address has no plain path")
    return host


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet, whatever it is wrapped in."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = _inside_of(parsed)
        if inner is not None:
            return False  # a wrapped address is somebody's trick: a host that wants to be reached has a plain one
    return parsed.is_global and not (
        any(parsed in network for network in _SPECIAL)
        or parsed.is_multicast
        or parsed.is_reserved
        or parsed.is_private
        or parsed.is_loopback
        or parsed.is_link_local
    )


def _inside_of(address: IPv6Address) -> IPv4Address | None:
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    compatible = IPv4Address(int(address)) if int(address) < 2**32 else None
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None) or compatible


async def fetch(url: str, *, resolve: Resolve, get: Get) -> Fetched:
    """The document at `url`, or `FetchRefused`."""
    host = check_url(url)
    try:
        async with asyncio.timeout(FETCH_SECONDS):
            addresses = await resolve(host)
            if not addresses or not all(is_public(address) for address in addresses):
                raise FetchRefused("the host is not on the open internet")
            return await get(addresses[0], url)
    except TimeoutError:
        raise FetchRefused("the host took too long") from None
    except (OSError, UnicodeError, httpx2.HTTPError, httpx2.InvalidURL):
        raise FetchRefused("the host cannot be reached") from None


async def resolve_host(host: str) -> list[str]:
    """All addresses of a host, from the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def get_from(address: str, url: str) -> Fetched:
    """One GET to port 443 of `address`; the certificate must be the host's. Raises `FetchRefused`."""
    return await get_pinned(address, 443, url, _certificates())


async def get_pinned(address: str, port: int, url: str, trusted: ssl.SSLContext) -> Fetched:
    """`get_from` with the port and the trusted certificates as arguments."""
    parts = urlsplit(url)
    where = f"[{address}]" if ":" in address else address
    pinned = f"https://{where}:{port}{url[len('https://') + len(parts.netloc) :]}"
    headers = {"host": parts.netloc, "accept": "application/json", "accept-encoding": "identity"}
    extensions: dict[str, Any] = {"sni_hostname": parts.netloc}
    async with (
        httpx2.AsyncClient(verify=trusted, follow_redirects=False, trust_env=False, timeout=FETCH_SECONDS) as client,
        client.stream("GET", pinned, headers=headers, extensions=extensions) as answer,
    ):
        if answer.status_code != 200:
            raise FetchRefused("the host answers with another status than 200")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise FetchRefused("the document is compressed")
        body = bytearray()
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > FETCH_BYTES:
                raise FetchRefused(f"the document is over {FETCH_BYTES} bytes")
        return Fetched({name.lower(): value for name, value in answer.headers.items()}, bytes(body))


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()
