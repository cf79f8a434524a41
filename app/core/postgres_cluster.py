"""The data that the embedded PostgreSQL serves: made once, of one major version, holding one database."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from subprocess import CompletedProcess

from app.core.postgres_binaries import Binaries, EmbeddedPostgresError, ServerUser
from app.core.postgres_process import PORT

# The programs' character classes know the letters of all scripts under any UTF-8 locale; the first one there is taken.
_CHARACTER_LOCALES = ("C.UTF-8", "en_US.UTF-8", "C")


def exists(data: Path) -> bool:
    """Whether the folder holds a whole cluster."""
    return (data / "PG_VERSION").exists()


def make(data: Path, binaries: Binaries, user: ServerUser, *, role: str, durable: bool) -> None:
    """Run initdb with `role` as the superuser, under another name first: one left half-done never counts."""
    if data.exists() and any(data.iterdir()):
        raise EmbeddedPostgresError(
            f"{data} holds files, but no database: move it away, or set LOCI_DATA_DIR to another folder."
        )
    fresh = data.with_name("pgdata.new")
    # Writing out the whole file system at once is many times quicker than a thousand files one by one.
    sync = ["--no-sync"] if not durable else ["--sync-method=syncfs"] if sys.platform == "linux" else []

    def initdb(locale: str) -> CompletedProcess[str]:
        if fresh.exists():
            shutil.rmtree(fresh)
        command = [binaries.folder / "initdb", "-D", fresh, "-U", role, "--auth-local=trust", "--auth-host=reject"]
        command += ["--encoding=UTF8", "--locale=C", f"--lc-ctype={locale}", "--locale-provider=builtin"]
        command += ["--builtin-locale=C.UTF-8", "--data-checksums", "--no-instructions", *sync]
        return user.run(command)

    done = initdb(_CHARACTER_LOCALES[0])
    for locale in _CHARACTER_LOCALES[1:]:
        if "invalid locale name" in done.stdout:
            done = initdb(locale)
    if done.returncode:
        shutil.rmtree(fresh, ignore_errors=True)
        raise EmbeddedPostgresError(
            f"The database in {data.parent} could not be made: {done.stdout.strip()[-1000:]} "
            "Mend that and start again, or set LOCI_DATA_DIR to another folder."
        )
    fresh.rename(data)
    if durable:
        descriptor = os.open(data.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_version(data: Path, binaries: Binaries) -> None:
    """Refuse data of another major version, which these programs cannot read."""
    major = (data / "PG_VERSION").read_text(encoding="ascii").strip()
    if major != binaries.major:
        raise EmbeddedPostgresError(
            f"The data in {data} are of PostgreSQL {major}; the installed one is {binaries.version} and cannot read "
            f"them. Go back to the version of Loci that you ran before; or dump the data with pg_dump of PostgreSQL "
            f"{major}, move {data} away, start Loci and load the dump; or run a server of PostgreSQL {major} on them "
            "and set LOCI_DATABASE_URL to it."
        )


def create_database(name: str, binaries: Binaries, user: ServerUser, *, role: str, socket_folder: Path) -> None:
    """Make the database `name` in the running server."""
    command = [binaries.folder / "createdb", "-h", socket_folder, "-p", str(PORT), "-U", role]
    done = user.run([*command, "--maintenance-db=postgres", "--", name])
    if done.returncode:
        raise EmbeddedPostgresError(
            f"The database {name} could not be made: {done.stdout.strip()[-500:]} "
            f"Mend that and start again, or set LOCI_DATA_DIR to another folder."
        )
