"""Resolve the dependencies of pyproject.toml into the two lock files: hashes of every platform, no addresses."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compile_lock(target: str, *groups: str) -> None:
    """Write the lock file `target` for the project's dependencies and the given dependency groups."""
    subprocess.run(
        [
            sys.executable, "-m", "uv", "pip", "compile", "--universal", "--generate-hashes", "--quiet",
            "--python-version", "3.11", "--no-emit-index-url", "--no-annotate", "--no-header",
            *(f"--group={group}" for group in groups), "pyproject.toml", "--output-file", target,
        ],
        cwd=ROOT,
        check=True,
    )  # fmt: skip


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    compile_lock("requirements.lock", "build")
    compile_lock("requirements-dev.lock", "build", "dev")


if __name__ == "__main__":
    main()
