"""Errors: what every transport hands to its caller."""

from __future__ import annotations

import inspect
import pickle

import pytest

from mission.domain import errors
from mission.domain.errors import IllegalMove, InvalidInput, MissionError, NotFound, StorageFull, TransientError

CLASSES = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, MissionError)]
HTTP_STATUSES = {400, 401, 403, 404, 409, 413, 500, 503}


@pytest.mark.parametrize("kind", [each for each in CLASSES if each is not IllegalMove], ids=lambda kind: kind.__name__)
def test_every_error_says_something_without_being_given_words(kind):
    error = kind()

    assert error.message
    assert error.message == str(error)
    assert error.http_status in HTTP_STATUSES
    assert error.as_dict() == {"code": kind.code, "message": error.message, "hint": kind.default_hint, "details": {}}


def test_what_is_given_replaces_the_default_words_and_the_rest_becomes_details():
    error = NotFound("there is no task t_1", hint="List them.", task_id="t_1")

    assert error.as_dict() == {
        "code": "RESOURCE_NOT_FOUND",
        "message": "there is no task t_1",
        "hint": "List them.",
        "details": {"task_id": "t_1"},
    }


def test_an_empty_hint_silences_the_default_one():
    assert TransientError(hint="").hint is None
    assert TransientError().hint


def test_only_a_failure_that_the_same_call_can_overcome_is_retryable():
    assert [kind.__name__ for kind in CLASSES if kind.retryable] == ["TransientError"]


def test_details_are_added_to_a_copy_of_the_same_class():
    first = StorageFull(path="x")

    second = first.with_details(incident="log_1")

    assert type(second) is StorageFull
    assert (first.details, second.details) == ({"path": "x"}, {"path": "x", "incident": "log_1"})
    assert (second.message, second.hint, str(second)) == (first.message, first.hint, str(first))


def test_details_are_added_to_an_error_whose_constructor_takes_other_arguments():
    move = IllegalMove(kind="task", id="t_1", current="completed", wanted="paused", legal=[])

    copied = move.with_details(incident="log_1")

    assert copied.details == {**move.details, "incident": "log_1"}
    assert copied.message == move.message


def test_an_illegal_move_names_the_states_or_says_that_there_are_none():
    possible = IllegalMove(kind="task", id="t_1", current="paused", wanted="review", legal=["pending", "failed"])
    final = IllegalMove(kind="task", id="t_1", current="completed", wanted="review", legal=[])

    assert "pending, failed" in possible.hint
    assert "final" in final.hint
    assert possible.details == {"current": "paused", "wanted": "review", "legal": ["pending", "failed"]}


def test_a_dialect_names_only_the_states_that_it_has_words_for():
    move = IllegalMove(kind="task", id="t_1", current="paused", wanted="x", legal=["pending", "failed", "skipped"])

    move.name_states({"pending": "TODO", "failed": "FAILED"})

    assert move.details["legal"] == ["TODO", "FAILED"]
    assert "TODO, FAILED" in move.hint
    assert "skipped" not in move.hint


def test_a_dialect_without_any_of_the_words_leaves_the_error_as_it_is():
    move = IllegalMove(kind="task", id="t_1", current="paused", wanted="x", legal=["pending"])
    before = move.as_dict()

    move.name_states({"completed": "DONE"})

    assert move.as_dict() == before


def test_a_plain_error_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(InvalidInput("wrong"))).message == "wrong"
