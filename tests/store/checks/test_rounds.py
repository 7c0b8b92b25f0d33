"""Queries about rounds of checks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.errors import NotFound
from tests.store.rows import NOW, at


def test_a_round_is_stored_whole(tx, add_round):
    made = add_round(tree="t", identity={"id": "t"}, report={"status": "completed"}, verdict={"proves": True}, fence=3)

    assert tx.rounds.get(made.id) == made


def test_a_round_that_does_not_exist_is_not_found(tx):
    assert tx.rounds.find("cr_aaaaaaaaaa") is None
    with pytest.raises(NotFound):
        tx.rounds.get("cr_aaaaaaaaaa")


def test_only_open_rounds_that_nobody_drives_are_abandoned(tx, add_round):
    never = add_round(created_at=at(1))
    lapsed = add_round(created_at=at(2), holder="a", holder_until=NOW - timedelta(seconds=1))
    set_back = add_round(created_at=at(3), holder="c", holder_until=NOW + timedelta(hours=1))
    add_round(holder="b", holder_until=NOW + timedelta(seconds=1))
    add_round(state=RoundState.PASSED)
    add_round(host_id="there")

    assert [each.id for each in tx.rounds.abandoned(host_id="here", now=NOW)] == [never.id, lapsed.id, set_back.id]


def test_advice_is_no_report(tx, task, add_round):
    report = add_round(state=RoundState.VOID)
    advice = add_round(purpose=Purpose.ADVICE, created_at=at(1))

    assert tx.rounds.newest_of_task(task.id).id == advice.id
    assert tx.rounds.newest_report(task.id).id == report.id
    assert tx.rounds.newest_report("t_other") is None
    assert [each.id for each in tx.rounds.of_task(task.id, limit=5)] == [advice.id, report.id]
    assert [each.id for each in tx.rounds.open_of_task(task.id)] == [advice.id]


def test_open_rounds_of_a_host_and_of_a_mission(tx, task, add_round):
    open_one = add_round()
    add_round(state=RoundState.FAILED)
    add_round(host_id="there")

    assert [each.id for each in tx.rounds.open_on_host("here")] == [open_one.id]
    assert len(tx.rounds.open_of_mission(task.mission_id)) == 2
