"""From measured times to figures: medians, percentiles, ratios, a table and a mapping for JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.subjects import Subject

CALLERS = 16
AIM_TAIL = 3.0
BARE = "bare SDK server"


@dataclass(slots=True)
class Times:
    """Milliseconds of one subject: of one caller, of sixteen, and of its SQL alone."""

    one: list[float] = field(default_factory=list[float])
    many: list[float] = field(default_factory=list[float])
    sql: list[float] = field(default_factory=list[float])
    cpu: float = 0.0
    """Processor time of the server's own process over all calls, without PostgreSQL's."""

    @property
    def cpu_of_one(self) -> float:
        return self.cpu / (len(self.one) + len(self.many))


@dataclass(frozen=True, slots=True)
class Figures:
    """One line of the table; all times in milliseconds."""

    name: str
    median: float
    p99: float
    to_bare: float
    cpu: float
    cpu_to_bare: float
    sql_median: float | None
    to_sql: float | None
    median_16: float
    p99_16: float
    tail_16: float
    calls: int
    aim: str
    met: bool | None
    tail_met: bool


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def figures_of(name: str, times: Times, bare: Times, subject: Subject | None) -> Figures:
    median, bare_median = statistics.median(times.one), statistics.median(bare.one)
    sql_median = statistics.median(times.sql) if times.sql else None
    median_16, p99_16 = statistics.median(times.many), percentile(times.many, 0.99)
    aim, met = _aim(subject, median, median / bare_median)
    return Figures(
        name=name,
        median=median,
        p99=percentile(times.one, 0.99),
        to_bare=median / bare_median,
        cpu=times.cpu_of_one,
        cpu_to_bare=times.cpu_of_one / bare.cpu_of_one,
        sql_median=sql_median,
        to_sql=median / sql_median if sql_median else None,
        median_16=median_16,
        p99_16=p99_16,
        tail_16=p99_16 / median_16,
        calls=len(times.one) + len(times.many),
        aim=aim,
        met=met,
        tail_met=p99_16 <= AIM_TAIL * median_16,
    )


def _aim(subject: Subject | None, median: float, to_bare: float) -> tuple[str, bool | None]:
    if subject is not None and subject.aim_ms is not None:
        return f"< {subject.aim_ms:g} ms", median < subject.aim_ms
    if subject is not None and subject.aim_bare is not None:
        return f"<= {subject.aim_bare:g} bare", to_bare <= subject.aim_bare
    return "", None


_HEAD = (
    f"{'':<34}{'median':>8}{'p99':>8}{'/ bare':>8}{'CPU':>7}{'/ bare':>8}{'SQL':>8}{'/ SQL':>7}"
    f"{'16: med':>9}{'p99':>8}{'p99/med':>9}  aim"
)


def table(lines: Sequence[Figures]) -> str:
    """The figures as text, milliseconds; a missed aim ends in `missed`."""
    shown = [_HEAD, "-" * (len(_HEAD) + 16)]
    for line in lines:
        verdicts = [f"{line.aim} {'met' if line.met else 'missed'}"] if line.aim else []
        verdicts += [] if line.tail_met else [f"p99 <= {AIM_TAIL:g} medians missed"]
        sql = f"{line.sql_median:8.2f}" if line.sql_median else " " * 8
        to_sql = f"{line.to_sql:7.1f}" if line.to_sql else " " * 7
        shown.append(
            f"{line.name:<34}{line.median:8.2f}{line.p99:8.2f}{line.to_bare:8.2f}"
            f"{line.cpu:7.2f}{line.cpu_to_bare:8.2f}{sql}{to_sql}"
            f"{line.median_16:9.2f}{line.p99_16:8.2f}{line.tail_16:9.2f}  {'; '.join(verdicts)}".rstrip()
        )
    return "\n".join(shown)


def as_mapping(lines: Sequence[Figures]) -> list[dict[str, Any]]:
    return [asdict(line) for line in lines]
