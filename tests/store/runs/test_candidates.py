"""Rows of candidates: by run and by task, oldest first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mission.domain.errors import NotFound
from mission.domain.runs.candidate import CandidateState
from tests.store.rows import NOW
from tests.store.runs.samples import candidate_of, run_of


@pytest.fixture
def task(rows):
    return rows.task(rows.mission())


@pytest.fixture
def add_candidate(tx, task):
    """Adds a candidate of one run and task."""
    run = run_of(task.mission_id)
    tx.runs.add(run)

    def add(second=0, **fields):
        made = candidate_of(run, task.id, created_at=NOW + timedelta(seconds=second), **fields)
        tx.candidates.add(made)
        return made

    return add


def test_a_candidate_is_read_as_it_was_stored(tx, add_candidate):
    made = add_candidate(findings=[{"kind": "large"}], changes={"added": ["a"]}, review={"verdict": None})

    assert tx.candidates.get(made.id) == made


def test_an_unknown_candidate_is_named(tx):
    with pytest.raises(NotFound, match="there is no candidate cd_nowhere"):
        tx.candidates.get("cd_nowhere")


def test_open_candidates_are_listed_oldest_first(tx, add_candidate):
    young = add_candidate(2)
    old = add_candidate(1, state=CandidateState.BUILT)
    gone = add_candidate(0, state=CandidateState.MERGED)

    assert tx.candidates.open_of_run(young.run_id) == [old, young]
    assert tx.candidates.of_run(young.run_id) == [gone, old, young]


def test_the_newest_open_candidate_of_a_task_counts(tx, add_candidate, task):
    add_candidate(0, state=CandidateState.FAILED)
    newest = add_candidate(1)

    assert tx.candidates.open_of_task(task.id) == newest
    tx.candidates.save(replace(newest, state=CandidateState.WITHDRAWN))
    assert tx.candidates.open_of_task(task.id) is None
    assert len(tx.candidates.of_task(task.id)) == 2
