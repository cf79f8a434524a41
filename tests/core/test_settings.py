from __future__ import annotations

import re
import stat
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.settings import Settings, SettingsError, variable_of

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "settings.md"


def read(**environment: str) -> Settings:
    return Settings.read(environment, dotenv=None)


def test_without_any_setting_it_serves_on_loopback() -> None:
    settings = read()
    assert (settings.host, settings.port, settings.base_url) == ("127.0.0.1", 8000, "http://127.0.0.1:8000")
    assert settings.plans
    assert not settings.secure_cookies


def test_the_public_address_wins_and_loses_its_last_slash() -> None:
    settings = read(LOCI_PUBLIC_URL="https://loci.example.org/")
    assert settings.base_url == "https://loci.example.org"
    assert settings.secure_cookies


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LOCI_PORT", "http"),
        ("LOCI_PORT", "70000"),
        ("LOCI_WORKERS", "0"),
        ("LOCI_PLANS", "perhaps"),
        ("LOCI_PUBLIC_URL", "loci.example.org"),
        ("LOCI_PUBLIC_URL", "https://user@loci.example.org"),
        ("LOCI_PUBLIC_URL", "https://loci.example.org/path"),
        ("LOCI_SMTP_URL", "mail.example.org"),
        ("LOCI_SECRET_KEY", "short"),
        ("LOCI_LOG_LEVEL", "loud"),
        ("LOCI_PLAN_FIGURES", "free.decks=many"),
        ("LOCI_NO_SUCH", "1"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        read(**{variable: value})


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("LOCI_PORT=9001\nLOCI_HOST=0.0.0.0\nOTHER=1\n")
    settings = Settings.read({"LOCI_PORT": "9002"}, dotenv)
    assert (settings.port, settings.host) == (9002, "0.0.0.0")


def test_a_secret_key_is_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    settings = read(LOCI_DATA_DIR=str(tmp_path / "new"))
    key = settings.signing_key()
    assert len(key) == 64
    assert settings.signing_key() == key
    assert stat.S_IMODE((tmp_path / "new" / "secret.key").stat().st_mode) == 0o600


def test_the_page_of_settings_lists_each_with_its_default_and_its_sentence() -> None:
    text = DOCUMENT.read_text()
    documented = set(re.findall(r"^\| `(LOCI_[A-Z_]+)` \|", text, flags=re.MULTILINE))
    assert documented == {variable_of(item) for item in fields(Settings)}
    for item in fields(Settings):
        assert item.metadata["help"] in text, variable_of(item)
