from __future__ import annotations

import json

import pytest

from app.core import logs


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]):
    logs.configure("info", "json")
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    logs.configure("warning", "text")


def test_a_line_is_json_with_its_fields(lines) -> None:
    logs.get_logger("test").info("deck_created", deck_id=7)
    (line,) = lines()
    assert (line["event"], line["deck_id"], line["level"]) == ("deck_created", 7, "info")
    assert line["timestamp"].endswith("Z")


def test_a_failure_is_logged_without_its_words(lines) -> None:
    try:
        raise ValueError("the secret of Alice")
    except ValueError:
        logs.get_logger("test").error("broken", exc_info=True)
    (line,) = lines()
    assert line["error"] == "builtins.ValueError"
    assert "test_logs.py" in line["frames"][-1]
    assert "Alice" not in json.dumps(line)


def test_a_request_id_of_the_caller_is_kept_when_it_is_well_formed() -> None:
    assert logs.request_id("abc-12345678") == "abc-12345678"
    for bad in (None, "", "short", "with space and more", "x" * 65, 'quote"quote', "line\nline1234"):
        assert logs.request_id(bad).startswith("req_")
