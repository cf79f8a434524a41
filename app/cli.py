"""The `loci` command."""

from __future__ import annotations

import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from app.core import clock, db, logs
from app.core.embedded_postgres import EmbeddedPostgresError
from app.core.migrations import MigrationError, migrate
from app.core.settings import Settings, SettingsError
from app.domain.errors import AppError, NotFound
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.serve import database, serve

Answer = TypeVar("Answer")
_PLANS = click.Choice([plan.value for plan in Plan])


def _run(work: Callable[[Settings], Awaitable[Answer]]) -> Answer:
    """Do `work` on the migrated database, whether a server runs or not; failures end the command with one line."""
    settings = _settings()

    async def whole() -> Answer:
        await migrate()
        await db.open_pool(2)
        try:
            return await work(settings)
        finally:
            await db.close_pool()

    with ExitStack() as stack:
        try:
            stack.enter_context(database(settings))
            return asyncio.run(whole())
        except AppError as error:
            raise click.ClickException(str(error)) from None
        except (EmbeddedPostgresError, MigrationError) as error:
            raise click.ClickException(str(error)) from None


def _settings() -> Settings:
    try:
        settings = Settings.read()
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    logs.configure(settings.log_level, settings.log_format)
    return settings


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise click.ClickException("The two passwords differ.")
    return first


async def _account_id(email: str) -> int:
    from app.accounts import queries

    found = await queries.account_by_email(email)
    if found is None:
        raise NotFound("There is no account with this e-mail address.")
    return found.id


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="loci")
def main() -> None:
    """Loci keeps what a person learns. Settings are environment variables; docs/settings.md lists them."""


@main.command("serve")
@click.option("--host", help="Address to listen on.  [LOCI_HOST]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on.  [LOCI_PORT]")
@click.option("--workers", type=click.IntRange(1, 64), help="Number of server processes.  [LOCI_WORKERS]")
def serve_command(host: str | None, port: int | None, workers: int | None) -> None:
    """Start the database if it is the embedded one, migrate, and serve."""
    settings = _settings()
    given = {"host": host, "port": port, "workers": workers}
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    try:
        serve(settings)
    except (EmbeddedPostgresError, MigrationError) as error:
        raise click.ClickException(str(error)) from None


@main.command("migrate")
def migrate_command() -> None:
    """Bring the database to the tables of this version."""

    async def work(_settings: Settings) -> None:
        return None

    _run(work)
    click.echo("The database is up to date.")


@main.group()
def account() -> None:
    """Create accounts, change their plan or password."""


@account.command("create")
@click.argument("email")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--plan", type=_PLANS, default=Plan.FREE.value, show_default=True)
def account_create(email: str, password_stdin: bool, plan: str) -> None:
    """Create an account that signs in with EMAIL."""
    password = _password(password_stdin)

    async def work(_settings: Settings) -> None:
        from app.accounts import service

        await service.sign_up(email, password, now=clock.now(), plan=Plan(plan))

    _run(work)
    click.echo(f"Account created, plan {plan}.")


@account.command("plan")
@click.argument("email")
@click.argument("plan", type=_PLANS)
def account_plan(email: str, plan: str) -> None:
    """Give the account of EMAIL another PLAN. A subscription that gives more still counts."""

    async def work(settings: Settings) -> Plan:
        from app.accounts import service
        from app.billing.queries import is_customer

        # Who pays keeps what is paid for, also when this shell lacks the server's settings for payments.
        alone = not settings.takes_payments and not await is_customer(await _account_id(email))
        return (await service.set_plan(email, Plan(plan), now=clock.now(), alone=alone)).plan

    counts = _run(work)
    click.echo(f"The plan is {counts} now.")
    if counts != plan:
        click.echo("A subscription gives that; it is ended in the customer's portal or at Stripe.")


@account.command("password")
@click.argument("email")
@click.option("--password-stdin", is_flag=True, help="Read the new password from standard input.")
def account_password(email: str, password_stdin: bool) -> None:
    """Set a new password for the account of EMAIL; every browser is signed out."""
    password = _password(password_stdin)

    async def work(_settings: Settings) -> None:
        from app.accounts import service

        await service.set_password(await _account_id(email), password, now=clock.now())

    _run(work)
    click.echo("The password is changed; all browsers are signed out.")


@main.group()
def key() -> None:
    """Access keys for clients without a browser."""


@key.command("create")
@click.argument("email")
@click.argument("more", nargs=-1, metavar="")
@click.option("--scope", "scopes", multiple=True, required=True, metavar="SCOPE…", help="Such as decks:read.")
@click.option("--name", default="command line", show_default=True, help="Name shown under Keys.")
def key_create(email: str, more: tuple[str, ...], scopes: tuple[str, ...], name: str) -> None:
    """Create an access key for the account of EMAIL and print it, alone, on standard output.

    Several scopes may follow one --scope, or each its own.
    """

    async def work(_settings: Settings) -> str:
        from app.accounts import service
        from app.domain.scopes import parse_scopes

        wanted: frozenset[Scope] = parse_scopes(" ".join((*scopes, *more)).replace(",", " "))
        _, token = await service.create_key(await _account_id(email), name, wanted, now=clock.now())
        return token

    click.echo(_run(work))


@main.command("demo")
@click.option("--email", default="demo@localhost", show_default=True, help="E-mail address of the demo account.")
def demo(email: str) -> None:
    """Make an account with real decks and a past, to look around in."""

    async def work(settings: Settings) -> str:
        from app.demo.account import make_demo_account

        return await make_demo_account(email, now=clock.now(), deck_card_cap=settings.deck_card_cap)

    password = _run(work)
    click.echo(f"Sign in at {_settings().base_url}/sign-in with {email} and the password:\n{password}")


@main.command("export")
@click.argument("email")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def export(email: str, folder: Path) -> None:
    """Write everything in the account of EMAIL into FOLDER.

    loci.json with all of it, a CSV file for each deck, notes.zip, an Anki package, and loci-export.zip, which another
    account imports.
    """

    async def work(_settings: Settings) -> list[Path]:
        from app.transfer.folder import export_to

        return await export_to(await _account_id(email), folder, now=clock.now())

    for path in _run(work):
        click.echo(path)


@main.group()
def billing() -> None:
    """How accounts get their plans."""


@billing.command("check")
def billing_check() -> None:
    """Say who sets plans; with Stripe, whether everything that docs/billing.md asks for is set up there."""
    settings = _settings()
    if not settings.plans:
        click.echo("Plans are off (LOCI_PLANS): everybody has everything.")
    elif not settings.takes_payments:
        click.echo("Plans are on. No payment provider is set up: the operator sets plans with `loci account plan`.")
    else:
        from app.billing.command import check

        try:
            findings = asyncio.run(check(settings))
        except AppError as error:
            raise click.ClickException(str(error)) from None
        for finding in findings:
            click.echo(f"{'ok     ' if finding.good else 'MISSING'} {finding.text}")
        if not all(finding.good for finding in findings):
            raise click.exceptions.Exit(1)


@billing.command("replay")
@click.argument("event")
def billing_replay(event: str) -> None:
    """Work on a stored EVENT of Stripe's (evt_…) once more: read again what it speaks of."""

    async def work(settings: Settings) -> None:
        from app.billing.command import replay

        await replay(settings, event, now=clock.now())

    _run(work)
    click.echo("Done: what the event speaks of has been read again.")


@billing.command("fake")
@click.option("--port", type=click.IntRange(1, 65535), default=12111, show_default=True, help="Port on this machine.")
def billing_fake(port: int) -> None:
    """Serve a stand-in for Stripe on this machine, to try plans without an account there."""
    from app.billing.command import serve_fake

    settings = _settings()
    click.echo(
        f"Start the server with these settings, and look at http://127.0.0.1:{port}/ for what time and banks do:\n"
        f"LOCI_STRIPE_SECRET_KEY=sk_test_fake LOCI_STRIPE_WEBHOOK_SECRET=whsec_fake "
        f"LOCI_STRIPE_API_URL=http://127.0.0.1:{port}"
    )
    serve_fake(port, settings.base_url, now=clock.now())


if __name__ == "__main__":
    main()
