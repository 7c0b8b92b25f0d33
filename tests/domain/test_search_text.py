"""The words a text is found by, and the piece of it that a result shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.search_text import (
    MAX_TERMS,
    MAX_WORD_LENGTH,
    SNIPPET,
    NameMatch,
    match_name,
    snippet,
    strings_in,
    terms_of,
    words_of,
)

SPACED = st.text("abcÄéß12 .,-_", max_size=60)
UNSPACED = st.text("日本語中文한글", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Refuse EXPIRED tokens", ["refuse", "expired", "tokens"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("Über die Straße", ["uber", "die", "strasse"]),
        ("naïve Café", ["naive", "cafe"]),
        ("ﬁle ２０２６", ["file", "2026"]),
        ("... !!!", []),
        ("日本語", ["日本", "本語", "語"]),
        ("v2の設定x", ["v2", "の設", "設定", "定", "x"]),
    ],
)
def test_words_lose_case_and_accents_and_unspaced_scripts_become_pairs(text, words):
    assert list(words_of(text)) == words


@given(SPACED | UNSPACED)
def test_a_text_is_found_by_itself(text):
    words = list(words_of(text))

    assert all(any(word.startswith(term) for word in words) for term in terms_of(text))


@given(UNSPACED, st.data())
def test_a_text_without_spaces_is_found_by_any_piece_of_it(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    piece = text[start : data.draw(st.integers(start + 1, len(text)))]

    words = list(words_of(text))
    assert all(any(word.startswith(term) for word in words) for term in terms_of(piece))


@given(st.text(max_size=200))
def test_words_are_never_empty_nor_longer_than_is_kept(text):
    assert all(0 < len(word) <= MAX_WORD_LENGTH for word in words_of(text))


def test_a_long_query_keeps_only_so_many_terms_each_once():
    many = [f"w{number}" for number in range(MAX_TERMS * 3)]

    assert terms_of(" ".join(["w0", "w0", *many])) == many[:MAX_TERMS]
    assert terms_of("?!") == []


def test_every_text_of_a_structure_is_searched_and_nothing_else():
    value = {"a": "one", "b": [1, None, {"c": "two", "d": ("three",)}], "e": 2.5, "f": True}

    assert list(strings_in(value)) == ["one", "two", "three"]


def test_a_snippet_shows_the_first_match_with_marks_where_it_was_cut():
    text = "before " * 100 + "needle " + "behind " * 100

    piece = snippet(text, ["needle"])

    assert "needle" in piece
    assert piece[0] == piece[-1] == "…"
    assert len(piece) <= SNIPPET + 2


@given(st.text(max_size=600), st.lists(st.text("abc", min_size=1, max_size=3), max_size=3))
def test_a_snippet_is_one_short_line_of_the_text(text, terms):
    piece = snippet(text, terms)

    assert len(piece) <= SNIPPET + 2
    assert len(piece.splitlines()) <= 1
    inner = piece.removeprefix("…").removesuffix("…")
    assert inner.strip() in " ".join(text.split())


def test_a_short_text_is_shown_whole_whatever_was_looked_for():
    assert snippet(" two \n words ", ["zzz"]) == "two words"
    assert snippet("Straße nach Köln", ["koln"]) == "Straße nach Köln"


@pytest.mark.parametrize(
    ("name", "query", "match"),
    [
        ("Ledger", "ledger", NameMatch.EXACT),
        ("Café au lait", "cafe AU", NameMatch.PREFIX),
        ("Double-entry ledger", "led doub", NameMatch.WORDS),
        ("Double-entry ledger", "edger", NameMatch.ELSEWHERE),
        ("", "x", NameMatch.ELSEWHERE),
    ],
)
def test_a_name_fits_as_well_as_its_words_do(name, query, match):
    assert match_name(name, query=query) is match
