"""What is said about the cards of a package: problems and warnings, the first of each kind and a count of the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from app.domain.errors import N_
from app.domain.transfer.bundle import Line
from app.domain.transfer.rows import Problem, Reason

EACH_MAX: Final = 200
"""Lines of one message."""

MORE: Final = N_("From here on there are %(count)d more of these.")


@dataclass(slots=True)
class _Rest:
    first: Problem
    count: int = 0


@dataclass(slots=True)
class Notices:
    """Collects lines; `take` gives those since the last time, `rest` at the end how many were not said one by one."""

    _waiting: list[Line] = field(default_factory=list[Line])
    _counts: dict[tuple[bool, str], int] = field(default_factory=dict[tuple[bool, str], int])
    _rest: dict[tuple[bool, str], _Rest] = field(default_factory=dict[tuple[bool, str], _Rest])

    def problem(self, place: int, reason: Reason, message: str, **params: object) -> None:
        self._add(Problem(place, reason, message, params), taken=False)

    def warning(self, place: int, reason: Reason, message: str, **params: object) -> None:
        self._add(Problem(place, reason, message, params), taken=True)

    def take(self) -> list[Line]:
        lines, self._waiting = self._waiting, []
        return lines

    def rest(self) -> list[Line]:
        """The reason of each is that of the lines it continues."""
        lines = self.take()
        for (taken, _), rest in self._rest.items():
            problem = Problem(rest.first.line, rest.first.reason, MORE, {"count": rest.count})
            lines.append(_line(problem, taken=taken))
        return lines

    def _add(self, problem: Problem, *, taken: bool) -> None:
        key = taken, problem.message
        self._counts[key] = self._counts.get(key, 0) + 1
        if self._counts[key] <= EACH_MAX:
            self._waiting.append(_line(problem, taken=taken))
        else:
            self._rest.setdefault(key, _Rest(problem)).count += 1


def _line(problem: Problem, *, taken: bool) -> Line:
    return Line(warning=problem) if taken else Line(problem=problem)
