from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.transfer.package_writing import _Ids  # pyright: ignore[reportPrivateUsage]


@given(st.lists(st.integers(0, 30), max_size=60))
def test_every_id_is_taken_once_and_is_the_first_that_is_free(wanted: list[int]) -> None:
    ids, taken = _Ids(), set[int]()
    for one in wanted:
        expected = one
        while expected in taken:
            expected += 1
        assert ids.take(one) == expected
        taken.add(expected)


def test_a_hundred_thousand_equal_times_are_no_trouble() -> None:
    ids = _Ids()
    assert [ids.take(7) for _ in range(100_000)] == list(range(7, 100_007))
