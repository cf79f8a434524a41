from __future__ import annotations

from app.core.signing import Signer

KEY = b"k" * 32


def test_a_signed_value_comes_back() -> None:
    signer = Signer(KEY, "flash")
    assert signer.read(signer.sign([["good", "Saved.", {}]]), 60) == [["good", "Saved.", {}]]


def test_anything_else_is_nothing() -> None:
    signer = Signer(KEY, "flash")
    signed = signer.sign({"a": 1})
    for text in (None, "", "x", signed[:-1], signed + "x", Signer(KEY, "challenge").sign({"a": 1})):
        assert signer.read(text, 60) is None
    assert Signer(b"x" * 32, "flash").read(signed, 60) is None


def test_an_old_value_is_nothing() -> None:
    signer = Signer(KEY, "flash")
    assert signer.read(signer.sign(1), -1) is None
