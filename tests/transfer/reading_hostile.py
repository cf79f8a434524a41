"""Reads the packages that it is told, within limits of memory and time, and says of each what came of it."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from app.domain.errors import InvalidInput
from app.domain.scheduling import Schedule, State
from app.domain.transfer.bundle import Line, ReadOrder
from app.transfer.packages import read

MEMORY = 1_500 << 20
SECONDS = 60


def outcome(path: Path) -> dict[str, object]:
    counts: Counter[str] = Counter()
    said: dict[str, None] = {}
    try:
        for line in read(path, ReadOrder(path.name, datetime(2026, 1, 1, 12, tzinfo=UTC))):
            if isinstance(line, bytes):
                counts["bytes"] += len(line)
                continue
            counts.update(name for name in ("deck", "card", "media", "end") if getattr(line, name) is not None)
            notice = line.problem or line.warning
            if notice:
                counts["problem" if line.problem else "warning"] += 1
                said[str(notice)] = None
            check(line)
    except InvalidInput as error:
        return {"refused": str(error)}
    return {"counts": counts, "said": list(said)[:20]}


def check(line: Line) -> None:
    """A schedule that is none raises."""
    for each in line.card.questions if line.card else ():
        Schedule(
            State(each.state), each.step, each.due, each.stability, each.difficulty, each.last_review, each.reps,
            each.lapses,
        )  # fmt: skip


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for name in sys.argv[1:]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, hard))
        found = outcome(Path(name))
        after = resource.getrusage(resource.RUSAGE_SELF)
        found["seconds"] = round(after.ru_utime - used.ru_utime, 2)
        found["megabytes"] = after.ru_maxrss >> 10
        found["left"] = sorted(path.name for path in Path(tempfile.gettempdir()).iterdir())
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
