"""The one word that a task or an agent shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.agents.agent import Presence
from mission.domain.checks.evidence import ProofState
from mission.domain.display_status import DONE_WORDS, NEEDS_PERSON, TASK_ALIASES, TASK_LABELS, agent_word, task_word
from mission.domain.tasks.states import STALLED, TaskStatus


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"status": "pending"}, "ready"),
        ({"status": "pending", "waiting_for": 2}, "waiting"),
        ({"status": "planning"}, "planning"),
        ({"status": "in_progress", "waiting_for": 2}, "working"),
        ({"status": "paused"}, "paused"),
        ({"status": "paused", "hold": {"kind": "input"}}, "asks"),
        ({"status": "paused", "hold": {"kind": "blocked"}}, "blocked"),
        ({"status": "paused", "hold": {"kind": "budget"}}, "budget"),
        ({"status": "paused", "hold": {"kind": "something new"}}, "paused"),
        ({"status": "in_progress", "hold": {"kind": "input"}}, "working"),
        ({"status": "review"}, "review"),
        ({"status": "review", "hold": {"kind": "checks"}, "proof_state": "checking"}, "checking"),
        ({"status": "in_progress", "proof_state": "failing"}, "working"),
        ({"status": "completed"}, "unproved"),
        ({"status": "completed", "quality": "success"}, "unproved"),
        ({"status": "completed", "quality": "success", "proof_state": "unproved"}, "unproved"),
        ({"status": "completed", "quality": "success", "proof_state": "proved"}, "proved"),
        ({"status": "completed", "quality": "success", "proof_state": "accepted"}, "accepted"),
        ({"status": "completed", "quality": "partial"}, "partial"),
        ({"status": "failed", "quality": "partial"}, "failed"),
        ({"status": "skipped"}, "skipped"),
    ],
)
def test_a_task_shows_what_it_waits_for_or_how_it_ended(fields, word):
    assert task_word(**{"quality": None, "hold": None, "waiting_for": 0, "proof_state": None, **fields}) == word


@given(
    st.sampled_from(TaskStatus),
    st.sampled_from(["success", "partial", None]),
    st.sampled_from(
        [None, {"kind": "input"}, {"kind": "blocked"}, {"kind": "budget"}, {"kind": "checks"}, {"kind": "x"}]
    ),
    st.integers(0, 2),
    st.sampled_from([None, *ProofState]),
)
def test_only_a_task_that_stands_still_needs_a_person(status, quality, hold, waiting_for, proof_state):
    word = task_word(status, quality=quality, hold=hold, waiting_for=waiting_for, proof_state=proof_state)

    assert word not in NEEDS_PERSON or status in STALLED
    assert word in TASK_LABELS
    assert (word in DONE_WORDS) == (status is TaskStatus.COMPLETED)


def test_no_task_is_shown_as_proved_without_proof():
    words = {
        state: task_word("completed", quality="success", hold=None, waiting_for=0, proof_state=state)
        for state in (None, *ProofState)
    }

    assert [state for state, word in words.items() if word == "proved"] == [ProofState.PROVED]


def test_a_filter_by_an_older_word_matches_words_that_are_shown():
    assert {word for words in TASK_ALIASES.values() for word in words} <= TASK_LABELS.keys()
    assert "claimed" in TASK_ALIASES


@pytest.mark.parametrize(
    ("presence", "task", "lapsed", "word"),
    [
        (Presence.OFFLINE, "asks", True, "waits"),
        (Presence.ONLINE, "review", False, "waits"),
        (Presence.BUSY, "budget", False, "waits"),
        (Presence.OFFLINE, "blocked", True, "blocked"),
        (Presence.OFFLINE, "working", True, "lost"),
        (Presence.OFFLINE, "working", False, "offline"),
        (Presence.OFFLINE, None, True, "offline"),
        (Presence.BUSY, "working", True, "at_work"),
        (Presence.BUSY, None, False, "idle"),
        (Presence.ONLINE, None, False, "idle"),
    ],
)
def test_an_agent_shows_the_state_of_the_task_in_its_hands_before_its_own(presence, task, lapsed, word):
    assert agent_word(presence, task=task, lapsed=lapsed) == word
