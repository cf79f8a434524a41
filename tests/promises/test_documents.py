"""What is generated is current, and what is promised about the repository holds."""

from __future__ import annotations

import gzip
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_catalogue_has_every_string_of_the_interface() -> None:
    collect = script("collect_messages")
    assert collect.TARGET.read_text(encoding="utf-8") == collect.text_of(collect.collected()), "run: make messages"


def test_the_page_of_settings_is_current() -> None:
    generate = script("generate_settings_docs")
    assert generate.TARGET.read_text() == generate.page(), "run: python scripts/generate_settings_docs.py"


def test_the_pages_about_clients_are_current() -> None:
    generate = script("generate_connect_docs")
    current = {path.name: path.read_text(encoding="utf-8") for path in generate.TARGET.glob("*.md")}
    assert current == generate.documents(), "run: make connect-docs"


def test_styles_and_scripts_stay_small() -> None:
    """As they travel, compressed: what a first visit has to load before it can show a page."""
    for folder, most in (("css", 15_000), ("js", 20_000)):
        files = sorted((ROOT / "static" / folder).rglob(f"*.{folder}"))
        assert sum(len(gzip.compress(path.read_bytes())) for path in files) < most, folder


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_have_hashes_and_no_addresses(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    pinned = re.findall(r"^[a-z0-9][^ ]*==[^ ]+", text, flags=re.MULTILINE)
    assert len(pinned) > 30
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_templates_have_nothing_inline() -> None:
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"|<script(?![^>]*\ssrc=)|hx-on|javascript:", text), path


def test_every_string_of_a_template_goes_through_the_catalogue() -> None:
    """Words between tags that are neither an expression nor a known name."""
    allowed = {"Loci", "aria", "describedby", "invalid"}
    for path in (ROOT / "templates").rglob("*.html"):
        text = re.sub(r"{% block (main_class|layout) %}.*?{% endblock %}", " ", path.read_text())
        text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}|<(script|svg|noscript|code).*?</\1>", " ", text, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>|[a-z-]+=\"[^\"]*\"", "\n", text)
        words = set(re.findall(r"[A-Za-z]{3,}", text)) - allowed
        assert not words, f"{path}: {words}"


def test_decisions_fit_a_page() -> None:
    for path in (ROOT / "docs" / "decisions").glob("*.md"):
        assert len(path.read_text().splitlines()) <= 60, path
