"""Tables as people bring them: what becomes a card, and the line and reason of what does not."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.domain.cards import clean_text
from app.domain.errors import InvalidInput
from app.domain.transfer.columns import is_header
from app.domain.transfer.delimited import parse_delimited
from app.domain.transfer.records import records
from app.domain.transfer.rows import Limits, Parsed, Reason

DATA = Path(__file__).parents[2] / "data" / "text"


def _sides(parsed: Parsed) -> list[tuple[int, str, str]]:
    return [(row.line, row.front, row.back) for row in parsed.rows]


def _reasons(parsed: Parsed) -> list[tuple[int, Reason]]:
    return [(problem.line, problem.reason) for problem in parsed.problems]


def test_a_front_may_begin_with_a_number_sign_and_have_two_lines() -> None:
    parsed = parse_delimited('front,back\n"L1\nL2",A\n#include?,B\n')
    assert _sides(parsed) == [(2, "L1\nL2", "A"), (4, "#include?", "B")]
    assert (parsed.problems, parsed.warnings, parsed.header_used, parsed.separator) == ((), (), True, ",")


def test_a_byte_order_mark_before_a_quoted_header_is_no_part_of_it() -> None:
    for content in ('\ufeff"front","back"\n"a","b"', '\ufeff"front","back"\r\n"a","b"'.encode()):
        parsed = parse_delimited(content)
        assert (_sides(parsed), parsed.header_used) == ([(2, "a", "b")], True)


@pytest.mark.parametrize("text", ["a <producer> b", "for i<n; x>0", r"\(x<y\) and 5 < 6", "<b>bold</b>", "&amp; &lt;"])
def test_text_that_looks_like_html_stays_text(text: str) -> None:
    row = parse_delimited(f'front,back\n"{text}","{text}"\n').rows[0]
    assert (row.front, row.back, row.front_rich, row.back_rich) == (text, text, None, None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_line_ends_make_no_difference(end: str, encoding: str) -> None:
    content = end.join(["表,裏", '"一\n二",é', "", "x,\0y"]).encode(encoding)
    assert _sides(parse_delimited(content)) == [(2, "一\n二", "é"), (5, "x", "y")]


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    for content in (b"a,b\nc,\xff\n", "﻿a,b\nc".encode("utf-16-le") + b"\x00\xd8"):
        with pytest.raises(InvalidInput) as caught:
            parse_delimited(content)
        assert caught.value.params["line"] == 2
        assert caught.value.field == "content"


@pytest.mark.parametrize(
    ("first", "header"),
    [
        ("Question,Answer", True),
        ("term;definition", True),
        ("  FRONT \t Back", True),
        ("Vorderseite,Rückseite,Schlagwörter", True),
        ("recto,verso", True),
        ("Pregunta,Respuesta", True),
        ("anverso|reverso", True),
        ("表面,裏面,タグ", True),
        ("질문,답변", True),
        ("単語,意味", True),
        ("back,tags,front", True),
        ("front,tags", False),
        ("to answer a question,to define a term", False),
        ("front of house,back of house", False),
    ],
)
def test_a_header_is_known_by_its_names(first: str, header: bool) -> None:
    parsed = parse_delimited(first + "\n")
    assert parsed.header_used is header


def test_columns_stand_in_any_order_and_the_unknown_are_left_out_with_a_warning() -> None:
    parsed = parse_delimited("id,tags,Answer,deck,Question\n1,t u,a,D::E,q\n")
    row = parsed.rows[0]
    assert (row.front, row.back, row.tags, row.deck) == ("q", "a", ("t", "u"), "D::E")
    assert parsed.columns == ("", "tags", "back", "deck", "front")
    assert [(w.reason, w.params) for w in parsed.warnings] == [(Reason.LEFT_OUT, {"places": "1"})]


def test_columns_and_header_can_be_given() -> None:
    text = "x,y,z\n1,2,3\n"
    named = parse_delimited(text, columns=["back", "", "front"], has_header=True)
    assert [(row.line, row.front, row.back) for row in named.rows] == [(2, "3", "1")]
    assert len(parse_delimited("front,back\na,b", has_header=False).rows) == 2
    assert [row.tags for row in parse_delimited("a,b,c d", columns=["front", "back", "tags"]).rows] == [("c", "d")]


@pytest.mark.parametrize("columns", [["front"], ["front", "back", "front"], ["front", "back", "nonsense"], []])
def test_columns_that_make_no_card_are_refused(columns: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_delimited("a,b", columns=columns)
    assert caught.value.field == "columns"


@pytest.mark.parametrize("separator", ["ab", '"', "\n", "\r"])
def test_what_can_be_no_separator_is_refused(separator: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_delimited("a,b", separator=separator)
    assert caught.value.field == "separator"


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("Guten Tag, Herr X\thello, sir\nja, bitte\tyes, please\n", "\t"),
        ("eins, zwei;one, two\ndrei;three\n", ";"),
        ("one; two,eins; zwei\nthree,drei\n", ","),
        ("a|b\nc,d|e\n", "|"),
        ("front;back\n1,5;2,5\n3,5;4,5\n", ";"),
        ('"a,b",c\n"d;e;f",g\n', ","),
        ("nothing here\n", "\t"),
    ],
)
def test_the_separator_is_what_most_rows_agree_on(text: str, separator: str) -> None:
    assert parse_delimited(text).separator == separator


def test_every_row_that_is_no_card_is_named_by_its_line() -> None:
    parsed = parse_delimited((DATA / "ragged.csv").read_bytes())
    assert _sides(parsed) == [(2, "one", "1"), (6, "five", "5"), (7, '"six" sides', "hexagon"), (8, "seven", 'say "7"')]
    assert _reasons(parsed) == [
        (3, Reason.TOO_MANY_FIELDS),
        (4, Reason.MISSING_SIDE),
        (5, Reason.UNCLOSED_QUOTE),
    ]
    assert not any("four" in str(problem) for problem in parsed.problems)


def test_a_german_spreadsheet() -> None:
    parsed = parse_delimited((DATA / "excel_german.csv").read_bytes())
    assert [(row.line, row.front, row.back, row.tags) for row in parsed.rows] == [
        (3, "Pi", "3,14", ("zahl",)),
        (4, "Zeile 1\nZeile 2", 'sagt "ja"; nein', ("a", "b")),
    ]
    assert (parsed.problems, parsed.separator, parsed.header_used) == ((), ";", True)


def test_unicode_text_of_a_spreadsheet() -> None:
    parsed = parse_delimited((DATA / "excel_unicode.txt").read_bytes())
    assert [(row.line, row.front, row.back, row.tags) for row in parsed.rows] == [
        (2, "猫", "ねこ", ("動物", "N5")),
        (3, "二\n行", "はい", ()),
    ]


def test_an_export_of_ankis() -> None:
    parsed = parse_delimited((DATA / "anki_notes.txt").read_bytes())
    run, loop, paris = parsed.rows
    assert (run.front, run.front_rich, run.back, run.back_rich) == (
        "to run",
        "to <strong>run</strong>",
        "courir (v.)",
        "courir&nbsp;<em>(v.)</em>",
    )
    assert (run.tags, run.deck, run.guid, run.line) == (("verb", "unit::1"), "Languages::French", "k1~abc", 7)
    assert (loop.front, loop.back, loop.back_rich) == ('for i<n; x>0\ntwo "lines"', "loop", None)
    assert (paris.front, paris.back) == ("{{c1::Paris::city}} lies on the {{c2::Seine}}", "Paris lies on the Seine")
    assert parsed.problems == ()
    assert [(warning.line, warning.reason, str(warning)) for warning in parsed.warnings] == [
        (8, Reason.CHANGED, "removed tags from backRich: img.")
    ]


def test_header_lines_of_ankis_count_at_the_very_start_only() -> None:
    text = "#separator:;\n#tags:all new\n#columns:Back;Front;tags\n#deck:D\nb;f;t new\n#html:true;<b>x</b>\n"
    parsed = parse_delimited(text)
    assert [(r.line, r.front, r.back, r.tags, r.deck) for r in parsed.rows] == [
        (5, "f", "b", ("t", "new", "all"), "D"),
        (6, "<b>x</b>", "#html:true", ("all", "new"), "D"),
    ]
    assert parse_delimited("#hashtag:a\tb\n#define\tx\n").rows[0].front == "#hashtag:a"
    assert parse_delimited("#html:maybe,b\n").rows[0].front == "#html:maybe"


@pytest.mark.parametrize("name", ["Comma", "comma", ",", "tab", "\t", "Pipe", "semicolon", "colon", "space", " "])
def test_ankis_names_of_separators(name: str) -> None:
    character = {"comma": ",", "tab": "\t", "pipe": "|", "semicolon": ";", "colon": ":", "space": " "}.get(
        name.lower(), name
    )
    assert _sides(parse_delimited(f"#separator:{name}\na{character}b\n")) == [(2, "a", "b")]


@pytest.mark.parametrize(
    ("cell", "chosen", "tags"),
    [
        ("a b", None, ("a", "b")),
        ('"a b, c"', None, ("a b", "c")),
        ('"a, b"', None, ("a", "b")),
        ("a b", "comma", ("a b",)),
        ('"a,b c"', "space", ("a,b", "c")),
        ("", None, ()),
    ],
)
def test_tags_have_spaces_or_commas_between_them(cell: str, chosen, tags: tuple[str, ...]) -> None:
    assert parse_delimited(f"front,back,tags\nf,b,{cell}\n", tag_separator=chosen).rows[0].tags == tags


def test_a_third_column_without_a_name_is_tags_only_if_it_can_be() -> None:
    assert parse_delimited("a,b,t1\nc,d,t2 t3\n").columns == ("front", "back", "tags")
    sentence = "an example sentence that has very many more words in it than a card can ever have tags"
    assert parse_delimited(f"a,b,{sentence}\n").columns == ("front", "back", "")


def test_what_the_rules_of_cards_refuse_is_refused_by_line() -> None:
    long = "x" * 1001
    parsed = parse_delimited(
        f"front,back,tags\n{long},b,\na,{long * 4},\na,b,{'t ' * 13}\na,b,{'t' * 41}\n\u200b,b,\na,b\ud800,\nok,ok,\n"
    )
    assert [row.front for row in parsed.rows] == ["ok"]
    assert _reasons(parsed) == [(line, Reason.INVALID_TEXT) for line in range(2, 8)]
    assert "1000" in str(parsed.problems[0])
    assert "xxx" not in " ".join(map(str, parsed.problems))


def test_limits_are_problems_and_no_exceptions() -> None:
    parsed = parse_delimited("a,b\n" * 10, limits=Limits(rows=3, front=5, back=5))
    assert len(parsed.rows) == 3
    assert [(p.line, p.reason, p.params["count"]) for p in parsed.problems] == [(4, Reason.TOO_MANY_ROWS, 7)]
    parsed = parse_delimited("a,b\nlonger,b\n", limits=Limits(front=5))
    assert _reasons(parsed) == [(2, Reason.INVALID_TEXT)]
    parsed = parse_delimited("a,b\n" + "x\n" * 10, limits=Limits(problems=2))
    assert [(p.line, p.reason) for p in parsed.problems] == [
        (2, Reason.MISSING_SIDE),
        (3, Reason.MISSING_SIDE),
        (4, Reason.MORE),
    ]
    assert parsed.problems[-1].params == {"count": 8}


@pytest.mark.parametrize("content", ["", b"", "\n\n", "\ufeff", b"\xff\xfe", "#separator:tab", "sep=;"])
def test_an_empty_file_has_no_rows_and_no_problems(content: bytes | str) -> None:
    parsed = parse_delimited(content)
    assert (parsed.rows, parsed.problems) == ((), ())


def _survives(text: str) -> bool:
    try:
        return bool(clean_text(text, "front", 1000))
    except InvalidInput:
        return False


class _Semicolons(csv.excel):
    delimiter = ";"


class _Pipes(csv.unix_dialect):
    delimiter = "|"


DIALECTS = [csv.excel, csv.excel_tab, csv.unix_dialect, _Semicolons, _Pipes]
cells = st.text(
    st.one_of(st.sampled_from(list("ab,;|\t\"' #\n\r:é한<>&{}")), st.characters(exclude_categories=["Cs", "Cc"])),
    min_size=1,
    max_size=15,
).filter(_survives)


def _written(rows: list[tuple[str, ...]], dialect: type[csv.Dialect], quoting: int) -> str:
    out = io.StringIO()
    csv.writer(out, dialect, quoting=quoting).writerows(rows)
    return out.getvalue()


tables = st.lists(st.tuples(cells, cells), min_size=1, max_size=6)


@given(tables, st.sampled_from(DIALECTS), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
def test_what_a_csv_writer_wrote_is_read_back(
    rows: list[tuple[str, str]], dialect: type[csv.Dialect], quoting: int
) -> None:
    # The writer quotes a lone CR only where it quotes everything or ends its lines with one.
    quotes_cr = quoting == csv.QUOTE_ALL or "\r" in dialect.lineterminator
    assume(quotes_cr or not any("\r" in cell for row in rows for cell in row))
    text = _written([("front", "back"), *rows], dialect, quoting)
    parsed = parse_delimited(text)
    assert (parsed.separator, parsed.header_used, parsed.problems) == (dialect.delimiter, True, ())
    cleaned = [(clean_text(front, "front", 1000), clean_text(back, "back", 4000)) for front, back in rows]
    assert [(row.front, row.back) for row in parsed.rows] == cleaned
    numbers = [row.line for row in parsed.rows]
    assert numbers == sorted(set(numbers))
    assert parse_delimited(text.encode("utf-16")) == parsed
    assert parse_delimited(text.encode("utf-8-sig")) == parsed


any_cells = st.text(st.sampled_from(list('ab,;\t"\n é')), max_size=6)


@given(st.lists(st.lists(any_cells, min_size=1, max_size=4), max_size=5), st.sampled_from(DIALECTS[:4]))
def test_the_reader_agrees_with_the_standard_library_on_what_it_wrote(
    rows: list[list[str]], dialect: type[csv.Dialect]
) -> None:
    text = _written([tuple(row) for row in rows], dialect, csv.QUOTE_ALL).replace("\r\n", "\n")
    theirs = list(csv.reader(io.StringIO(text, newline=""), dialect))
    assert [list(record.fields) for record in records(text, dialect.delimiter)] == theirs == rows


hostile = st.one_of(
    st.binary(max_size=80),
    st.text(max_size=60),
    st.lists(st.sampled_from(['"', '""', ",", ";", "\t", "\n", "\r\n", "a", " ", "#html:true\n", "\0", "<b>"])).map(
        "".join
    ),
    st.lists(st.sampled_from(["#separator:", "#columns:", "#tags column:", "1", "9", "\n", ",", "sep=", '"'])).map(
        "".join
    ),
    st.binary(max_size=40).map(lambda rest: b"\xff\xfe" + rest),
)


@given(hostile, st.sampled_from([None, ",", "\t", " "]), st.sampled_from([None, True, False]))
def test_whatever_is_sent_there_are_rows_and_problems_or_the_one_error(content, separator, has_header) -> None:
    try:
        parsed = parse_delimited(content, separator=separator, has_header=has_header)
    except InvalidInput:
        return
    lines = [row.line for row in parsed.rows] + [problem.line for problem in parsed.problems]
    assert len(set(lines)) == len(lines)
    for problem in (*parsed.problems, *parsed.warnings):
        assert str(problem)


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        '""',
        '",',
        '"a\n',
        '"\n',
        '"",',
        '"a"b',
        '"a"b,',
        'x,"\n',
        '"""\n',
        '"a,""b,',
        ' "',
        ",",
        "\n",
        "a\n",
        "#",
        "\t ",
    ],
)
def test_hostile_text_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    parse_delimited(text)
    assert time.process_time() - start < 4


def test_a_million_quotes_are_one_broken_field_or_one_cell() -> None:
    start = time.process_time()
    assert _reasons(parse_delimited('"' * 1_000_001)) == [(1, Reason.UNCLOSED_QUOTE)]
    assert _reasons(parse_delimited("a," + '"' * 1_000_000)) == [(1, Reason.INVALID_TEXT)]
    assert time.process_time() - start < 4


def test_names_of_a_header_are_compared_without_case_accents_and_spacing() -> None:
    assert is_header(["DÉFINITION", "  terme "])
    assert is_header(["back_rich", "Front Rich", "front", "BACK"])
    assert not is_header(["front" * 100, "back"])
