"""Queries about evidence."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.checks.evidence import EvidenceState, Place, Role
from mission.domain.checks.round import RoundState
from mission.domain.errors import NotFound
from tests.store.rows import NOW, at

KEY = {"definition": "d", "tree": "t", "place": Place.TASK, "setup": None, "host_id": "here", "since": at(-60)}


def test_evidence_is_stored_whole(tx, add_evidence):
    made = add_evidence(state=EvidenceState.VOID, files=["a"], left_files={"b": "1"}, tests_run=3, output="x")

    assert tx.evidence.get(made.id) == made


def test_evidence_that_does_not_exist_is_not_found(tx):
    assert tx.evidence.find("ev_aaaaaaaaaa") is None
    with pytest.raises(NotFound):
        tx.evidence.get("ev_aaaaaaaaaa")


def test_what_passed_is_found_by_its_whole_key(tx, add_evidence):
    made = add_evidence(state=EvidenceState.PASSED)

    assert tx.evidence.reusable(**KEY).id == made.id
    others = {
        "definition": "e",
        "tree": "u",
        "place": Place.FRESH,
        "setup": "start",
        "host_id": "there",
        "since": NOW + timedelta(seconds=1),
    }
    for field, value in others.items():
        assert tx.evidence.reusable(**{**KEY, field: value}) is None, field


@pytest.mark.parametrize(
    "fields",
    [
        {"state": EvidenceState.FAILED},
        {"state": EvidenceState.RUNNING},
        {"state": EvidenceState.VOID},
        {"flaky": True},
        {"reused_from": "ev_x"},
        {"role": Role.START, "setup": None},
        {"role": Role.RED, "setup": None},
        {"tree": None},
    ],
    ids=str,
)
def test_nothing_else_counts_as_passed(tx, add_evidence, fields):
    add_evidence(**{"state": EvidenceState.PASSED, **fields})

    assert tx.evidence.reusable(**KEY) is None


def test_what_runs_counts_for_turns_whoever_drives_it_and_what_waits_only_if_it_is_driven(tx, add_round, add_evidence):
    driven = add_round(holder="a", holder_until=NOW + timedelta(seconds=1))
    abandoned = add_round()
    ended = add_round(state=RoundState.WITHDRAWN)
    waiting = add_evidence(driven, created_at=at(1))
    add_evidence(abandoned)
    running = [add_evidence(each, state=EvidenceState.RUNNING) for each in (driven, abandoned, ended)]
    add_evidence(driven, state=EvidenceState.PASSED)
    add_evidence(driven, host_id="there")

    found = {each.id for each in tx.evidence.unfinished(host_id="here", now=NOW)}

    assert found == {waiting.id, *(each.id for each in running)}
    assert [each.id for each in tx.evidence.unfinished_in_ended_rounds(host_id="here")] == [running[2].id]


def test_the_last_start_of_each_mission(tx, task, add_evidence):
    for minutes in (1, 3, 2):
        add_evidence(started_at=at(minutes))

    assert tx.evidence.last_started({task.mission_id, "m_other"}) == {task.mission_id: at(3)}
    assert tx.evidence.last_started(set()) == {}


def test_files_that_checks_left_are_those_of_the_same_tree_and_the_newest_content_counts(tx, add_round, add_evidence):
    add_evidence(add_round(), left_files={"a": "1", "b": "1"}, ended_at=at(1))
    add_evidence(add_round(), left_files={"a": "2"}, ended_at=at(2))
    add_evidence(add_round(path="/other"), left_files={"c": "1"}, ended_at=at(3))
    add_evidence(add_round(), left_files={"d": "1"}, role=Role.START, ended_at=at(4))

    assert tx.evidence.left_files(host_id="here", path="/tree") == {"a": "2", "b": "1"}


def test_the_newest_counted_tests_of_a_tree(tx, add_evidence):
    add_evidence(tests_run=3, created_at=at(1))
    newest = add_evidence(tests_run=4, created_at=at(2))
    add_evidence(created_at=at(3))

    assert tx.evidence.counted(definition="d", tree="t").id == newest.id
    assert tx.evidence.counted(definition="d", tree="u") is None
