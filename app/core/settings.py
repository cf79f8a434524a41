"""Every setting of a Loci server, read once from the environment (and `.env`) when a command starts.

A field's `metadata` carries its environment variable and the sentence of `docs/settings.md`; a test compares the two.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dotenv import dotenv_values

from app.domain.plans import check_overrides

_SHORTEST_KEY = 32


class SettingsError(ValueError):
    """A setting has a value that cannot be used; the message names the variable and what it takes."""


def _text(value: str) -> str:
    return value.strip()


def _switch(value: str) -> bool:
    words = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
    try:
        return words[value.strip().lower()]
    except KeyError:
        raise ValueError("takes on or off") from None


def _whole(minimum: int, maximum: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise ValueError(f"takes a whole number from {minimum} to {maximum}")
        return number

    return parse


def _folder(value: str) -> Path:
    return Path(value).expanduser()


def _mail_server(value: str) -> str:
    parts = urlsplit(value.strip())
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
        raise ValueError("takes an address like smtp://user:password@mail.example.org:587")
    return value.strip()


def _url(value: str) -> str:
    parts = urlsplit(value.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("takes an address like https://loci.example.org, without a path")
    if parts.fragment or parts.username:
        raise ValueError("takes an address like https://loci.example.org, without a name or a fragment")
    return value.strip().rstrip("/")


def _words(value: str) -> tuple[str, ...]:
    return tuple(word for word in value.replace(",", " ").split() if word)


def _stripe_key(value: str) -> str:
    key = value.strip()
    if not re.fullmatch(r"(sk|rk)_(test|live)_[A-Za-z0-9_]+", key):
        raise ValueError("takes a secret or restricted key of Stripe (sk_test_…, sk_live_…, rk_test_…, rk_live_…)")
    return key


def _webhook_secrets(value: str) -> tuple[str, ...]:
    secrets_given = _words(value)
    if not all(secret.startswith("whsec_") for secret in secrets_given):
        raise ValueError("takes signing secrets that start with whsec_")
    return secrets_given


def _loopback_url(value: str) -> str:
    url = _url(value)
    if urlsplit(url).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ValueError("takes the address of a stand-in on this machine, like http://127.0.0.1:12111")
    return url


def _figures(value: str) -> tuple[tuple[str, int], ...]:
    """`free.decks=50 plus.cards=30000` as pairs."""
    figures: dict[str, int] = {}
    for pair in _words(value):
        name, _, figure = pair.partition("=")
        if not figure.isdecimal() or name.count(".") != 1:
            raise ValueError("takes pairs like free.decks=50 plus.cards=30000")
        figures[name] = int(figure)
    check_overrides(figures)
    return tuple(figures.items())


def _setting(variable: str, default: object, parse: Callable[[str], object], help: str, *, secret: bool = False) -> Any:
    """A secret is left out of the text of the settings, which a debugger or a log line might show."""
    return field(default=default, repr=not secret, metadata={"variable": variable, "parse": parse, "help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Values of all settings; `Settings.read()` takes them from the environment."""

    host: str = _setting("LOCI_HOST", "127.0.0.1", _text, "Address that the server listens on.")
    port: int = _setting("LOCI_PORT", 8000, _whole(1, 65535), "Port that the server listens on.")
    workers: int = _setting("LOCI_WORKERS", 1, _whole(1, 64), "Number of server processes.")
    data_dir: Path = _setting(
        "LOCI_DATA_DIR", Path(".loci"), _folder, "Folder of the embedded PostgreSQL and of the generated secret key."
    )
    database_url: str = _setting(
        "LOCI_DATABASE_URL",
        "",
        _text,
        "A PostgreSQL 15 or newer to use instead of the embedded one (`postgresql://…`).",
        secret=True,
    )
    pool_size: int = _setting(
        "LOCI_POOL_SIZE",
        10,
        _whole(2, 200),
        "Database connections of each server process; processes times this must stay under PostgreSQL's "
        "`max_connections`.",
    )
    public_url: str = _setting(
        "LOCI_PUBLIC_URL",
        "",
        _url,
        "Address under which people and AI clients reach the server, when it differs from host and port. "
        "Cookies are marked Secure when it is https.",
    )
    secret_key: str = _setting(
        "LOCI_SECRET_KEY",
        "",
        _text,
        "Key that signs short-lived cookies, at least 32 characters. Without it one is generated into the data folder; "
        "several machines need the same.",
        secret=True,
    )
    allowed_origins: tuple[str, ...] = _setting(
        "LOCI_ALLOWED_ORIGINS",
        ("https://claude.ai", "https://claude.com", "https://chatgpt.com"),
        _words,
        "Web origins, besides loopback and the public address, whose pages may call the MCP endpoint.",
    )
    trusted_proxies: str = _setting(
        "LOCI_TRUSTED_PROXIES",
        "127.0.0.1",
        _text,
        "Addresses of reverse proxies whose X-Forwarded headers are believed, with commas; `*` for any.",
    )
    signup: bool = _setting("LOCI_SIGNUP", True, _switch, "Whether anybody may create an account in the browser.")
    plans: bool = _setting("LOCI_PLANS", True, _switch, "Whether plans limit accounts; off makes everybody Pro.")
    plan_figures: tuple[tuple[str, int], ...] = _setting(
        "LOCI_PLAN_FIGURES", (), _figures, "Changed figures of the plan table, like `free.decks=50 plus.cards=30000`."
    )
    stripe_secret_key: str = _setting(
        "LOCI_STRIPE_SECRET_KEY",
        "",
        _stripe_key,
        "Key with which people pay for plans through Stripe (docs/billing.md); without it the operator sets plans.",
        secret=True,
    )
    stripe_webhook_secrets: tuple[str, ...] = _setting(
        "LOCI_STRIPE_WEBHOOK_SECRET",
        (),
        _webhook_secrets,
        "Signing secret of the webhook endpoint (`whsec_…`); two while one is being replaced by the other.",
        secret=True,
    )
    stripe_portal_configuration: str = _setting(
        "LOCI_STRIPE_PORTAL_CONFIGURATION",
        "",
        _text,
        "Configuration of the customer portal (`bpc_…`), when it is not the default one.",
    )
    stripe_trial_days: int = _setting(
        "LOCI_STRIPE_TRIAL_DAYS", 0, _whole(0, 365), "Days that a first subscription may be tried before it is paid."
    )
    stripe_grace_days: int = _setting(
        "LOCI_STRIPE_GRACE_DAYS", 7, _whole(0, 60), "Days for which a plan stays after a payment has failed."
    )
    stripe_automatic_tax: bool = _setting(
        "LOCI_STRIPE_AUTOMATIC_TAX", False, _switch, "Whether Stripe Tax adds taxes to the prices."
    )
    stripe_api_url: str = _setting(
        "LOCI_STRIPE_API_URL",
        "",
        _loopback_url,
        "Address of a stand-in for Stripe on this machine (`loci billing fake`), for trying and testing.",
    )
    deck_card_cap: int = _setting("LOCI_DECK_CARD_CAP", 500, _whole(1, 100_000), "Live cards that one deck may hold.")
    trash_days: int = _setting(
        "LOCI_TRASH_DAYS", 90, _whole(1, 3650), "Days after which deleted decks, cards and notes are erased for good."
    )
    note_version_days: int = _setting(
        "LOCI_NOTE_VERSION_DAYS",
        365,
        _whole(1, 36_500),
        "Days for which a replaced version of a note is kept; what a note says now is kept for ever.",
    )
    import_mb: int = _setting(
        "LOCI_IMPORT_MB", 256, _whole(1, 2048), "Largest file, in megabytes, that a person may import."
    )
    media_mb: int = _setting(
        "LOCI_MEDIA_MB",
        1024,
        _whole(0, 1_000_000),
        "Megabytes that pictures and sounds of one account may take in all.",
    )
    session_idle_days: int = _setting(
        "LOCI_SESSION_IDLE_DAYS", 14, _whole(1, 365), "Days without a visit after which a browser is signed out."
    )
    session_days: int = _setting(
        "LOCI_SESSION_DAYS", 90, _whole(1, 730), "Days after which a browser is signed out in any case."
    )
    smtp_url: str = _setting(
        "LOCI_SMTP_URL",
        "",
        _mail_server,
        "Mail server, `smtp://user:password@host:587` (STARTTLS) or `smtps://…`; else the server prints its mail.",
        secret=True,
    )
    mail_from: str = _setting("LOCI_MAIL_FROM", "Loci <loci@localhost>", _text, "Sender of the mail.")
    log_level: str = _setting("LOCI_LOG_LEVEL", "info", str.lower, "debug, info, warning or error.")
    log_format: str = _setting("LOCI_LOG_FORMAT", "json", str.lower, "`json`, or `text` for a person at a terminal.")

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None, dotenv: Path | None = Path(".env")) -> Settings:
        """Settings from `environment` (the process's own by default) over those of the `.env` file.

        Raises `SettingsError` for a value that cannot be used and for an unknown variable that starts with `LOCI_`.
        """
        own = os.environ if environment is None else environment
        values = {**(dotenv_values(dotenv) if dotenv and dotenv.is_file() else {}), **own}
        given = {name: text for name, text in values.items() if name.startswith("LOCI_") and text}
        read: dict[str, object] = {}
        for item in fields(cls):
            text = given.pop(variable_of(item), None)
            if text is not None:
                try:
                    read[item.name] = item.metadata["parse"](text)
                except ValueError as error:
                    raise SettingsError(f"{variable_of(item)} {error}.") from None
        unknown = sorted(given)
        if unknown:
            raise SettingsError(f"{', '.join(unknown)}: no such setting; docs/settings.md lists them.")
        settings = cls(**read)  # type: ignore[arg-type]
        settings._check()
        return settings

    def _check(self) -> None:
        if self.secret_key and len(self.secret_key) < _SHORTEST_KEY:
            raise SettingsError("LOCI_SECRET_KEY takes at least 32 characters.")
        if self.log_level not in {"debug", "info", "warning", "error"}:
            raise SettingsError("LOCI_LOG_LEVEL takes debug, info, warning or error.")
        if self.log_format not in {"json", "text"}:
            raise SettingsError("LOCI_LOG_FORMAT takes json or text.")
        if self.stripe_api_url and self.stripe_livemode:
            raise SettingsError("LOCI_STRIPE_API_URL takes a test key: a live one is for Stripe alone.")

    @property
    def base_url(self) -> str:
        """The public address without a trailing slash."""
        if self.public_url:
            return self.public_url
        host = "127.0.0.1" if self.host in {"0.0.0.0", "::", ""} else self.host  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def takes_payments(self) -> bool:
        """Whether people choose and pay for plans themselves."""
        return self.plans and bool(self.stripe_secret_key)

    @property
    def stripe_livemode(self) -> bool:
        """Whether the key is one for real money."""
        return "_live_" in self.stripe_secret_key

    @property
    def secure_cookies(self) -> bool:
        return self.base_url.startswith("https://")

    def signing_key(self) -> bytes:
        """The key for short-lived signatures; generated once into the data folder when no setting gives it."""
        if self.secret_key:
            return self.secret_key.encode()
        path = self.data_dir / "secret.key"
        if not path.exists():
            self.data_dir.mkdir(parents=True, exist_ok=True)
            # Written whole beside its place and linked there, so that no process ever reads half a key.
            whole = path.with_name(f"secret.key.{secrets.token_hex(8)}")
            with os.fdopen(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_hex(32).encode())
            with suppress(FileExistsError):  # another process was quicker
                os.link(whole, path)
            whole.unlink()
        key = path.read_bytes()
        if len(key) < _SHORTEST_KEY:
            raise SettingsError(f"{path} holds no key. Delete it, and a new one is made.")
        return key


def variable_of(item: Field[Any]) -> str:
    """The environment variable of a field of `Settings`."""
    return str(item.metadata["variable"])
