"""Numbers and dates as people write them on a card: what value a text has, and the same format with another value.

A text is read as a whole; a sentence with a number in it is none. A text that could be read in two ways is read as its
language writes: `1.000` is a thousand in German and one in English, `3/4/1999` is in March in American English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.domain.answer_forms import primary

_LONGEST: Final = 60
_NUMBER = re.compile(
    r"(?P<before>[$€£¥₩₹₽~≈<>≤≥±]{0,2} ?)(?P<sign>[-+]?)(?P<digits>\d(?:[\d.,' ]*\d)?)"
    r"(?P<after>(?:\D|(?<=[^\W\d_])\^?-?\d(?!\d)){0,24})"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|ère|o|a)\b", re.IGNORECASE)
_DECIMAL_COMMA: Final = frozenset(
    {"be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "gl", "hr", "hu", "id", "is", "it", "lt"}
    | {"lv", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi"}
)
_UNIT_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Number:
    """A number and how it is written. `unit` is whatever follows, without the space before it."""

    value: Decimal
    before: str
    sign: str
    whole_digits: int
    decimals: int
    mark: str
    """The decimal sign; the one of the language where there are no decimals."""
    grouping: str
    after: str
    unit: str

    @property
    def plain_value(self) -> str:
        """The value in digits without needless zeros; all of them, where arithmetic would round to 28."""
        text = f"{self.value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text

    @property
    def measure(self) -> tuple[str, str]:
        """What must be equal for two numbers to be compared: the sign before (a currency) and the unit."""
        unit = self.unit.replace("^", "").rstrip(".")
        return self.before.strip(), unit.casefold() if len(unit) > 3 else unit


def number_of(form: str, language: str | None) -> Number | None:
    """The number that a shown form is, with at most three words of a unit; None for anything else.

    `19th` and `2.5.3` are no numbers, nor is `007`: what begins with a needless zero is a code.
    """
    if len(form) > _LONGEST or not (match := _NUMBER.fullmatch(form)):
        return None
    after = match["after"]
    unit = after.strip(" ,;:!?")
    if len(unit.split()) > _UNIT_WORDS or _ORDINAL.match(after):
        return None
    plain = _plain_digits(match["digits"], primary(language) in _DECIMAL_COMMA)
    if plain is None:
        return None
    digits, mark, grouping = plain
    whole, _, decimals = digits.partition(".")
    if len(whole) > 1 and whole.startswith("0"):
        return None
    value = Decimal(digits)
    return Number(
        -value if match["sign"] == "-" else value,
        match["before"],
        match["sign"],
        len(whole),
        len(decimals),
        mark,
        grouping,
        after,
        unit,
    )


_GROUPS: Final = {sign: re.compile(rf"\d{{1,3}}(?:{re.escape(sign)}\d{{3}})+") for sign in " ',."}
_INDIAN_GROUPS = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")


def _plain_digits(digits: str, decimal_comma: bool) -> tuple[str, str, str] | None:
    """The digits with a point for the decimal sign, that sign, and the sign between groups."""
    usual_mark = "," if decimal_comma else "."
    signs = [sign for sign in digits if not sign.isdigit()]
    if not signs:
        return digits, usual_mark, ""
    last, others = signs[-1], set(signs[:-1])
    if last in ".,":
        whole, _, decimals = digits.rpartition(last)
        if not others:
            # One sign with three digits after it groups, unless the language has it for decimals.
            groups = _GROUPS[last].fullmatch(digits) and whole != "0" and last != usual_mark
            return (whole + decimals, usual_mark, last) if groups else (f"{whole}.{decimals}", last, "")
        if len(others) == 1 and last not in others:
            (grouping,) = others
            grouped = _GROUPS[grouping].fullmatch(whole) or (grouping == "," and _INDIAN_GROUPS.fullmatch(whole))
            return (f"{whole.replace(grouping, '')}.{decimals}", last, grouping) if grouped else None
    if set(signs) == {last} and (_GROUPS[last].fullmatch(digits) or (last == "," and _INDIAN_GROUPS.fullmatch(digits))):
        return digits.replace(last, ""), usual_mark, last
    return None


def written(number: Number, value: Decimal) -> str | None:
    """`value` in the format of `number`; None where it has more decimals than that."""
    scaled = value.scaleb(number.decimals)
    if scaled != scaled.to_integral_value():
        return None
    whole, _, decimals = f"{abs(value):.{number.decimals}f}".partition(".")
    # A space between groups is often left out of four digits.
    grouped_from = 4 if number.whole_digits >= 4 or number.grouping != " " else 5
    if number.grouping and len(whole) >= grouped_from:
        whole = f"{int(whole):,}".replace(",", number.grouping)
    sign = "-" if value < 0 else number.sign.replace("-", "")
    text = whole + (number.mark + decimals if decimals else "")
    return f"{number.before}{sign}{text}{number.after}"


Date = tuple[int, int, int]
"""Year, month, day; 0 for a year or a day that is not given."""

_MONTHS_BY_LANGUAGE: Final = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feber maerz apr mai jun jul aug sept okt nov dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
)
_MONTHS: Final = {name: month for names in _MONTHS_BY_LANGUAGE for month, name in enumerate(names.split(), start=1)}
_NUMERIC = re.compile(r"(\d{1,4}) ?([-/.]) ?(\d{1,2}) ?\2 ?(\d{1,4})")
_CJK_DATE = re.compile(r"(?:(\d{1,4}) ?[年년] ?)?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?")
_DAY = re.compile(r"(\d{1,4})(?:st|nd|rd|th|er)?")
_FILLERS: Final = frozenset({"of", "the", "de", "del", "den", "der", "le", "el", "il", "lo"})
_MONTH_FIRST_REGIONS: Final = frozenset({"", "US", "PH"})


def date_of(form: str, language: str | None) -> Date | None:
    """The date that a shown form is, numeric or with the month in words; None for anything else.

    Two parts are enough where the month is a word (`July 1789`, `3 March`) or has its sign (`7月14日`).
    """
    if len(form) > _LONGEST or not any(map(str.isdigit, form)):
        return None
    if match := _NUMERIC.fullmatch(form):
        return _numeric(match, language)
    if match := _CJK_DATE.fullmatch(form):
        year, month, day = match.groups("0")
        return _valid(int(year), int(month), int(day)) if year != "0" or day != "0" else None
    month, numbers = 0, list[int]()
    for token in form.lower().replace(",", " ").replace(".", " ").split():
        if token in _FILLERS:
            continue
        if token in _MONTHS and not month:
            month = _MONTHS[token]
        elif digits := _DAY.fullmatch(token):
            numbers.append(int(digits[1]))
        else:
            return None
    if not month or not 1 <= len(numbers) <= 2:
        return None
    if len(numbers) == 1:
        (number,) = numbers
        return _valid(0, month, number) if number <= 31 else _valid(number, month, 0)
    day, year = numbers if numbers[0] <= 31 else reversed(numbers)
    return _valid(year, month, day)


def _numeric(match: re.Match[str], language: str | None) -> Date | None:
    first, sign, second, last = match.groups()
    if len(first) >= 3:
        return _valid(int(first), int(second), int(last)) if len(last) <= 2 else None
    if len(last) < 3:
        return None
    day, month = int(first), int(second)
    region = (language or "").rpartition("-")[2].upper() if "-" in (language or "") else ""
    month_first = sign == "/" and primary(language) == "en" and region in _MONTH_FIRST_REGIONS
    if month > 12 or (month_first and day <= 12):
        day, month = month, day
    return _valid(int(last), month, day)


_LONGEST_MONTHS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _valid(year: int, month: int, day: int) -> Date | None:
    if not 1 <= month <= 12 or not 0 <= day <= _LONGEST_MONTHS[month - 1]:
        return None
    return year, month, day
