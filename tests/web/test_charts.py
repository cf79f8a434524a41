"""Drawings as text: sound XML, nothing inline, sizes that say what the numbers say."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from app.ui.charts import Bar, Cell, Part, columns, heatmap, nice_ceiling, shares

SVG = "{http://www.w3.org/2000/svg}"
values = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=40)


def drawn(text: str) -> ET.Element:
    root = ET.fromstring(str(text).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))  # noqa: S314 - our own
    assert "style" not in text
    assert "<script" not in text
    titles = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
    assert root.attrib["aria-labelledby"].split() == [part.attrib["id"] for part in titles if part is not None]
    assert root.attrib["role"] == "img"
    return root


def heights(root: ET.Element, kind: str) -> list[float]:
    return [float(rect.attrib["height"]) for rect in root.iter(f"{SVG}rect") if rect.attrib["class"] == kind]


@given(values)
def test_columns_are_as_high_as_their_numbers(pairs: list[tuple[int, int]]) -> None:
    bars = [Bar(f"day {n} < & >", (Part("low", a), Part("high", b))) for n, (a, b) in enumerate(pairs)]
    root = drawn(columns("c", "A & B", "<desc>", bars))
    top = nice_ceiling(max((a + b for a, b in pairs), default=0))
    assert len(heights(root, "target")) == len(pairs)
    for kind, numbers in (("low", [a for a, _ in pairs if a]), ("high", [b for _, b in pairs if b])):
        found = heights(root, kind)
        assert len(found) == len(numbers)
        assert all(abs(height - 100 * number / top) < 0.06 for height, number in zip(found, numbers, strict=True))


@given(st.tuples(*[st.integers(0, 900)] * 4))
def test_shares_fill_the_whole_bar_or_nothing(counts: tuple[int, ...]) -> None:
    parts = tuple(Part(kind, count) for kind, count in zip("abcd", counts, strict=True))
    root = drawn(shares("s", "title", "description", Bar("tip", parts)))
    widths = [float(r.attrib["width"]) for r in root.iter(f"{SVG}rect") if r.attrib["class"] != "ground"]
    assert len(widths) == sum(map(bool, counts))
    assert not widths or abs(sum(widths) - 100) < 0.2


@given(st.lists(st.none() | st.integers(0, 4), max_size=380))
def test_a_heat_map_has_a_cell_for_each_day_in_its_week(levels: list[int | None]) -> None:
    root = drawn(heatmap("h", "t", "d", [None if level is None else Cell(level, "tip") for level in levels]))
    found = [
        (int(rect.attrib["x"]) // 12 * 7 + int(rect.attrib["y"]) // 12, rect.attrib["class"])
        for rect in root.iter(f"{SVG}rect")
    ]
    assert found == [(place, f"heat-{level}") for place, level in enumerate(levels) if level is not None]


@given(st.floats(0, 1e9))
def test_an_axis_ends_at_a_round_number_not_far_above(value: float) -> None:
    top = nice_ceiling(value)
    assert top >= value
    assert top <= max(1, 2 * value)
    assert str(top).rstrip("0") in set("1234568")
