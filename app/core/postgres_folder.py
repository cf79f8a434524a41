"""Where the embedded PostgreSQL keeps its files, whom they belong to, and the locks that its users share.

    root/                   the folder that was asked for
    ├── locks/gate          held while the server is started or stopped
    ├── locks/users         shared by every process that uses the server; the kernel counts them, also after kill -9
    ├── pgdata/             the data
    ├── run/                the socket
    ├── postgres.log
    └── elsewhere.txt       instead of the last three: they are in the folder on its first line

A server started by root runs as another user. When that user cannot enter root (below /root, say), the last three lie
in a folder of their own below `/var/lib/loci`. Nothing outside these folders is created, chmodded or chowned.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from app.core import logs
from app.core.postgres_binaries import EmbeddedPostgresError, ServerUser
from app.core.postgres_process import SOCKET_NAME

_ELSEWHERE = Path("/var/lib/loci")
_POINTER = "elsewhere.txt"
_OWNER = "root.txt"  # in the folder elsewhere: which root it belongs to
_USERS = ("postgres", "nobody")
_SHORT = Path("/tmp")  # noqa: S108 - not TMPDIR: all processes have to find the same; its owner and mode are checked
_LONGEST_SOCKET = 100  # bytes; the systems' limit is 104 or 108
_LOG_BYTES = 5_000_000

_log = logs.get_logger(__name__)


def place_of(root: Path) -> Path:
    """The folder that holds the data of `root`: root itself or the one that its pointer names."""
    try:
        return Path((root / _POINTER).read_text(encoding="utf-8", errors="surrogateescape").split("\n", 1)[0])
    except FileNotFoundError:
        return root


def server_user(place: Path) -> ServerUser:
    """This process's user; for root, the owner of the folder, or else one of the usual accounts without rights."""
    if os.geteuid() != 0:
        return ServerUser(os.geteuid(), os.getegid(), switch=False)
    with suppress(FileNotFoundError):
        found = place.stat()
        if found.st_uid != 0:
            return ServerUser(found.st_uid, found.st_gid, switch=True)
    for name in _USERS:
        with suppress(KeyError):
            account = pwd.getpwnam(name)
            return ServerUser(account.pw_uid, account.pw_gid, switch=True)
    raise EmbeddedPostgresError(
        f"PostgreSQL does not run as root, and this machine has no user {' or '.join(_USERS)} to run it as. "
        "Start Loci as an ordinary user, or set LOCI_DATABASE_URL to a PostgreSQL server to use instead."
    )


def settle(root: Path, user: ServerUser) -> Path:
    """The folder for the data of `root`, one that `user` can enter and owns. Call with the gate held."""
    place = place_of(root)
    if place != root:
        _check_owner(root, place)
        return place
    if not user.switch:
        return root
    if user.reaches(root.parent):
        with suppress(PermissionError):  # a file system without owners, or of another machine
            _give(root, user)
            if root.stat().st_uid == user.uid:
                return root
    if (root / "pgdata").exists():
        raise EmbeddedPostgresError(
            f"The user {user.name}, who has to run PostgreSQL for root, can no longer enter {root}. Let that user "
            "pass through the folders above, or move the whole folder to where it can and set LOCI_DATA_DIR."
        )
    return _settle_elsewhere(root, user)


def _settle_elsewhere(root: Path, user: ServerUser) -> Path:
    name = f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}-{secrets.token_hex(4)}"
    place = _ELSEWHERE / name
    try:
        if not _ELSEWHERE.is_dir():
            _ELSEWHERE.mkdir(parents=True)
            _ELSEWHERE.chmod(0o755)
        place.mkdir(0o700)
        (place / _OWNER).write_text(f"{root}\n", encoding="utf-8", errors="surrogateescape")
        _give(place, user)
        usable = user.reaches(place)
    except OSError:
        usable = False
    if not usable:
        shutil.rmtree(place, ignore_errors=True)
        raise EmbeddedPostgresError(
            f"The user {user.name}, who has to run PostgreSQL for root, can enter neither {root} nor {place}. "
            "Set LOCI_DATA_DIR to a folder below one that every user can enter, or start Loci as an ordinary user."
        )
    (root / _POINTER).write_text(
        f"{place}\n\nThe folder above holds the database of {root}:\nPostgreSQL runs as the user {user.name}, "
        "who cannot enter this one. Whoever removes this folder for good removes that one too.\n",
        encoding="utf-8",
        errors="surrogateescape",
    )
    _log.info("database_placed_elsewhere", root=str(root), place=str(place))
    return place


def _check_owner(root: Path, place: Path) -> None:
    """A moved root takes its data along; of a copied one both would write to the same."""
    try:
        written = (place / _OWNER).read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        raise EmbeddedPostgresError(
            f"{root / _POINTER} says that the database is in {place}, but it is not there. "
            f"Bring that folder back, or delete {root} to begin with an empty database."
        ) from None
    owner = Path(written.removesuffix("\n"))
    if owner == root:
        return
    if owner.exists() and place_of(owner) == place:
        raise EmbeddedPostgresError(
            f"{root} is a copy of {owner}, whose database is in {place}. "
            f"Delete {root / _POINTER} to give the copy an empty database of its own."
        )
    (place / _OWNER).write_text(f"{root}\n", encoding="utf-8", errors="surrogateescape")


def _give(folder: Path, user: ServerUser) -> None:
    if folder.stat().st_uid != user.uid:
        os.chown(folder, user.uid, user.gid, follow_symlinks=False)
        folder.chmod(0o700)


def make_folder(path: Path, user: ServerUser) -> None:
    """Make a folder that is the user's alone, unless it is there."""
    with suppress(FileExistsError):
        path.mkdir(0o700)
        if user.switch:
            os.chown(path, user.uid, user.gid, follow_symlinks=False)


def open_file(path: Path, user: ServerUser) -> int:
    """Open a file of the user for reading and appending, made if missing; the descriptor is closed at exec.

    Links are not followed: a root process must not be led to other files by whoever owns the folder.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags)
    if user.switch:
        os.fchown(descriptor, user.uid, user.gid)
    return descriptor


def open_log(place: Path, user: ServerUser) -> int:
    """Open the server's log; one that has grown long is put aside first."""
    path = place / "postgres.log"
    with suppress(FileNotFoundError):
        if path.lstat().st_size > _LOG_BYTES:
            path.replace(place / "postgres.log.1")
    return open_file(path, user)


def socket_folder(place: Path, user: ServerUser) -> Path:
    """Where the socket of `place` lies: in it, or below /tmp when that path is not possible as a socket's."""
    folder = place / "run"
    # A comma separates several hosts for the clients.
    if len(os.fsencode(folder / SOCKET_NAME)) <= _LONGEST_SOCKET and "," not in str(folder):
        return folder
    return _SHORT / f"loci-{user.uid}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:16]}"


def make_socket_folder(folder: Path, user: ServerUser) -> None:
    """Make the socket's folder and see that it is the user's alone: anybody may have made one below /tmp."""
    make_folder(folder, user)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user.uid:
        raise EmbeddedPostgresError(
            f"{folder}, the place of the database's socket, is not a folder of the user {user.name}. "
            "Remove it, or set LOCI_DATA_DIR to a folder with a shorter path."
        )
    if found.st_mode & 0o077:
        folder.chmod(0o700)


@contextmanager
def gate(root: Path, user: ServerUser) -> Generator[None]:
    """Keep every other process and thread from starting or stopping the server of `root` while the block runs."""
    make_folder(root / "locks", user)
    descriptor = open_file(root / "locks" / "gate", user)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take_share(root: Path, user: ServerUser) -> FileIO:
    """Become one of the users of the server, until the file is closed. Call with the gate held."""
    share = FileIO(open_file(root / "locks" / "users", user))
    fcntl.flock(share, fcntl.LOCK_SH)
    return share


def is_last(share: FileIO) -> bool:
    """Whether nobody else holds a share. Call with the gate held, then close the share."""
    try:
        fcntl.flock(share, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
