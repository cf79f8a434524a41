"""The difference of two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.line_differences import Change, Line, difference

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=40).map("\n".join)


@given(LINES, LINES)
def test_both_texts_can_be_read_off_the_difference(before: str, after: str):
    lines = difference(before, after, context=1000)
    if before == after:
        assert lines == []
        return
    old = [line for line in lines if line.change in {Change.SAME, Change.REMOVED}]
    new = [line for line in lines if line.change in {Change.SAME, Change.ADDED}]
    assert "\n".join(line.text for line in old) == before
    assert "\n".join(line.text for line in new) == after
    assert [line.before for line in old] == list(range(1, len(old) + 1))
    assert [line.after for line in new] == list(range(1, len(new) + 1))


def test_lines_far_from_a_change_are_counted_only():
    before = "\n".join(map(str, range(20)))
    lines = difference(before, before.replace("10", "ten"))
    assert lines[0] == Line(Change.SKIPPED, "7", None, None)
    assert lines[-1] == Line(Change.SKIPPED, "6", None, None)
    assert [line.text for line in lines if line.change is not Change.SAME][1:3] == ["10", "ten"]


def test_texts_too_long_to_compare_are_replaced_as_a_whole():
    before, after = "\n".join(map(str, range(3000))), "\n".join(map(str, range(3000, 6000)))
    lines = difference("same\n" + before, "same\n" + after)
    assert lines[0].change is Change.SAME
    assert sum(line.change is Change.REMOVED for line in lines) == 3000
    assert sum(line.change is Change.ADDED for line in lines) == 3000
