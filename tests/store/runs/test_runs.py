"""Rows of runs: one live run per mission, found by mission, host and repository."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.errors import NotFound
from mission.domain.runs.run import HOLDER_LEASE, RunState
from tests.store.rows import NOW
from tests.store.runs.samples import run_of


@pytest.fixture
def add_run(tx, rows):
    """Adds a run of a new mission."""

    def add(**fields):
        run = run_of(fields.pop("mission_id", None) or rows.mission().id, **fields)
        tx.runs.add(run)
        return run

    return add


def test_a_run_is_read_as_it_was_stored(tx, add_run):
    run = add_run(waivers=[{"check": "lint"}], final={"repairs": 1}, holder="a", holder_until=NOW)

    assert tx.runs.get(run.id) == run


def test_an_unknown_run_is_named(tx):
    with pytest.raises(NotFound, match="there is no run run_nowhere"):
        tx.runs.get("run_nowhere")


def test_a_mission_has_one_live_run(tx, add_run):
    run = add_run()

    with pytest.raises(IntegrityError):
        add_run(mission_id=run.mission_id)


def test_an_ended_run_makes_room_for_the_next(tx, add_run):
    first = add_run(state=RunState.STOPPED)
    second = add_run(mission_id=first.mission_id, created_at=NOW + timedelta(seconds=1))

    assert tx.runs.live_of_mission(first.mission_id) == second
    assert tx.runs.newest_of_mission(first.mission_id) == second


def test_runs_of_a_host_without_a_driver_are_found(tx, add_run):
    driven = add_run(holder="a", holder_until=NOW + HOLDER_LEASE)
    silent = add_run(holder="b", holder_until=NOW)
    new = add_run()
    add_run(host_id="elsewhere")
    add_run(state=RunState.FINISHED)

    assert {each.id for each in tx.runs.abandoned(host_id="here", now=NOW)} == {silent.id, new.id}
    assert {each.id for each in tx.runs.live_on_host("here")} == {driven.id, silent.id, new.id}


def test_pages_are_newest_first_and_filtered_by_state(tx, add_run):
    old = add_run(state=RunState.FINISHED)
    young = add_run(created_at=NOW + timedelta(seconds=1))

    assert [each.id for each in tx.runs.page(mission_id=None, states=None, limit=9, after=None)] == [young.id, old.id]
    assert tx.runs.page(mission_id=None, states=["finished"], limit=9, after=None) == [old]
    assert tx.runs.page(mission_id=young.mission_id, states=None, limit=9, after=None) == [young]


def test_a_saved_run_replaces_the_earlier_one(tx, add_run):
    run = replace(add_run(), state=RunState.RUNNING, tip="c" * 40)

    tx.runs.save(run)

    assert tx.runs.get(run.id) == run
