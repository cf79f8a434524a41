"""Every command of `loci`, as a person types it: beside a running server and without one, with good input and bad."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import open_to_all
from tests.server import LOCI, ROOT, Server, running_server

PASSWORD = "correct horse battery staple"
EMAIL = "person@example.org"


class Terminal:
    """Runs commands on a server's data, whether it runs or not."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def run(
        self, *words: str, stdin: str = "", status: int = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*LOCI, *words],
            cwd=ROOT,
            env={**self.server.environment, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    def refused(self, *words: str, stdin: str = "", **environment: str) -> str:
        """The one line that a command says when it does nothing."""
        done = self.run(*words, stdin=stdin, status=1, **environment)
        assert done.stdout == ""
        [line] = done.stderr.splitlines()
        assert line.startswith("Error: ")
        return line.removeprefix("Error: ")

    def password_works(self, email: str, password: str) -> bool:
        answer = httpx.post(f"{self.server.url}/sign-in", data={"email": email, "password": password})
        assert answer.status_code in {303, 422}
        return answer.status_code == 303


@pytest.fixture(scope="module")
def beside_a_server() -> Iterator[Terminal]:
    with open_to_all() as folder, running_server(folder, LOCI_PLANS="on") as server:
        yield Terminal(server)


@pytest.fixture(scope="module")
def alone() -> Iterator[Terminal]:
    with open_to_all() as folder:
        server = Server(folder, LOCI_PLANS="on")
        yield Terminal(server)
        assert not (folder / "data" / "postgres" / "pgdata" / "postmaster.pid").exists(), "a command left PostgreSQL"


def day_of_an_operator(terminal: Terminal, folder: Path) -> str:
    """Each command of the contract once; the key that was made."""
    done = terminal.run("account", "create", EMAIL, "--password-stdin", "--plan", "free", stdin=f"{PASSWORD}\n")
    assert done.stdout == "Account created, plan free.\n"
    done = terminal.run("account", "plan", EMAIL.upper(), "plus")
    assert done.stdout == "The plan is plus now.\n"
    done = terminal.run("key", "create", EMAIL, "--scope", "decks:read", "--scope", "decks:write", "--name", "nightly")
    assert re.fullmatch(r"loci_pat_[0-9A-Za-z]{38}\n", done.stdout), "the key is not alone on standard output"
    key = done.stdout.strip()
    done = terminal.run("export", EMAIL, str(folder))
    assert done.stdout.splitlines()[0] == str(folder / "loci.json")
    exported = (folder / "loci.json").read_text()
    assert json.loads(exported)["account"]["email"] == EMAIL
    for secret in (key, "argon2", PASSWORD):
        assert secret not in exported
    done = terminal.run("account", "password", EMAIL, "--password-stdin", stdin="another good sentence\n")
    assert done.stdout == "The password is changed; all browsers are signed out.\n"
    return key


def test_beside_a_running_server_on_the_same_data(beside_a_server: Terminal, tmp_path: Path) -> None:
    key = day_of_an_operator(beside_a_server, tmp_path)
    made = beside_a_server.server.call(key, "create_deck", {"title": "Rivers"})
    assert not made.get("isError"), made
    assert beside_a_server.password_works(EMAIL, "another good sentence")
    assert not beside_a_server.password_works(EMAIL, PASSWORD)
    assert beside_a_server.run("migrate").stdout == "The database is up to date.\n"


def test_without_a_server_they_start_the_database_and_stop_it(alone: Terminal, tmp_path: Path) -> None:
    day_of_an_operator(alone, tmp_path)


def test_bad_input_ends_with_one_clear_line(beside_a_server: Terminal) -> None:
    refused = beside_a_server.refused
    beside_a_server.run("account", "create", "twin@example.org", "--password-stdin", stdin=PASSWORD)
    assert "has an account already" in refused(
        "account", "create", "TWIN@example.org", "--password-stdin", stdin=PASSWORD
    )
    assert "not an e-mail address" in refused("account", "create", "twin", "--password-stdin", stdin=PASSWORD)
    assert "shorter than 10" in refused("account", "create", "x@example.org", "--password-stdin", stdin="short\n")
    assert "e-mail address" in refused("account", "plan", "nobody@example.org", "pro")
    said = refused("key", "create", "twin@example.org", "--scope", "decks:own")
    assert "There is no such scope." in said
    assert "decks:read" in said


@pytest.mark.parametrize(
    "words",
    [
        ("account", "plan", EMAIL, "platinum"),
        ("account", "create", EMAIL, "--plan", "platinum"),
        ("key", "create", EMAIL),
        ("serve", "--port", "0"),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_what_the_command_line_cannot_mean_is_explained(alone: Terminal, words: tuple[str, ...]) -> None:
    done = alone.run(*words, status=2)
    assert done.stderr.startswith("Usage: ")
    assert "Error: " in done.stderr


def test_a_setting_that_cannot_be_used_is_named(alone: Terminal) -> None:
    assert "LOCI_POOL_SIZE takes a whole number" in alone.refused("migrate", LOCI_POOL_SIZE="many")
    assert "LOCI_POTR" in alone.refused("serve", LOCI_POTR="8000")


@pytest.mark.parametrize("address", ["postgresql://nobody:secret@127.0.0.1:1/nothing", "postgresql://h:port/x", "x"])
def test_a_database_that_is_away_is_said_without_its_address(alone: Terminal, address: str) -> None:
    for command in ("migrate", "serve"):
        said = alone.refused(command, LOCI_DATABASE_URL=address)
        assert "Cannot connect to the database" in said
        assert "secret" not in said


def test_a_port_that_is_taken_is_said_before_anything_starts(beside_a_server: Terminal) -> None:
    done = beside_a_server.run("serve", status=1)
    [line] = done.stderr.splitlines()
    assert f"port {beside_a_server.server.port}: Address already in use" in line


def test_billing_check_says_who_sets_plans(alone: Terminal) -> None:
    assert "`loci account plan`" in alone.run("billing", "check").stdout
    assert "everybody has everything" in alone.run("billing", "check", LOCI_PLANS="off").stdout
    assert "sk_test_" in alone.refused("billing", "check", LOCI_STRIPE_SECRET_KEY="a key of something else")
    stripe = {"LOCI_STRIPE_SECRET_KEY": "sk_test_1", "LOCI_STRIPE_API_URL": "http://127.0.0.1:1"}
    assert "does not answer" in alone.run("billing", "check", status=1, **stripe).stderr
    assert "No payment provider" in alone.refused("billing", "replay", "evt_1")


def test_help_and_version_need_nothing(alone: Terminal) -> None:
    assert re.search(r", version \d", alone.run("--version").stdout)
    shown = alone.run("--help").stdout
    for command in ("serve", "migrate", "account", "key", "demo", "export", "billing"):
        assert command in shown
