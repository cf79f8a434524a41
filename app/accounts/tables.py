"""Rows of the accounts area."""

from __future__ import annotations

from piccolo.columns import Array, BigInt, BigSerial, Boolean, Bytea, SmallInt, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class Account(Table, tablename="account", db=DB):
    """A person. `email_key` (trimmed, NFKC, case-folded) is unique."""

    id = BigSerial(primary_key=True)
    email = Text()
    email_key = Text(unique=True)
    password_hash = Text(null=True, default=None, help_text="argon2id; null when only passkeys sign in")
    name = Text(default="")
    plan = Text(default="free", help_text="The largest of its entitlements; `app.accounts.entitlements` writes it")
    zone = Text(default="UTC", help_text="IANA time zone")
    rollover_hour = SmallInt(default=4, help_text="Local hour at which a study day starts")
    language = Text(default="en")
    theme = Text(default="system", help_text="system, light or dark")
    single_keys = Boolean(default=True, help_text="Whether single keys act on the study page (WCAG 2.1.4)")
    created_at = Timestamptz()


class Entitlement(Table, tablename="entitlement", db=DB):
    """A plan that a source gives an account. Primary key (account_id, source)."""

    account_id = BigInt()
    source = Text(primary_key=True, help_text="operator, stripe or stripe_test")
    plan = Text()
    until = Timestamptz(null=True, default=None, help_text="When it runs out by itself")
    given_at = Timestamptz()


class WebSession(Table, tablename="web_session", db=DB):
    """A signed-in browser. Only the hash of its token is stored."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    created_at = Timestamptz()
    seen_at = Timestamptz()
    expires_at = Timestamptz(help_text="Absolute end, whatever the use")
    user_agent = Text(default="")
    address = Text(default="")


class PasswordReset(Table, tablename="password_reset", db=DB):
    """A link that lets a person choose a new password once."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    created_at = Timestamptz()
    expires_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None)


class Passkey(Table, tablename="passkey", db=DB):
    """A WebAuthn credential."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    credential_id = Bytea(unique=True)
    public_key = Bytea()
    sign_count = BigInt(default=0)
    name = Text(default="")
    backed_up = Boolean(default=False)
    created_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None)


class AccessKey(Table, tablename="access_key", db=DB):
    """A personal access key of a headless client (`loci_pat_…`); shown once, stored as a hash."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    name = Text()
    tail = Text(help_text="The last four letters, to tell keys apart")
    scopes = Array(base_column=Text())
    created_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None)
    expires_at = Timestamptz(null=True, default=None)
    revoked_at = Timestamptz(null=True, default=None)
