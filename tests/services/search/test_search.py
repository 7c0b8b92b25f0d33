"""Queries on the search index: words and prefixes, narrowed and page by page."""

from __future__ import annotations

import pytest

from mission.domain.search_text import DocumentKind
from tests.services.search.test_index import build, find, ids


def test_all_words_must_match_as_words_or_prefixes(tx, rows):
    mission = rows.mission("Shoes")
    task = rows.task(mission, "Sort the shoes")
    build(tx)

    assert ids(find(tx, "sort shoe")) == [task.id]
    assert ids(find(tx, "sort hats")) == []


@pytest.mark.parametrize("kind", list(DocumentKind))
def test_a_search_can_be_narrowed_to_one_kind(tx, rows, kind):
    task = rows.task(rows.mission("Shoes"), "Sort the shoes")
    rows.entry(task, summary="shoes are sorted")
    rows.message("a_1", body="where are the shoes?")
    build(tx)

    assert [hit.document.kind for hit in find(tx, "shoes", kinds=[kind]).hits] == [kind]


def test_a_hit_shows_the_place_in_its_text(tx, rows):
    rows.task(rows.mission("m"), "long", goal="filler " * 200 + "the needle is here " + "filler " * 200)
    build(tx)

    (hit,) = find(tx, "needle").hits

    assert "needle" in hit.snippet
    assert len(hit.snippet) < len(hit.document.text)


def test_an_agent_does_not_find_messages_of_others(tx, rows):
    message = rows.message("a_1", body="where are the shoes?")
    build(tx)

    assert ids(find(tx, "shoes", reader="a_1")) == [message.id]
    assert ids(find(tx, "shoes", reader="a_2")) == []


def test_results_come_page_by_page(tx, rows):
    for _ in range(3):
        rows.mission("Shoes")
    build(tx)

    first = find(tx, "shoes", limit=2)
    rest = find(tx, "shoes", limit=2, offset=first.next_offset)

    assert (first.total, rest.next_offset) == (3, None)
    assert len({*ids(first), *ids(rest)}) == 3


def test_a_query_without_a_word_is_answered(tx, rows):
    rows.mission("Shoes")
    build(tx)

    assert find(tx, "?!").next_offset is None
