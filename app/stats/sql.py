"""The statements behind the queries, each for a deck (True) and for a whole account (False)."""

from __future__ import annotations

from app.domain.scheduling import MAX_STABILITY, MIN_STABILITY
from app.domain.weak_cards import HIGH_DIFFICULTY, LOW_RETRIEVABILITY, MANY_AGAINS


def _day(instant: str, since: str, seconds: str) -> str:
    """The study day of an instant, as `DayShift` says."""
    place = f"greatest(1, width_bucket({instant}, {since}::timestamptz[]))"
    return f"floor((date_part('epoch', {instant}) + ({seconds}::float8[])[{place}]) / 86400)::int"


# $1 account, $2 and $3 from and to, $4 and $5 the shifts, $6 zone, and $7 deck. The two sources have the same columns.
_ACCOUNT_ANSWERS = "answer_count AS answers WHERE account_id = $1 AND quarter >= $2 AND quarter < $3"
_DECK_ANSWERS = """
(SELECT reviewed_at AS quarter, phase, (rating = 1)::int AS again, (rating = 2)::int AS hard, (rating = 3)::int AS good,
        (rating = 4)::int AS easy, coalesce(least(greatest(elapsed_ms, 0), 60000), 0)::bigint AS elapsed_ms,
        (elapsed_ms IS NOT NULL)::int AS timed
   FROM review
  WHERE account_id = $1 AND deck_id = $7 AND reviewed_at >= $2 AND reviewed_at < $3) AS answers
"""
_SUMS = f"""
SELECT day, phase, hour, sum(again) AS again, sum(hard) AS hard, sum(good) AS good, sum(easy) AS easy,
       sum(elapsed_ms)::bigint AS elapsed_ms, sum(timed) AS timed
  FROM (SELECT {_day("quarter", "$4", "$5")} AS day, phase, extract(hour FROM quarter AT TIME ZONE $6)::int AS hour,
               again, hard, good, easy, elapsed_ms, timed
          FROM {{answers}}) AS local
 GROUP BY GROUPING SETS ((day, phase), (hour)) HAVING sum(again + hard + good + easy) > 0 ORDER BY day, phase
"""  # noqa: S608 - constants only
# $1 account, $2 and $3 where study days start and end, $4 deck: the place of the first of them without an answer.
_GAP = """
SELECT min(n) AS gap FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS day (starts, ends, n)
 WHERE NOT EXISTS (SELECT FROM {answers} starts AND {instant} < ends{more})
"""
# $1 account, $2 today, $3 and $4 the shifts, $5 factor and $6 exponent of the forgetting curve, and more by statement.
_STUDIED = f"""
SELECT *, power(1 + $5::float8 * greatest(0, $2::int - last_day)
                    / least(greatest(stability, {MIN_STABILITY}::float8), {MAX_STABILITY}::float8),
                $6::float8) AS retrievability
  FROM (SELECT s.card_id, s.state, s.due, s.buried_until, s.leech, s.lapses, s.stability, s.difficulty,
               {_day("s.due", "$3", "$4")} AS due_day, {_day("s.last_review", "$3", "$4")} AS last_day
          FROM card_schedule AS s
         WHERE s.account_id = $1 AND s.active AND s.state > 0 {{narrowed}} OFFSET 0) AS days
"""  # noqa: S608 - constants only
# $7 the present moment, $8 the end of the study day, $9 the last day of the forecast.
_CARDS = f"""
SELECT greatest(-1, least(due_day - $2::int, $9::int)) AS ahead, count(*) AS cards,
       count(*) FILTER (WHERE state <> 2) AS learning,
       count(*) FILTER (WHERE state = 2 AND due_day - last_day >= 21) AS mature,
       count(*) FILTER (WHERE due < $8 AND (state = 2 OR due <= $7)
                                AND (buried_until IS NULL OR buried_until <= $7)) AS due_now,
       sum(retrievability) AS knowledge,
       sum(CASE WHEN state = 2 THEN 1 / greatest(1, due_day - last_day)::float8 ELSE 1 END) AS load
  FROM ({_STUDIED}) AS studied GROUP BY 1
"""  # noqa: S608 - constants only
_NEW = "SELECT count(*) AS new FROM card_schedule AS s WHERE s.account_id = $1 AND s.active AND s.state = 0"
# $7 since when Agains are recent, $8 how many cards, $9 and $10 as in `_long_ago`. The order is
# `app.domain.weak_cards.weakness`. What is cheap to compare goes first: of few cards the probability must be known.
_WEAK = f"""
WITH agains AS (
  SELECT card_id, count(*) AS agains FROM review
   WHERE account_id = $1 AND rating = 1 AND reviewed_at >= $7 {{again_of_deck}} GROUP BY card_id
), standing AS (
  SELECT studied.card_id, bool_or(leech) AS leech, max(lapses) AS lapses, min(retrievability) AS retrievability,
         max(difficulty) AS difficulty, max(coalesce(agains, 0)) AS agains
    FROM ({_STUDIED}) AS studied LEFT JOIN agains ON agains.card_id = studied.card_id
   GROUP BY studied.card_id
), weakest AS (
  SELECT *, leech::int + (agains >= {MANY_AGAINS})::int + (difficulty >= {HIGH_DIFFICULTY})::int
            + (retrievability < {LOW_RETRIEVABILITY})::int AS reasons
    FROM standing
   WHERE leech OR difficulty >= {HIGH_DIFFICULTY} OR agains >= {MANY_AGAINS}
      OR retrievability < {LOW_RETRIEVABILITY}
   ORDER BY reasons DESC, lapses DESC, agains DESC, retrievability, card_id LIMIT $8
)
SELECT weakest.*, card.deck_id, deck.title AS deck_title, card.front, coalesce(card.language, deck.language) AS language
  FROM weakest
  JOIN card ON card.account_id = $1 AND card.id = weakest.card_id
  JOIN deck ON deck.account_id = $1 AND deck.id = card.deck_id
 ORDER BY reasons DESC, lapses DESC, agains DESC, retrievability, card_id
"""  # noqa: S608 - constants only


# Every question that could give a card a reason comes through.
_SUSPECT = f"""
AND (s.leech OR s.difficulty >= {HIGH_DIFFICULTY}::float8
     OR date_part('epoch', s.last_review) < $9::float8 - $10::float8 * s.stability
     OR s.card_id IN (SELECT card_id FROM agains))
"""  # noqa: S608 - constants only

SUMS = {True: _SUMS.format(answers=_DECK_ANSWERS), False: _SUMS.format(answers=_ACCOUNT_ANSWERS)}
GAP = {
    True: _GAP.format(
        answers="review WHERE account_id = $1 AND deck_id = $4 AND reviewed_at >=", instant="reviewed_at", more=""
    ),
    False: _GAP.format(
        answers="answer_count WHERE account_id = $1 AND quarter >=",
        instant="quarter",
        more=" AND again + hard + good + easy > 0",
    ),
}
CARDS = {True: _CARDS.format(narrowed="AND s.deck_id = $10"), False: _CARDS.format(narrowed="")}
NEW = {True: _NEW + " AND s.deck_id = $2", False: _NEW}
WEAK = {
    True: _WEAK.format(narrowed=f"AND s.deck_id = $11 {_SUSPECT}", again_of_deck="AND deck_id = $11"),
    False: _WEAK.format(narrowed=_SUSPECT, again_of_deck=""),
}
