"""Headers and checks that hold for every answer: CSP without anything inline, CSRF by the browser's own word."""

from __future__ import annotations

from urllib.parse import urlsplit

from litestar.types import HTTPScope

# Nothing inline and nothing from elsewhere. `data:` images are none of ours; SVG comes in the page.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def policy_for_forms(*origins: str) -> str:
    """The policy of a page whose forms lead to other origins: browsers hold a form's redirects to `form-action` too."""
    return CONTENT_SECURITY_POLICY.replace("form-action 'self'", " ".join(("form-action 'self'", *origins)))


SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self)"),
)
HTML_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cache-control", b"no-store"),
)
# A web app may open the consent page in a window of its own and wait there for its callback: the stricter policy of the
# other pages would part the two windows for good.
WHILE_CONNECTING: tuple[tuple[bytes, bytes], ...] = ((b"cross-origin-opener-policy", b"unsafe-none"),)
STRICT_TRANSPORT_SECURITY = (b"strict-transport-security", b"max-age=31536000")

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_cross_site(scope: HTTPScope, base_url: str) -> bool:
    """Whether another site made the browser send this request.

    Every current browser says so in Sec-Fetch-Site; an older one sends Origin with each POST. A request with neither
    comes from no browser, so it carries no cookie that a foreign page could abuse.
    """
    if scope["method"] in _SAFE_METHODS:
        return False
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get(b"origin")
    if origin is None:
        return False
    host = headers.get(b"host", "")
    return origin != _origin_of(base_url) and (not host or urlsplit(origin).netloc != host)


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
