"""Where an OAuth client may have a person sent back to: which addresses it may register, and which one matches.

RFC 6749 section 3.1.2, RFC 8252 section 7 and OAuth 2.1 section 2.3: exact text, except that a loopback address may
come with any port.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

LONGEST: Final = 2000
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})

# Printable ASCII without what must not stand in an address; browsers repair some of it, each in its own way.
_ADDRESS = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.\-]*[a-z0-9])?")

# Schemes that run or read something, or that open a program which is no OAuth client.
_NOT_PRIVATE_USE: Final = frozenset({
    "about", "afp", "apt", "blob", "callto", "content", "data", "dict", "facetime", "feed", "file", "filesystem",
    "ftp", "ftps", "git", "gopher", "hcp", "imap", "intent", "irc", "ircs", "its", "jar", "javascript", "ldap",
    "ldaps", "livescript", "mailto", "market", "mk", "mms", "mocha", "news", "nfs", "nntp", "pop", "rdp", "res",
    "resource", "rlogin", "rtsp", "scp", "search", "sftp", "shell", "sip", "sips", "skype", "sms", "smb", "smsto",
    "snews", "ssh", "steam", "svn", "tel", "telnet", "tftp", "urn", "vbs", "vbscript", "view-source", "vnc",
    "webcal", "wpad", "ws", "wss", "wyciwyg", "xmpp",
})  # fmt: skip
_NOT_PRIVATE_USE_PREFIXES: Final = ("ms-", "search-ms", "moz-", "chrome", "edge", "safari-", "x-apple", "itms", "web+")


class RedirectRefused(ValueError):
    """This address may not be registered; the text says why, without repeating it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a browser goes next, for a person to read: `host`, or the program that a private scheme opens."""

    host: str
    kind: Literal["web", "this computer", "program"]


def check_redirect(uri: str) -> str:
    """`uri` if a client may register it, else `RedirectRefused`.

    Allowed are `https` with a host, `http` on a loopback host, and private-use schemes such as `cursor://…` and
    `com.example.app:/…`; never a fragment, a user name or a scheme that runs something.
    """
    if not 0 < len(uri) <= LONGEST or not _ADDRESS.fullmatch(uri):
        raise RedirectRefused("a redirect address is plain ASCII without spaces, 2000 characters at most")
    if "#" in uri:
        raise RedirectRefused("a redirect address has no fragment")
    parts = _split(uri)
    if not _SCHEME.fullmatch(parts.scheme) or not uri.startswith(parts.scheme + ":"):
        raise RedirectRefused("a redirect address starts with its scheme in small letters")
    if "@" in parts.netloc:
        raise RedirectRefused("a redirect address names no user")
    if parts.scheme in {"http", "https"}:
        _check_web(parts)
    elif parts.scheme in _NOT_PRIVATE_USE or parts.scheme.startswith(_NOT_PRIVATE_USE_PREFIXES):
        raise RedirectRefused("this scheme is no private-use scheme of a program")
    elif not parts.netloc and not parts.path.strip("/"):
        raise RedirectRefused("a redirect address has something after its scheme")
    return uri


def matches(registered: str, given: str) -> bool:
    """Whether a request may use `given` when `registered` is what the client registered."""
    if registered == given:
        return True
    try:
        one, other = _split(registered), _split(check_redirect(given))
    except RedirectRefused:
        return False
    return (
        one.scheme == other.scheme == "http"
        and one.hostname in LOOPBACK
        and (one.hostname, one.path, one.query) == (other.hostname, other.path, other.query)
    )


def destination(uri: str) -> Destination:
    """What to call the place that `uri` leads to."""
    parts = urlsplit(uri)
    if parts.scheme not in {"http", "https"}:
        return Destination(parts.scheme, "program")
    host = parts.hostname or ""
    return Destination(host, "this computer" if host in LOOPBACK else "web")


def _split(uri: str) -> SplitResult:
    try:
        parts = urlsplit(uri)
        _ = parts.port  # raises for one that is none
    except ValueError:
        raise RedirectRefused("a redirect address is a URL") from None
    return parts


def _check_web(parts: SplitResult) -> None:
    host = parts.hostname or ""
    bracketed = parts.netloc.startswith("[")
    if not host or not (bracketed or _HOST.fullmatch(host)):
        raise RedirectRefused("a redirect address has a host")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise RedirectRefused("a redirect address uses https, except on the person's own computer")
