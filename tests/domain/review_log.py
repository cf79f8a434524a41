"""The real review log of `tests/data/fsrs`, as answers by card and in order of time."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

from app.domain.fitting import Answer
from app.domain.scheduling import Rating, State

_FILE = Path(__file__).parent.parent / "data" / "fsrs" / "review_log.csv"


def real_answers() -> list[Answer]:
    """Each card's first answer is to a new card, the others to a card in review: the log does not say."""
    with _FILE.open(newline="") as file:
        rows = [
            (int(row["card_id"]), datetime.fromisoformat(row["review_time"]), Rating(int(row["review_rating"])))
            for row in csv.DictReader(file)
        ]
    seen: set[int] = set()
    answers: list[Answer] = []
    for card_id, reviewed_at, rating in sorted(rows):
        answers.append(Answer(card_id, rating, State.REVIEW if card_id in seen else State.NEW, reviewed_at))
        seen.add(card_id)
    return answers
