"""The plan table is the published one, and an operator may change its figures."""

from __future__ import annotations

from dataclasses import astuple, fields

import pytest

from app.domain.plans import Feature, Plan, PlanLimits, check_overrides, effective_plan, includes, limits_for


def test_the_table_holds_the_published_figures() -> None:
    assert astuple(limits_for(Plan.FREE)) == (20, 2_000, 200, 60, 30, False, False)
    assert astuple(limits_for(Plan.PLUS)) == (200, 20_000, 5_000, 120, 60, True, True)
    assert astuple(limits_for(Plan.PRO)) == (2_000, 200_000, 50_000, 300, 150, True, True)


def test_every_feature_is_a_row_of_the_table() -> None:
    assert {feature.value for feature in Feature} == {item.name for item in fields(PlanLimits) if item.type == "bool"}


@pytest.mark.parametrize("feature", Feature)
def test_free_lacks_what_plus_and_pro_include(feature: Feature) -> None:
    assert [includes(plan, feature) for plan in Plan] == [False, True, True]


def test_everybody_is_pro_where_plans_are_off() -> None:
    for plan in Plan:
        assert effective_plan(plan, plans_on=False) is Plan.PRO
        assert effective_plan(plan) is plan
        assert limits_for(plan, plans_on=False) == limits_for(Plan.PRO)
        assert includes(plan, Feature.AI_WRITE, plans_on=False)


@pytest.mark.parametrize(
    "overrides", [{"free.decks": 50, "free.ai_write": 1}, (("free.decks", 50), ("free.ai_write", 1))]
)
def test_an_operator_changes_figures_of_one_plan(overrides: dict[str, int] | tuple[tuple[str, int], ...]) -> None:
    assert limits_for(Plan.FREE, overrides).decks == 50
    assert limits_for(Plan.FREE, overrides).ai_write is True
    assert includes(Plan.FREE, Feature.AI_WRITE, overrides)
    assert not includes(Plan.FREE, Feature.OWN_PARAMETERS, overrides)
    assert limits_for(Plan.PLUS, overrides) == limits_for(Plan.PLUS)
    assert limits_for(Plan.FREE).decks == 20


@pytest.mark.parametrize("name", [f"{plan}.{item.name}" for plan in Plan for item in fields(PlanLimits)])
def test_every_figure_may_be_changed(name: str) -> None:
    plan, _, limit = name.partition(".")
    assert getattr(limits_for(Plan(plan), {name: 1}), limit) == 1


@pytest.mark.parametrize(
    "overrides",
    [
        {"gold.decks": 1},
        {"free.shelves": 1},
        {"free": 1},
        {"free.ai_write": 2},
        {"free.burst": 0},
        {"free.cards": -1},
        {"free.cards": 2**31},
    ],
)
def test_a_figure_that_the_table_does_not_have_is_refused(overrides: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="takes"):
        check_overrides(overrides)
    with pytest.raises(ValueError, match="takes"):
        limits_for(Plan.FREE, overrides)
