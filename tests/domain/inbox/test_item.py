"""Items of the inbox: who reads them, and what an answer is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, InvalidState, PermissionDenied
from mission.domain.inbox.item import APPROVE_RESULT, SEND_BACK, ItemKind, ItemState, is_approval
from tests.domain.samples import NOW, SHOWN, after, item

CHOICES = (APPROVE_RESULT, SEND_BACK)


def answered(one, *, text="", choice=None):
    return one.answered(text=text, choice=choice, by="human", at=after(hours=1))


@pytest.mark.parametrize(
    ("text", "choice", "words"),
    [
        ("Yes, do it", None, "Yes, do it"),
        ("  trimmed ", None, "trimmed"),
        ("", 1, "accept"),
        ("well done", 1, "accept: well done"),
        ("tests are missing", 2, "tests are missing"),
    ],
)
def test_an_answer_is_the_value_of_the_choice_and_what_was_said_to_it(text, choice, words):
    closed = answered(item(choices=CHOICES), text=text, choice=choice)

    assert (closed.state, closed.answer, closed.choice) == (ItemState.ANSWERED, words, choice)
    assert (closed.closed_by, closed.closed_at, closed.updated_at) == ("human", after(hours=1), after(hours=1))
    assert closed.chosen == ({} if choice is None else CHOICES[choice - 1])


@pytest.mark.parametrize(("text", "choice"), [("", None), ("  ", None), ("", 2), (" \n", 2)])
def test_an_answer_without_words_is_refused(text, choice):
    with pytest.raises(InvalidInput) as refused:
        answered(item(choices=CHOICES), text=text, choice=choice)

    assert refused.value.details == {"field": "text"}


@given(st.integers(-3, 6), st.integers(0, 3))
def test_a_choice_that_was_not_offered_is_refused_with_those_that_were(choice, offered):
    one = item(choices=[{"label": f"L{number}", "value": f"v{number}"} for number in range(1, offered + 1)])

    if 1 <= choice <= offered:
        assert answered(one, choice=choice).answer == f"v{choice}"
        return
    with pytest.raises(InvalidInput) as refused:
        answered(one, text="x", choice=choice)
    assert refused.value.details == {"field": "choice"}
    assert all(f"{number} L{number}" in refused.value.hint for number in range(1, offered + 1))


@pytest.mark.parametrize("close", [lambda one: answered(one, text="again"), lambda one: one.dismissed(by="x", at=NOW)])
@pytest.mark.parametrize("state", [ItemState.ANSWERED, ItemState.DISMISSED])
def test_a_closed_item_stays_as_it_was_closed(close, state):
    with pytest.raises(InvalidState) as refused:
        close(item(state=state))

    assert refused.value.details["current"] == str(state)


def test_a_dismissed_item_may_keep_a_reason():
    closed = item(choices=CHOICES).dismissed(by="system", at=NOW, reason="The task was skipped")

    assert (closed.state, closed.answer, closed.choice) == (ItemState.DISMISSED, "The task was skipped", None)
    assert not closed.is_open


@pytest.mark.parametrize("kind", list(ItemKind))
def test_mail_and_escalations_are_for_the_person_and_the_author_of_the_mail(kind):
    one = item(kind=kind, agent_id="a_1")
    one.check_reader(None)

    readable = {"a_1": kind is not ItemKind.ESCALATION, "a_2": kind not in (ItemKind.MAIL, ItemKind.ESCALATION)}
    for agent_id, allowed in readable.items():
        if allowed:
            one.check_reader(agent_id)
        else:
            with pytest.raises(PermissionDenied):
                one.check_reader(agent_id)


@pytest.mark.parametrize("kind", list(ItemKind))
def test_only_a_question_or_blocker_of_a_task_outside_its_journal_holds_the_task(kind):
    holding = kind in (ItemKind.QUESTION, ItemKind.BLOCKER)

    assert item(kind=kind, task_id="t_1").holds_task is holding
    assert not item(kind=kind).holds_task
    assert not item(kind=kind, task_id="t_1", entry_id="iss_1").holds_task


def test_the_same_thing_again_is_counted_and_keeps_the_latest_words():
    again = item(body="first").seen_again(body="second", at=after(hours=1))

    assert (again.count, again.body, again.updated_at) == (2, "second", after(hours=1))
    assert again.seen_again(body="", at=NOW).body == "second"


def test_a_record_shows_an_item_without_its_body():
    shown = item(body="long", choices=CHOICES).record()

    assert "long" not in shown.values()
    assert shown["choices"] == [APPROVE_RESULT, SEND_BACK]
    assert (shown["kind"], shown["state"], shown["count"], shown["created_at"]) == ("question", "open", 1, SHOWN)


@pytest.mark.parametrize("label", ["Approve", "Accept"])
def test_a_result_is_approved_by_the_choice_of_this_version_and_of_older_ones(label):
    assert is_approval({**APPROVE_RESULT, "label": label})
    assert not is_approval(SEND_BACK)
    assert not is_approval({})
