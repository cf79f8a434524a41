"""A hundred typed answers in six languages, each with the verdict a teacher would give."""

from __future__ import annotations

import unicodedata

import pytest

from app.domain.answers import Facts
from app.domain.grading import Note, Verdict, grade

C, A, W = Verdict.CORRECT, Verdict.ALMOST, Verdict.WRONG
N = Note


def apart(text: str) -> str:
    """Letters with their marks, and Hangul syllables with their letters, as separate code points."""
    return unicodedata.normalize("NFD", text)


# language, expected, given, verdict, note
TABLE: list[tuple[str, str, str, Verdict, Note]] = [
    # English
    ("en", "Paris", "Paris", C, N.EXACT),
    ("en", "Paris", "  paris ", C, N.CASE_OR_PUNCTUATION),
    ("en", "Washington, D.C.", "washington dc", C, N.CASE_OR_PUNCTUATION),
    ("en", "St. John's", "st johns", C, N.CASE_OR_PUNCTUATION),
    ("en", "St. John’s", "St. John's", C, N.EXACT),
    ("en", "well-known", "well known", C, N.CASE_OR_PUNCTUATION),
    ("en", "e-mail", "email", C, N.CASE_OR_PUNCTUATION),
    ("en", "the mitochondrion", "mitochondrion", C, N.ALTERNATIVE),
    ("en", "mitochondrion", "the mitochondrion", C, N.ALTERNATIVE),
    ("en", "to drink", "drink", C, N.ALTERNATIVE),
    ("en", "colo(u)r", "colour", C, N.ALTERNATIVE),
    ("en", "colo(u)r", "color", C, N.ALTERNATIVE),
    ("en", "car; automobile", "automobile", C, N.ALTERNATIVE),
    ("en", "car / automobile", "Car", C, N.CASE_OR_PUNCTUATION),
    ("en", "car; automobile", "automobile; car", C, N.ALTERNATIVE),
    ("en", "car; automobile", "car; boat", W, N.DIFFERENT),
    ("en", "beautiful", "beautifull", A, N.TYPO),
    ("en", "accommodate", "acommodate", A, N.TYPO),
    ("en", "friend", "freind", A, N.TYPO),
    ("en", "bear", "beer", W, N.DIFFERENT),
    ("en", "photosynthesis", "fotosynthesis", A, N.TYPO),
    ("en", "photosynthesis", "fotosyntesis", W, N.DIFFERENT),
    ("en", "1789", "1798", W, N.DIFFERENT),
    ("en", "1", "1.0", C, N.SAME_VALUE),
    ("en", "1,000,000", "1000000", C, N.SAME_VALUE),
    ("en", "1.5", "15", W, N.DIFFERENT),
    ("en", "-1", "1", W, N.DIFFERENT),
    ("en", "−40 °C", "-40°C", C, N.SAME_VALUE),
    ("en", "8,849 m", "8849", A, N.UNIT),
    ("en", "8,849 m", "8849 km", W, N.DIFFERENT),
    ("en", "5 million", "5 billion", W, N.DIFFERENT),
    ("en", "Apollo 11", "Apolo 11", A, N.TYPO),
    ("en", "Apollo 11", "Apollo 12", W, N.DIFFERENT),
    ("en", "14 July 1789", "July 14, 1789", C, N.SAME_VALUE),
    ("en", "14 July 1789", "15 July 1789", W, N.DIFFERENT),
    ("en", "x²", "x^2", C, N.EXACT),
    ("en", "10²", "102", W, N.DIFFERENT),
    ("en", "C++", "C", W, N.DIFFERENT),
    ("en", "café", "cafe", A, N.ACCENTS),
    ("en", "Paris", "", W, N.EMPTY),
    # German
    ("de", "Köln", "Köln", C, N.EXACT),
    ("de", "Köln", apart("Köln"), C, N.EXACT),
    ("de", "Köln", "Koln", A, N.ACCENTS),
    ("de", "Köln", "Koeln", A, N.ACCENTS),
    ("de", "Straße", "Strasse", A, N.ACCENTS),
    ("de", "Maße", "Masse", A, N.ACCENTS),
    ("de", "der Tisch", "Tisch", C, N.ALTERNATIVE),
    ("de", "der Tisch", "die Tisch", A, N.ARTICLE),
    ("de", "der Tisch", "der tisch", C, N.CASE_OR_PUNCTUATION),
    ("de", "die Übung", "Ubung", A, N.ACCENTS),
    ("de", "Schmetterling", "Schmeterling", A, N.TYPO),
    ("de", "Hut", "Gut", W, N.DIFFERENT),
    ("de", "1,5", "1.5", C, N.SAME_VALUE),
    ("de", "1.000", "1000", C, N.SAME_VALUE),
    ("de", "1.000", "1", W, N.DIFFERENT),
    ("de", "3. Oktober 1990", "03.10.1990", C, N.SAME_VALUE),
    ("de", "3. Oktober 1990", "10.03.1990", W, N.DIFFERENT),
    # French
    ("fr", "l'école", "école", C, N.ALTERNATIVE),
    ("fr", "l’école", "L'école", C, N.CASE_OR_PUNCTUATION),
    ("fr", "l'école", "l'ecole", A, N.ACCENTS),
    ("fr", "où", "ou", A, N.ACCENTS),
    ("fr", "le livre", "la livre", A, N.ARTICLE),
    ("fr", "la sœur", "la soeur", A, N.ACCENTS),
    ("fr", "« bonjour »", "bonjour", C, N.CASE_OR_PUNCTUATION),
    ("fr", "arc-en-ciel", "arc en ciel", C, N.CASE_OR_PUNCTUATION),
    ("fr", "développement", "developement", A, N.TYPO),
    ("fr", "développement", "dévelopement", A, N.TYPO),
    ("fr", "14 juillet 1789", "14/07/1789", C, N.SAME_VALUE),
    ("fr", "1 000", "1000", C, N.SAME_VALUE),
    # Spanish
    ("es", "el año", "el ano", A, N.ACCENTS),
    ("es", "¿Qué tal?", "qué tal", C, N.CASE_OR_PUNCTUATION),
    ("es", "¿Qué tal?", "que tal", A, N.ACCENTS),
    ("es", "perro", "pero", A, N.TYPO),
    ("es", "la mano", "el mano", A, N.ARTICLE),
    ("es", "la mano", "mano", C, N.ALTERNATIVE),
    ("es", "pez; pescado", "pescado", C, N.ALTERNATIVE),
    ("es", "gato", "pato", W, N.DIFFERENT),
    ("es", "murciélago", "murcielago", A, N.ACCENTS),
    # Japanese
    ("ja", "がっこう", "がっこう", C, N.EXACT),
    ("ja", "がっこう", apart("がっこう"), C, N.EXACT),
    ("ja", "がっこう", "かっこう", W, N.DIFFERENT),
    ("ja", "がっこう", "がこう", W, N.DIFFERENT),
    ("ja", "かぎ", "かき", W, N.DIFFERENT),
    ("ja", "はな", "ぱな", W, N.DIFFERENT),
    ("ja", "ガッコウ", "がっこう", A, N.KANA),
    ("ja", "コーヒー", "ｺｰﾋｰ", C, N.EXACT),
    ("ja", "コーヒー", "コヒ", W, N.DIFFERENT),
    ("ja", "おばあさん", "おばさん", W, N.DIFFERENT),
    ("ja", "おさけを のむ", "おさけをのむ", C, N.CASE_OR_PUNCTUATION),
    ("ja", "東京", "京東", W, N.DIFFERENT),
    ("ja", "東京", "「東京」。", C, N.CASE_OR_PUNCTUATION),
    ("ja", "１９６４年", "1964年", C, N.EXACT),
    ("ja", "1964年10月10日", "1964-10-10", C, N.SAME_VALUE),
    ("ja", "ＮＨＫ", "nhk", C, N.CASE_OR_PUNCTUATION),
    # Korean
    ("ko", "한국어", "한국어", C, N.EXACT),
    ("ko", "한국어", apart("한국어"), C, N.EXACT),
    ("ko", apart("한국어"), "한국어", C, N.EXACT),
    ("ko", "한국어", "한국", W, N.DIFFERENT),
    ("ko", "값", "갑", W, N.DIFFERENT),
    ("ko", "꿀", "굴", W, N.DIFFERENT),
    ("ko", "대한민국 만세", "대한민국만세", A, N.SPACING),
    ("ko", "아이스크림", "아이스크린", W, N.DIFFERENT),
    ("ko", "1945년 8월 15일", "1945-08-15", C, N.SAME_VALUE),
]


def test_the_table_has_a_hundred_pairs_in_six_languages() -> None:
    assert len(TABLE) >= 100
    assert {language for language, *_ in TABLE} == {"en", "de", "fr", "es", "ja", "ko"}
    assert len({row[:3] for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("language", "expected", "given", "verdict", "note"), TABLE)
def test_a_typed_answer_gets_the_verdict_of_a_teacher(
    language: str, expected: str, given: str, verdict: Verdict, note: Note
) -> None:
    result = grade(given, Facts(1, 0, "?", expected, (), language))
    assert (result.verdict, result.note) == (verdict, note)
    assert result.expected == expected
