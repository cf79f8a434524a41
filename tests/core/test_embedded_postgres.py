"""The embedded PostgreSQL through crashes, strangers and odd places; written to pass for root and for anybody else."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import app
from app.core.embedded_postgres import EmbeddedPostgres, EmbeddedPostgresError
from app.core.postgres_binaries import usable_binaries
from app.core.postgres_folder import server_user
from app.core.postgres_process import end, is_alive, postmaster_of

IS_ROOT = os.geteuid() == 0
PROJECT = Path(app.__file__).parents[1]
HOLDER = """
import sys
from pathlib import Path
from app.core.embedded_postgres import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1]), durable=False):
    print("up", flush=True)
    sys.stdin.read()
"""
FORKER = """
import os, sys
from pathlib import Path
from app.core.embedded_postgres import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1]), durable=False) as server:
    if os.fork() == 0:
        server.stop()
        os._exit(0)
    assert os.wait()[1] == 0
    print("still there" if server.ready() else "gone")
"""


@contextmanager
def folder_for(name: str = "data", *, mode: int = 0o755) -> Iterator[Path]:
    """A place for data below a folder of the given mode; afterwards nothing runs there and nothing is left."""
    above = Path(tempfile.mkdtemp(prefix="loci-test-")).resolve()
    above.chmod(mode)
    root = above / name
    try:
        yield root
    finally:
        place = EmbeddedPostgres(root).folder
        if left := postmaster_of(place / "pgdata"):
            end(left.pid)
        shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(above)
    assert left is None, "the test left its server running"


@pytest.fixture(scope="module")
def shared_root() -> Iterator[Path]:
    with folder_for() as root:
        yield root


@pytest.fixture
def root(shared_root: Path) -> Iterator[Path]:
    """A folder whose database exists, without a server."""
    yield shared_root
    assert postmaster_of(EmbeddedPostgres(shared_root).folder / "pgdata") is None


@pytest.fixture
def fresh_root() -> Iterator[Path]:
    with folder_for() as root:
        yield root


def server_at(root: Path, **options: Any) -> EmbeddedPostgres:
    return EmbeddedPostgres(root, durable=False, **options)


def pid_of(server: EmbeddedPostgres) -> int:
    running = postmaster_of(server.folder / "pgdata")
    assert running is not None
    return running.pid


def ask(server: EmbeddedPostgres, *statements: str) -> Any:
    """Run the statements on a connection of their own; the first value of the last one."""

    async def run() -> Any:
        connection = await asyncpg.connect(server.dsn())
        try:
            return [await connection.fetchval(statement) for statement in statements][-1]
        finally:
            await connection.close()

    return asyncio.run(run())


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    while is_alive(pid):
        pass


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that starts the server of `root` and uses it until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    ) as process:
        try:
            yield process
        finally:
            process.communicate("")


def wait_until_up(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"


def test_the_database_speaks_utf8_and_utc_and_checks_its_pages(root: Path) -> None:
    with EmbeddedPostgres(root) as server:
        assert server.ready()
        shown = {
            name: ask(server, f"SHOW {name}")
            for name in ("server_encoding", "timezone", "data_checksums", "fsync", "listen_addresses", "shared_buffers")
        }
        locale = ask(server, "SELECT datlocprovider::text || datlocale FROM pg_database WHERE datname = 'loci'")
        knows_scripts = ask(server, r"SELECT 'ж日' ~ '^\w\w$'")
    assert shown == {
        "server_encoding": "UTF8",
        "timezone": "UTC",
        "data_checksums": "on",
        "fsync": "on",
        "listen_addresses": "",
        "shared_buffers": "128MB",
    }
    assert (locale, knows_scripts) == ("bC.UTF-8", True)


def test_a_server_for_tests_does_not_wait_for_the_disk(root: Path) -> None:
    with server_at(root, max_connections=37) as server:
        names = ("fsync", "synchronous_commit", "full_page_writes", "max_connections")
        assert [ask(server, f"SHOW {name}") for name in names] == ["off", "off", "off", "37"]


def test_rows_are_there_after_a_stop_and_a_start(root: Path) -> None:
    with server_at(root) as server:
        ask(server, "CREATE TABLE kept AS SELECT 7 AS figure")
    assert not server.ready()
    with server:
        assert ask(server, "SELECT figure FROM kept") == 7


def test_both_forms_of_the_address_connect_whatever_the_environment_says(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGPORT": "1", "PGHOST": "192.0.2.1", "PGUSER": "x", "PGDATA": "/nowhere", "PGTZ": "x"}.items():
        monkeypatch.setenv(name, value)

    async def user_of(**address: Any) -> str:
        connection = await asyncpg.connect(**address)
        try:
            return await connection.fetchval("SELECT current_user || '@' || current_database()")
        finally:
            await connection.close()

    with server_at(root) as server:
        assert asyncio.run(user_of(dsn=server.dsn())) == "loci@loci"
        assert asyncio.run(user_of(**server.connect_args())) == "loci@loci"


def test_names_that_need_quoting_work(fresh_root: Path) -> None:
    with server_at(fresh_root, user="Ann & co/%", database='a "b" c/d?%') as server:
        assert ask(server, "SELECT current_user || '@' || current_database()") == 'Ann & co/%@a "b" c/d?%'


def test_the_server_gets_no_secret_and_no_setting_from_the_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCI_SECRET_KEY", "not for the server")
    monkeypatch.setenv("PGOPTIONS", "-c work_mem=1GB")
    with server_at(root) as server:
        leaked = ask(
            server,
            "CREATE TEMP TABLE seen (line text)",
            "COPY seen FROM PROGRAM 'env'",
            "SELECT count(*) FROM seen WHERE line ~ '^(LOCI_|PGOPTIONS)'",
        )
    assert leaked == 0


def test_what_people_wrote_never_reaches_the_log(root: Path) -> None:
    with server_at(root) as server:
        ask(server, "CREATE TABLE once (word text PRIMARY KEY)", "INSERT INTO once VALUES ('palimpsest')")
        for statement in ("INSERT INTO once VALUES ('palimpsest')", "SELECT 'palimpsest'::int", "SELECT palimpsest"):
            with pytest.raises(asyncpg.PostgresError):
                ask(server, statement)
        assert "palimpsest" not in (server.folder / "postgres.log").read_text()


def test_only_the_last_user_ends_the_server(root: Path) -> None:
    first, second = server_at(root), server_at(root)
    first.start()
    second.start()
    pid = pid_of(first)
    first.stop()
    assert second.ready()
    assert pid_of(second) == pid
    second.stop()
    assert not is_alive(pid)


def test_a_second_process_keeps_the_server_up_and_ends_it(root: Path) -> None:
    server = server_at(root)
    server.start()
    with holder(root) as process:
        wait_until_up(process)
        server.stop()
        assert server.ready()
    assert not server.ready()


def test_start_and_stop_may_be_called_twice(root: Path) -> None:
    server = server_at(root)
    server.start()
    server.start()
    assert server.ready()
    server.stop()
    server.stop()
    assert not server.ready()


def test_a_killed_process_leaves_no_share_behind(root: Path) -> None:
    with holder(root) as process:
        wait_until_up(process)
        process.kill()
        process.wait()
    server = server_at(root)
    pid = pid_of(server)
    with (root / "locks" / "users").open("rb") as users:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the server itself does not hold it either
    with server:
        assert pid_of(server) == pid
    assert not is_alive(pid)


def test_a_forked_child_does_not_end_its_parents_server(root: Path) -> None:
    command = [sys.executable, "-c", FORKER, str(root)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "still there\n")


def test_a_killed_server_comes_back_with_every_committed_row(root: Path) -> None:
    with EmbeddedPostgres(root) as server:
        server.ensure_running()
        pid = pid_of(server)
        ask(server, "CREATE TABLE survives (n int)", "INSERT INTO survives SELECT generate_series(1, 1000)")
        kill(pid)
        assert not server.ready()
        server.ensure_running()
        assert pid_of(server) != pid
        assert ask(server, "SELECT count(*) FROM survives") == 1000


def test_a_session_that_outlives_its_server_does_not_keep_it_down(root: Path) -> None:
    async def scene(server: EmbeddedPostgres) -> int:
        busy, other = await asyncpg.connect(server.dsn()), await asyncpg.connect(server.dsn())
        endless = asyncio.create_task(busy.fetchval("SELECT sum(sqrt(n)) FROM generate_series(1, 3000000000) n"))
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT sum%'"
        while not await other.fetchval(running):
            pass
        kill(pid_of(server))
        server.ensure_running()
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await endless
        other.terminate()
        busy.terminate()
        again = await asyncpg.connect(server.dsn())
        try:
            return await again.fetchval("SELECT 1")
        finally:
            await again.close()

    with server_at(root) as server:
        assert asyncio.run(scene(server)) == 1


def test_a_removed_socket_comes_back(root: Path) -> None:
    with server_at(root) as server:
        Path(server.connect_args()["host"], ".s.PGSQL.5432").unlink()  # type: ignore[arg-type]
        assert not server.ready()
        server.ensure_running()
        assert server.ready()


def test_only_who_has_a_share_can_ask_for_a_restart(root: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"call start\(\) first"):
        server_at(root).ensure_running()


def crash(server: EmbeddedPostgres) -> str:
    """Kill the server and give the share back; returns the pid file that stays behind."""
    kill(pid_of(server))
    server.stop()
    return (server.folder / "pgdata" / "postmaster.pid").read_text()


def test_the_pid_file_of_a_dead_server_is_no_obstacle(root: Path) -> None:
    server = server_at(root)
    server.start()
    crash(server)
    with server:
        assert server.ready()


def test_a_stranger_with_the_dead_servers_number_is_left_alone(root: Path, fresh_root: Path) -> None:
    server, neighbour = server_at(root), server_at(fresh_root)
    with neighbour:
        for stranger in (os.getpid(), pid_of(neighbour)):
            server.start()
            _, rest = crash(server).split("\n", 1)
            (server.folder / "pgdata" / "postmaster.pid").write_text(f"{stranger}\n{rest}")
            with server:
                assert server.ready()
            assert is_alive(stranger)
        assert neighbour.ready()


@pytest.mark.parametrize("content", ["", "no number\n", "-1\n"])
def test_a_broken_pid_file_is_no_obstacle(root: Path, content: str) -> None:
    server = server_at(root)
    (server.folder / "pgdata" / "postmaster.pid").write_text(content)
    with server:
        assert server.ready()


def test_two_folders_have_servers_of_their_own(root: Path, fresh_root: Path) -> None:
    with server_at(root) as one, server_at(fresh_root) as other:
        assert pid_of(one) != pid_of(other)
        ask(one, "CREATE TABLE only_here (n int)")
        assert ask(other, "SELECT to_regclass('only_here')::text") is None
        kill(pid_of(one))
        assert other.ready()


def test_four_processes_that_start_at_once_share_one_server(fresh_root: Path) -> None:
    server = server_at(fresh_root)
    with ExitStack() as stack:
        for process in [stack.enter_context(holder(fresh_root)) for _ in range(4)]:
            wait_until_up(process)
        pid = pid_of(server)
        assert server.ready()
        starts = (server.folder / "postgres.log").read_text().count("starting PostgreSQL")
    assert starts == 1
    assert not is_alive(pid)


def test_data_of_another_major_version_are_refused_with_the_way_out(root: Path) -> None:
    server = server_at(root)
    version = server.folder / "pgdata" / "PG_VERSION"
    own = version.read_text()
    version.write_text("17\n")
    try:
        with pytest.raises(EmbeddedPostgresError, match=r"of PostgreSQL 17; the installed one is .*pg_dump") as caught:
            server.start()
    finally:
        version.write_text(own)
    assert str(server.folder / "pgdata") in str(caught.value)
    with server:
        assert server.ready()


def test_a_half_made_database_never_counts(fresh_root: Path) -> None:
    (fresh_root / "pgdata.new").mkdir(parents=True)
    (fresh_root / "pgdata.new" / "PG_VERSION").write_text("18\n")
    with server_at(fresh_root) as server:
        assert server.ready()
    assert not (server.folder / "pgdata.new").exists()


def test_files_that_are_no_database_are_not_touched(fresh_root: Path) -> None:
    letter = fresh_root / "pgdata" / "letter.txt"
    letter.parent.mkdir(parents=True)
    letter.write_text("dear")
    with pytest.raises(EmbeddedPostgresError, match="holds files, but no database"):
        server_at(fresh_root).start()
    assert letter.read_text() == "dear"


def test_an_unknown_user_is_named_and_nothing_is_left_running(root: Path) -> None:
    server = server_at(root, user="somebody")
    with pytest.raises(EmbeddedPostgresError, match="does not know the user somebody"):
        server.start()
    assert postmaster_of(server.folder / "pgdata") is None


def test_a_server_that_cannot_start_says_why(root: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"did not start: .*max_connections"):
        server_at(root, max_connections=-5).start()


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedPostgresError, match=r"cannot be used: Not a directory .*LOCI_DATA_DIR"):
        server_at(tmp_path / "file" / "data").start()


@pytest.mark.parametrize("name", ["two words", 'it\'s "$HOME" `x` \\ ; 日本%20', "a,b"])
def test_any_letters_in_the_path_work(name: str) -> None:
    with folder_for(name) as root, server_at(root) as server:
        assert ask(server, "SELECT 1") == 1
        kill(pid_of(server))
        server.ensure_running()
        assert ask(server, "SELECT 1") == 1


def test_a_path_too_long_for_a_socket_gets_a_private_folder_for_it() -> None:
    with folder_for("long" * 30) as root:
        with server_at(root) as server:
            sockets = Path(str(server.connect_args()["host"]))
            assert not sockets.is_relative_to(root)
            assert sockets.stat().st_mode & 0o777 == 0o700
            assert sockets.stat().st_uid == server_user(server.folder).uid
            assert ask(server, "SELECT 1") == 1
        assert not sockets.exists()
        sockets.write_text("somebody was here first")
        try:
            with pytest.raises(EmbeddedPostgresError, match="is not a folder of the user"):
                server.start()
        finally:
            sockets.unlink()


def test_a_folder_that_the_servers_user_cannot_enter_works_too() -> None:
    with folder_for(mode=0o700) as root:
        with server_at(root) as server:
            ask(server, "CREATE TABLE kept AS SELECT 7 AS figure")
            assert (server.folder != root) == IS_ROOT
            assert root.parent.stat().st_mode & 0o777 == 0o700
        if IS_ROOT:
            assert str(server.folder) in (root / "elsewhere.txt").read_text()
        with server_at(root) as again:
            assert ask(again, "SELECT figure FROM kept") == 7


def test_a_moved_folder_takes_its_data_along() -> None:
    with folder_for("moved", mode=0o700) as moved:
        old = moved.with_name("old")
        with server_at(old) as server:
            ask(server, "CREATE TABLE kept AS SELECT 7 AS figure")
        old.rename(moved)
        with server_at(moved) as server:
            assert ask(server, "SELECT figure FROM kept") == 7


def test_a_copied_folder_never_writes_to_the_data_of_the_first() -> None:
    with folder_for(mode=0o700) as root:
        with server_at(root) as server:
            ask(server, "CREATE TABLE kept AS SELECT 7 AS figure")
        copy = root.with_name("copy")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns("run"))
        if IS_ROOT:
            with pytest.raises(EmbeddedPostgresError, match="is a copy of"):
                server_at(copy).start()
        else:
            with server_at(root), server_at(copy) as copied:
                assert copied.folder == copy
                ask(copied, "DROP TABLE kept")
        with server:
            assert ask(server, "SELECT figure FROM kept") == 7


def test_lost_data_elsewhere_are_not_replaced_in_silence(fresh_root: Path) -> None:
    fresh_root.mkdir()
    (fresh_root / "elsewhere.txt").write_text(f"{fresh_root.parent / 'gone'}\n")
    with pytest.raises(EmbeddedPostgresError, match="but it is not there"):
        server_at(fresh_root).start()


def test_programs_in_a_private_folder_are_copied_and_keep_their_modes(
    fresh_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = usable_binaries(server_user(fresh_root), tmp_path).folder.parents[1]
    private = tmp_path / "private"
    shutil.copytree(installed, private / installed.name, symlinks=True)
    libraries = installed.with_name(installed.name + ".libs")
    if libraries.exists():
        shutil.copytree(libraries, private / libraries.name, symlinks=True)
    private.chmod(0o700)
    monkeypatch.syspath_prepend(private)
    with server_at(fresh_root) as server:
        assert server.ready()
    assert private.stat().st_mode & 0o777 == 0o700
    assert bool(list(server.folder.glob("postgresql-*/*/pginstall/bin/postgres"))) == IS_ROOT
    with server:
        assert ask(server, "SELECT 1") == 1
