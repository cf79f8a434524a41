"""Rows of the stats area."""

from __future__ import annotations

from piccolo.columns import BigInt, Integer, SmallInt, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class AnswerCount(Table, tablename="answer_count", db=DB):
    """The answers of an account within a quarter of an hour, by the phase of their cards; kept by a trigger on review.

    Every time zone is a whole number of quarters off UTC, so a study day and an hour of the wall are sums of rows. The
    key is (account_id, quarter, phase); Piccolo wants one column of it named.
    """

    account_id = BigInt()
    quarter = Timestamptz(primary_key=True, default=None, help_text="Start of the quarter")
    phase = SmallInt(help_text="app.domain.statistics.Phase")
    again = Integer(default=0)
    hard = Integer(default=0)
    good = Integer(default=0)
    easy = Integer(default=0)
    elapsed_ms = BigInt(default=0, help_text="Sum over the timed answers")
    timed = Integer(default=0)
