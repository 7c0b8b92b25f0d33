"""The search index: by the same words on both databases."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.search_text import Document, DocumentKind, terms_of, words_of
from mission.store.views import search_index
from mission.store.views.search_index import IndexPosition, SearchQuery
from tests.store.rows import IN_TRANSACTION, NOW, at, undone


def document(id, title="", text="", *, kind=DocumentKind.MESSAGE, **fields):
    return Document(id=id, kind=kind, title=title, text=text, at=fields.pop("at", NOW), **fields)


def take_in(tx, *documents):
    tx.search.replace([tx.search.row(each) for each in documents])


def found(tx, query, **wanted):
    rows, total = tx.search.find(SearchQuery(terms=terms_of(query), **wanted), limit=99, offset=0)
    assert total == len(rows)
    return [row.id for row in rows]


TEXT = st.text(st.sampled_from("ab äß'\"*:&|()-_日本"), max_size=12)


@IN_TRANSACTION
@given(texts=st.lists(TEXT, max_size=5), query=TEXT)
def test_what_is_found_has_a_word_that_begins_with_each_term(tx, texts, query):
    with undone(tx):
        take_in(tx, *(document(f"msg_{n}", text=text) for n, text in enumerate(texts)))
        terms = terms_of(query)

        expected = {
            f"msg_{n}"
            for n, text in enumerate(texts)
            if terms and all(any(word.startswith(term) for word in words_of(text)) for term in terms)
        }
        assert set(found(tx, query)) == expected


def test_a_word_in_the_title_counts_more_and_pages_follow_each_other(tx, rows):
    mission = rows.mission()
    padding = " ".join(f"word{n}" for n in range(40))
    take_in(
        tx,
        document("t_body", "Other", f"{padding} parser", kind=DocumentKind.TASK, mission_id=mission.id),
        document("t_title", "Parser", "short", kind=DocumentKind.TASK, mission_id=mission.id),
    )

    assert found(tx, "parser") == ["t_title", "t_body"]
    page, total = tx.search.find(SearchQuery(terms=["parser"]), limit=1, offset=1)
    assert ([row.id for row in page], total) == (["t_body"], 2)


def test_a_document_taken_in_again_is_found_by_its_new_words_only(tx):
    take_in(tx, document("msg_1", text="apple"))

    take_in(tx, document("msg_1", text="pear", at=at(1)))

    assert (found(tx, "apple"), found(tx, "pear")) == ([], ["msg_1"])


def test_an_agent_finds_no_messages_but_its_own(tx, rows):
    mission = rows.mission()
    take_in(
        tx,
        document("msg_in", text="secret", author="a_1", recipient_id="a_2", at=at(2)),
        document("msg_out", text="secret", author="a_3", recipient_id="a_1", at=at(1)),
        document("t_1", text="secret", kind=DocumentKind.TASK, mission_id=mission.id),
    )

    assert set(found(tx, "secret", reader="a_1")) == {"msg_in", "msg_out", "t_1"}
    assert set(found(tx, "secret", reader="a_2")) == {"msg_in", "t_1"}
    assert found(tx, "secret", reader="a_9") == ["t_1"]
    assert set(found(tx, "secret", kinds=[DocumentKind.MESSAGE])) == {"msg_in", "msg_out"}
    assert found(tx, "secret", mission_id=mission.id) == ["t_1"]


def test_what_belongs_to_a_mission_that_is_gone_is_not_found(tx):
    take_in(tx, document("t_1", text="apple", kind=DocumentKind.TASK, mission_id="m_gone"))

    assert found(tx, "apple") == []


def test_forgetting_a_mission_leaves_the_messages_about_it(tx, rows):
    mission, other = rows.mission(), rows.mission("other")
    take_in(
        tx,
        document("t_1", text="apple", kind=DocumentKind.TASK, mission_id=mission.id),
        document("msg_1", text="apple", mission_id=mission.id),
        document("t_2", text="apple", kind=DocumentKind.TASK, mission_id=other.id),
    )

    tx.search.remove_mission(mission.id)

    assert set(found(tx, "apple")) == {"msg_1", "t_2"}
    assert sorted(tx.search.some(limit=9)) == ["msg_1", "t_2"]


def test_any_number_of_documents_is_removed(tx, monkeypatch):
    monkeypatch.setattr(search_index, "CHUNK", 2)
    take_in(tx, *(document(f"msg_{n}", text="apple") for n in range(5)))

    tx.search.remove([f"msg_{n}" for n in range(4)])

    assert found(tx, "apple") == ["msg_4"]


def test_the_index_knows_which_tasks_it_lacks_and_which_are_gone(tx, rows):
    mission = rows.mission()
    known, new = rows.task(mission), rows.task(mission)
    take_in(tx, *(document(id, kind=DocumentKind.TASK, mission_id=mission.id) for id in (known.id, "t_replaced")))

    assert tx.search.unknown_tasks(mission.id, limit=9) == [new.id]
    assert tx.search.gone_tasks(mission.id) == ["t_replaced"]


def test_of_two_who_move_the_index_on_from_one_place_only_the_first_does(tx):
    before = tx.search.progress()
    after = IndexPosition(seq=before.seq + 5, stage=before.stage, after_id="t_5")

    assert tx.search.advance(before, after)
    assert not tx.search.advance(before, after)
    assert tx.search.progress() == after


def test_a_text_with_more_words_than_postgresql_can_place_is_found_by_all_of_them(tx):
    take_in(tx, document("msg_1", title="again " * (search_index.MAX_POSITIONS + 10), text="first and last"))

    assert found(tx, "again first last") == ["msg_1"]
