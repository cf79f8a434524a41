"""Secrets are refused, texts that only speak of them pass, and no text takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import RestrictedContent
from app.domain.restricted import refuse_restricted, restricted_kind

SECRETS = [
    "password: hunter2",
    "**Password:** `hunter2!`",
    "| password | hunter2 |",
    "passwd = correcthorse",
    'Password = "S3cret pass"',
    "my password is hunter2",
    "api_key: 9f8a7b6c5d4e3f2a",
    "API key: abcd1234efgh5678",
    "token=abc123def456",
    "sk-abcdefghijklmnopqrstuvwx",
    "sk-proj-Ab12_cd34-Ef56gh78ij90klmn",
    "sk-ant-api03-AbCdEf-123_456-ghIJ",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "OTP: 482913",
    "Your verification code is 482913",
    "verification code: **123 456**",
    "482913 is your Google verification code",
    "G-482913 is your code",
    "one-time code 4829",
    "2FA code 991234",
    "SSN 123-45-6789",
    "ssn: 123456789",
    "078-05-1120",
    "4111 1111 1111 1111",
    "4111111111111111",
    "card 5500-0000-0000-0004 exp 12/26",
    "3782 822463 10005",
    "6011111111111117",
    "пароль: qwerty123",
    "パスワード：abcd1234",
    "xoxb-123456789012-abcdefGHIJ",
    "AIzaSyA-1234567890abcdefghijklmnopqrstu",
    "secret: Xy8zabcd99",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "postgres://admin:hunter2secret@db.example.org/app",
    "DATABASE_URL=postgresql://loci:s3cr3tpw@127.0.0.1/loci",
    "redis://:YoVhf6QF0niSNyw1@localhost:6379",
    "https://alice:3hGMDpy4DE9u@example.org/feed.xml",
    "Authorization: Bearer psv7NTwYyyiU1wPsZOB92xHcLKnVlzegcclm",
    "-H 'authorization: Basic YWxpY2U6aHVudGVyMg=='",
    "<password>hunter2</password>",
    "PGPASSWORD=hunter2 psql",
    "MYSQL_PASSWORD=hunter22",
    "login: bob, pw: hunter22",
    "Your code is 482913",
    "recovery code: 7f3a-91bc-22d0",
    "seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow",
    "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
]

HARMLESS = [
    "Password: required",
    "password: ********",
    "password: <your password>",
    "Password: must contain 8 characters",
    "The password is required here",
    "Password: stored in 1Password",
    "the password policy says: change it often",
    "secret: the butler did it",
    "Secret: cinnamon",
    "token: a unit of text",
    "access token: short-lived",
    "auth code flow (RFC 6749)",
    "verification code 2024-05-01",
    "OTP means one-time password",
    "the 2FA code arrives by SMS",
    "sk-learn-based-pipeline-notes",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "task-force-management-system-of-2024",
    "call 555-123-4567",
    "000-12-3456",
    "ISBN 978-3-16-148410-0",
    "3.14159265358979323846264338327950288",
    "1733029200000",
    "IMEI 356938035643809",
    "order 1234 5678 9012 3456",
    "4111 1111 1111 1112",
    "UUID 123e4567-e89b-12d3-a456-426614174000",
    "phone +1 202-555-0123",
    "2 3 5 7 11 13 17 19 23 29 31",
    "password: $DB_PASSWORD",
    "api_key: YOUR_API_KEY",
    'API key = os.environ["KEY"]',
    "Passwords: keep them in a manager",
    "passphrase length :: 12",
    "password: ?",
    "Q: What is a token? A: a unit",
    "postgres://user@localhost/app",
    "postgres://USER:PASSWORD@HOST/db",
    "https://user:password@example.org",
    "git@github.com:org/repo.git",
    "https://example.org:8080/@alice",
    "ssh://git@host:22/x",
    "Authorization: Bearer <token>",
    "Authorization: Bearer xxxxxxxxxxxxxxxxxxxx",
    "The header Authorization: Bearer carries the token",
    "<password>${PASSWORD}</password>",
    "Power 300 kW, pw: ?",
    "the code is 200 OK",
    "error code 500123",
    "ZIP code 94103",
    "recovery code: kept offline",
    "seed phrase: keep it offline and never in a file",
    "The seed phrase is a list of twelve words that opens a wallet, so write it down on paper",
    "mountain pass: Stelvio",
    "Pass rate: 95 percent",
    "token count: 4096",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "The secret of success is practice",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_found_alone_and_within_a_text(text: str):
    assert restricted_kind(text)
    assert restricted_kind(f"# Notes\n\nSome words first.\n\n- {text}\n\nAnd after.")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_speaks_of_secrets_passes(text: str):
    assert restricted_kind(text) == ""
    assert restricted_kind(f"# Notes\n\n- {text}\n- {text}\n") == ""


@pytest.mark.parametrize(
    "frontmatter",
    [
        {"password": "hunter2"},
        {"a": {"api_key": "9f8a7b6c5d4e3f2a"}},
        {"list": ["x", "4111 1111 1111 1111"]},
        {"note": "ghp_" + "a1B2" * 9},
        {"ssn": "123-45-6789"},
    ],
)
def test_metadata_is_looked_at_as_well(frontmatter: dict[str, object]):
    with pytest.raises(RestrictedContent) as refused:
        refuse_restricted(frontmatter, "harmless")
    assert not any(str(value) in str(refused.value) for value in frontmatter.values())


def test_metadata_without_a_secret_passes():
    refuse_restricted({"password": None, "api_key": "", "tags": ["auth", "password"], "year": 2024}, "harmless")


@pytest.mark.parametrize("digits", ["4111111111111111", "378282246310005", "5555555555554444", "3530111333300000"])
def test_one_wrong_digit_makes_it_no_card(digits: str):
    assert restricted_kind(digits)
    for place in range(len(digits)):
        other = digits[:place] + str((int(digits[place]) + 1) % 10) + digits[place + 1 :]
        assert restricted_kind(other) == ""


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30))
def test_lists_of_numbers_pass(numbers: list[int]):
    assert restricted_kind("\n".join(f"{number}," for number in numbers)) == ""
