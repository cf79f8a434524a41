"""Answers whose signs carry the meaning: formulas, code, commands, ions; and prose that looks a little like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.answer_forms import keys, shown
from app.domain.answers import Facts, understand
from app.domain.formulas import formula_keys, is_formula
from app.domain.grading import Verdict, grade

C, A, W = Verdict.CORRECT, Verdict.ALMOST, Verdict.WRONG

# expected, given, verdict
TABLE: list[tuple[str, str, Verdict]] = [
    # relations and operators
    ("x = y", "x != y", W), ("x != y", "x = y", W), ("x = y", "x=y", C), ("x ≠ y", "x != y", C), ("≠", "=", W),
    ("x ≤ y", "x <= y", C), ("x <= y", "x >= y", W), ("y = x", "x = y", W), ("a && b", "a & b", W),
    ("n!", "n", W), ("n", "n!", W), ("!a", "a", W), ("a", "!a", W), ("-x", "x", W), ("x", "-x", W),
    ("x - 1", "x 1", W), ("x - 1", "x - 1", C), ("2x - 1", "2x + 1", W), ("e^x", "e^-x", W), ("e^(-x)", "e^-x", C),
    ("E = mc²", "E=mc^2", C), ("E = mc²", "E = mc2", C), ("F = m·a", "F = ma", C), ("a × b", "a*b", C),
    ("A → B", "A -> B", C), ("i++", "++i", W), ("i--", "i", W), ("¬p", "p", W), ("p ∨ q", "p ∧ q", W),
    ("x = 2a / b", "b", W), ("x = 2a / b", "x = 2a/b", C), ("x = 1 / x = 2", "x = 2", C),
    ("x = (a + b)/2", "x = a + b/2", W), ("F (in newtons) = m·a", "F = ma", C),
    ("a = b", "= b", W), ("If x = 1, then y.", "if x=1 then y", C), ("a = b.", "a = b", C),
    # functions, indices, intervals, derivatives
    ("O(n)", "O(1)", W), ("O(n)", "O", W), ("O(n)", "o(n)", C), ("O(n log n)", "O(log n)", W), ("f(x)", "f[x]", W),
    ("a[i]", "a(i)", W), ("[a, b)", "[a, b]", W), ("[a, b]", "[a,b]", C), ("[a, b]", "(a, b)", W), ("f'(x)", "f(x)", W),
    ("f''", "f'", W), ("{a}", "[a]", W), ("{}", "[]", W), ("|x|", "x", W),
    # programs and commands
    ("C++", "C", W), ("C#", "C", W), ("*p", "p", W), ("a::b", "a:b", W), ("a ? b : c", "a b c", W),
    ("__init__", "init", W), ("ls -l", "ls l", W),
    ("ls -l", "ls -la", W), ("ls -l", "ls-l", W), ("--force", "force", W),
    # ions
    ("Cl-", "Cl", W), ("Cl⁻", "Cl", W), ("Na+", "Na", W), ("SO4^2-", "SO4", W),
    # a slip in a word of a formula, never in its signs
    ("force = mass × acceleration", "force = mass * aceleration", A),
    ("force = mass × acceleration", "force = mass / acceleration", W),
    # prose keeps its freedom
    ("Stop!", "stop", C), ("Hello, world!", "hello world", C), ("¿Qué?", "qué", C), ("well-known", "well known", C),
    ("colo(u)r", "color", C), ("actor(s)", "actors", C), ("s(he)", "she", C), ("a(n)", "an", C), ("(x)", "x", C),
    ("un-", "un", C), ("-ness", "ness", C), ("B-52", "B52", C), ("すごい！本当", "すごい本当", C), ("don't", "dont", C),
    ("U.S.", "US", C), ("H₂O", "H2O", C), ("a_1", "a1", C), ("either / or", "or", C), ("AT&T", "at&t.", C),
    ("Vitamin B12", "vitamin b-12", C), ("B-52", "b-52", C), ("I-95", "i-95", C), ("Cl-", "cl-", C), ("un-", "un", C),
    ("x-ray", "x ray", C), ("T-shirt", "tshirt", C), ("n-th root", "nth root", C), ("p < 0.05", "p<0.05", C),
    ("rock 'n' roll", "rock n roll", C), ("Mr. & Mrs. Smith", "mr & mrs smith", C), ("What?!", "what", C),
    ("F = ma (Newton)", "f=ma", C), ("24/7", "24/7", C), ("5 + 3", "5+3", C), ("Yes, it is!", "yes it is", C),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "typed", "verdict"), TABLE)
def test_the_signs_of_a_formula_are_part_of_the_answer(expected: str, typed: str, verdict: Verdict) -> None:
    assert grade(typed, Facts(1, 0, "front", expected, (), "en")).verdict is verdict


formulas = st.text(st.sampled_from("abxyzn019 =<>!+-*/^()[]{}|\\:_?,.'≠≤→·×²"), max_size=20).map(shown)


@given(formulas)
def test_a_formula_is_right_with_any_spaces_around_its_relations(form: str) -> None:
    wider, narrower = form.replace("=", " = "), form.replace(" = ", "=")
    for typed in map(shown, (wider, narrower)):
        if is_formula(form) and is_formula(typed):
            assert not formula_keys(form.lower()).isdisjoint(formula_keys(typed.lower()))


@given(formulas)
def test_no_sign_of_a_relation_can_be_left_out(form: str) -> None:
    for sign in "=<>!|":
        if sign in form and form.replace(sign, "").strip():
            other = understand(form.replace(sign, ""), "en")
            if not other.number and is_formula(form) and (sign != "!" or form.count("!") == form.count("!=")):
                assert keys(form, "en").isdisjoint(keys(other.forms[0], "en"))


def test_long_formulas_are_read_in_linear_time() -> None:
    for piece in ("a(", "a[", "x-", " -a", "!a", "f'(", "__", "^(", "a*", "(a, ", "= "):
        text = (piece * 20_000)[:20_000]
        assert grade(text, Facts(1, 0, "front", text, (), "en")).verdict is C
        assert grade(text + "x", Facts(1, 0, "front", "x = " + text[:10_000], (), "en")).verdict is W
