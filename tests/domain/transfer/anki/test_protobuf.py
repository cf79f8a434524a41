from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.transfer.anki import protobuf


def test_the_example_of_the_specification() -> None:
    """https://protobuf.dev/programming-guides/encoding/: `150` in field 1, `testing` in field 2."""
    assert protobuf.fields(bytes.fromhex("089601")) == [(1, 150)]
    found = protobuf.fields(bytes.fromhex("120774657374696e67"))
    assert protobuf.text(found, 2) == "testing"


def test_the_last_of_a_field_counts_and_none_is_nothing() -> None:
    found = protobuf.fields(b"\x08\x01\x08\x02")
    assert protobuf.number(found, 1) == 2
    assert protobuf.number(found, 9, 7) == 7
    assert protobuf.content(found, 1) == b""


@pytest.mark.parametrize(
    "message", [b"\x08", b"\x08" + b"\xff" * 11, b"\x0a\x05abc", b"\x0b", b"\x0c", b"\x0d\x00", b"\x09", b"\x00\x00"]
)
def test_a_message_that_breaks_off_or_is_none_is_refused(message: bytes) -> None:
    with pytest.raises(InvalidInput):
        protobuf.fields(message)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(message: bytes) -> None:
    try:
        found = protobuf.fields(message)
    except InvalidInput:
        return
    assert sum(len(value) for _, value in found if isinstance(value, bytes)) <= len(message)
