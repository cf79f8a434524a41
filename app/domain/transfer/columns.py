"""What a column of a table or a key of an object is, by its name in several languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from app.domain.errors import N_, InvalidInput
from app.domain.unicode_forms import normal_form


class Column(StrEnum):
    FRONT = "front"
    BACK = "back"
    TAGS = "tags"
    DECK = "deck"
    FRONT_RICH = "frontRich"
    BACK_RICH = "backRich"
    LANGUAGE = "language"
    SOURCE_TITLE = "sourceTitle"
    GUID = "guid"
    NOTE_TYPE = "noteType"
    UNUSED = ""


_NAMES = {
    Column.FRONT: """
        front|question|term|word|prompt|expression|text|side 1|q
        vorderseite|frage|begriff|wort|recto|terme|mot|anverso|pregunta|término|palabra|frente|pergunta|termo|palavra
        fronte|domanda|termine|parola|voorkant|vraag|woord
        表|表面|おもて|質問|問題|用語|単語|앞면|앞|질문|문제|용어|단어|正面|问题|術語|术语|单词
        """,
    Column.BACK: """
        back|answer|definition|meaning|translation|back extra|side 2|a
        rückseite|antwort|bedeutung|übersetzung|verso|réponse|définition|signification|traduction|reverso|dorso|respuesta
        definición|significado|traducción|resposta|definição|tradução|retro|risposta|definizione|significato|traduzione
        achterkant|antwoord|betekenis|vertaling
        裏|裏面|うら|答え|回答|解答|定義|意味|訳|뒷면|뒤|답|답변|정답|정의|뜻|의미|背面|答案|定义|释义
        """,
    Column.TAGS: """
        tags|tag|labels|label|keywords|schlagwörter|schlagworte|étiquettes|mots-clés|etiquetas|marcadores|etichette
        タグ|태그|标签|標籤
        """,
    Column.DECK: "deck|deck title|stapel|kartenstapel|paquet|mazo|baralho|mazzo|デッキ|単語帳|덱|牌组|牌組",
    Column.FRONT_RICH: "front rich",
    Column.BACK_RICH: "back rich",
    Column.LANGUAGE: "language|lang|sprache|langue|idioma|lingua|言語|언어|语言",
    Column.SOURCE_TITLE: "source title|source|quelle|fuente|fonte|出典|출처",
    Column.GUID: "guid",
    Column.NOTE_TYPE: "note type",
}
_HEADER_CELL_MAX = 40


def _compared(name: str) -> str:
    """Letters and digits alone, without case and accents."""
    letters = normal_form("NFKD", name).casefold()
    return "".join(letter for letter in letters if letter.isalnum() and not unicodedata.combining(letter))


_BY_NAME = {
    _compared(name): column for column, names in _NAMES.items() for name in names.replace("\n", "|").split("|") if name
}
_BY_NAME.pop("", None)


def column_named(name: str) -> Column:
    """What the name says, `Column.UNUSED` for one that is not known."""
    return _BY_NAME.get(_compared(name), Column.UNUSED) if len(name) <= _HEADER_CELL_MAX else Column.UNUSED


def columns_named(names: Sequence[str]) -> tuple[Column, ...]:
    """What each name says; of several that say the same, the first counts."""
    found: list[Column] = []
    for name in names:
        column = column_named(name)
        found.append(Column.UNUSED if column in found else column)
    return tuple(found)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row holds names: one for the front and one for the back."""
    return {Column.FRONT, Column.BACK} <= set(columns_named(cells))


def chosen_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The columns that a caller names; an empty name is one to pass over.

    Raises `InvalidInput` for a name that says nothing, for two that say the same, and without front or back.
    """
    columns = tuple(column_named(name) for name in names)
    unknown = next((place for place, name in enumerate(names) if name.strip() and not columns[place]), None)
    if unknown is not None:
        raise InvalidInput(
            N_("The name of column %(place)d is not known."),
            N_("Use front, back, tags, deck, frontRich, backRich, or an empty name for a column to pass over."),
            field="columns",
            place=unknown + 1,
        )
    used = [column for column in columns if column]
    if len(set(used)) < len(used) or not {Column.FRONT, Column.BACK} <= set(used):
        raise InvalidInput(
            N_("The columns need one front and one back, and none twice."),
            N_("For example: front, back, tags."),
            field="columns",
        )
    return columns
