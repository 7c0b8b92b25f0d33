"""Token budgets: an answer never exceeds its budget, and says what it had to leave out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.token_budget import CUT, BudgetSection, Fetch, compact, cut_text, pack, within
from tests.fault_cases import examples


class ByCharacter:
    """Counts every character as one token, so that sizes can be checked by hand."""

    name = "characters"

    def count(self, text, *, limit):
        return len(text) if len(text) <= limit else None


class ByWord:
    """Counts words and signs, as tokens of a model roughly are."""

    name = "words"

    def count(self, text, *, limit):
        size = len(text.split()) + sum(not each.isalnum() and not each.isspace() for each in text)
        return size if size <= limit else None


FETCH = Fetch("get", {})
TOKENIZERS = st.sampled_from([ByCharacter(), ByWord()])
WORDS = st.text("ab cd", max_size=60)
ROWS = st.lists(st.fixed_dictionaries({"id": st.text("xyz", max_size=4), "text": WORDS}), max_size=8)


def text_section(content, *, name="goal", share=0.5, vital=False):
    return BudgetSection(name=name, content=content, share=share, vital=vital, fetch=FETCH)


def row_section(rows, *, name="rows", share=0.5, vital=False, **more):
    return BudgetSection(name=name, content=rows, share=share, vital=vital, fetch=FETCH, text="text", **more)


SECTIONS = st.tuples(
    st.builds(text_section, WORDS | st.dictionaries(st.text("kv", min_size=1, max_size=3), WORDS, max_size=4)),
    st.builds(row_section, ROWS, vital=st.booleans()),
    st.builds(lambda rows: row_section(rows, name="more", share=0.2), ROWS),
)


def frame(packed):
    return {"kept": dict(packed.kept), "missing": dict(packed.missing)}


@settings(max_examples=examples(80))
@given(SECTIONS, st.integers(1, 400), TOKENIZERS)
def test_an_answer_never_exceeds_its_budget(sections, most, tokenizer):
    answer = within(most, sections, tokenizer, frame)

    assert answer is None or tokenizer.count(compact(answer), limit=most) is not None


@settings(max_examples=examples(60))
@given(SECTIONS, TOKENIZERS)
def test_a_large_budget_keeps_everything_as_it_is(sections, tokenizer):
    answer = within(100_000, sections, tokenizer, frame)

    assert answer == {"kept": {each.name: each.content for each in sections}, "missing": {}}


@settings(max_examples=examples(80))
@given(SECTIONS, st.integers(0, 400), TOKENIZERS)
def test_a_section_that_is_not_whole_is_named_as_missing(sections, room, tokenizer):
    packed = pack(sections, room, tokenizer)

    changed = {each.name for each in sections if packed.kept[each.name] != each.content}
    assert changed == set(packed.missing)


@settings(max_examples=examples(60))
@given(ROWS, st.integers(0, 300))
def test_kept_rows_are_the_first_ones_in_their_order(rows, room):
    kept = pack([row_section(rows)], room, ByCharacter()).kept["rows"]

    assert [row["id"] for row in kept] == [row["id"] for row in rows[: len(kept)]]
    for row, whole in zip(kept, rows, strict=False):
        assert row == whole or whole["text"].startswith(row["text"].removesuffix(CUT).rstrip())


@given(WORDS, st.integers(3, 80), TOKENIZERS)
def test_a_cut_text_is_its_beginning_and_fits(text, room, tokenizer):
    cut = cut_text(text, room, tokenizer)

    assert cut.endswith(CUT)
    assert text.startswith(cut.removesuffix(CUT))
    assert cut == CUT or tokenizer.count(compact(cut), limit=room) is not None


def test_a_budget_that_is_too_small_for_the_frame_gives_nothing():
    assert within(5, [text_section("x")], ByCharacter(), frame) is None


def test_what_is_needed_is_whole_or_there_is_no_answer():
    long = text_section("x" * 500)

    assert within(200, [long], ByCharacter(), frame)["missing"] == {"goal": "shortened"}
    assert within(200, [long], ByCharacter(), frame, needed=["goal"]) is None
    assert within(900, [long], ByCharacter(), frame, needed=["goal"])["kept"]["goal"] == "x" * 500


def test_what_is_vital_comes_before_what_is_not():
    sections = [text_section("a" * 60, name="extra", share=1.0), text_section("b" * 60, name="vital", vital=True)]

    packed = pack(sections, 70, ByCharacter())

    assert packed.kept["vital"] == "b" * 60
    assert packed.missing.keys() == {"extra"}


def test_room_that_one_section_does_not_use_goes_to_the_next():
    sections = [text_section("a", name="small", share=0.5), text_section("b" * 70, name="large", share=0.5)]

    assert pack(sections, 90, ByCharacter()).missing == {}


def test_left_out_rows_are_counted_against_the_whole_number():
    rows = [{"id": str(number), "text": "x" * 10} for number in range(3)]

    packed = pack([row_section(rows, total=40)], 75, ByCharacter())

    assert len(packed.kept["rows"]) == 2
    assert packed.missing["rows"].startswith("38 of 40 left out")


def test_spare_fields_are_emptied_before_a_text_is_cut():
    row = {"id": "1", "text": "short", "files": ["f" * 40]}

    packed = pack([row_section([row], spare={"files": []})], 60, ByCharacter())

    assert packed.kept["rows"] == [{"id": "1", "text": "short", "files": []}]
    assert packed.missing["rows"] == "1 shortened"


def test_one_long_row_does_not_crowd_out_the_others():
    rows = [{"id": "1", "text": "x" * 400}, {"id": "2", "text": "y"}, {"id": "3", "text": "z"}]

    kept = pack([row_section(rows)], 200, ByCharacter()).kept["rows"]

    assert [row["id"] for row in kept] == ["1", "2", "3"]
    assert kept[1:] == rows[1:]
