"""Runs in words."""

from __future__ import annotations

import pytest

from mission.transports.cli.runs.run_progress import MAX_LINES, _most_moving
from mission.transports.cli.runs.run_words import STAGES, counts_words, headline, spent_words, task_line

NO_LIMITS = {"usd": None, "tokens": None, "minutes": None, "launches": None}


def run_of(**fields):
    spent = {"usd": 1.5, "tokens": 12_000, "minutes": 3.4, "launches": 2}
    values = {"run_id": "run_1", "mission_name": "Login", "state": "running", "reason": None, "counts": {}}
    return {**values, "spent": spent, "budget": NO_LIMITS, **fields}


def test_a_run_in_one_line_has_its_reason():
    assert headline(run_of()) == "Login · run_1 · running"
    assert headline(run_of(state="paused", reason="lunch")) == "Login · run_1 · paused: lunch"


def test_empty_stages_are_left_out():
    assert counts_words(run_of(counts={"waiting": 2, "merged": 1, "failed": 0})) == "2 waiting, 1 merged"
    assert counts_words(run_of()) == "no tasks"


def test_spending_is_shown_with_its_limits():
    limits = {**NO_LIMITS, "usd": 20.0, "launches": 30}

    assert spent_words(run_of(budget=limits)) == "2 of 30 launches · 3 min · 12,000 tokens · 1.50 of 20 USD"


def test_an_unknown_price_is_called_unknown_and_never_zero():
    unknown = {"usd": None, "tokens": None, "minutes": 0.0, "launches": 0}

    assert spent_words(run_of(spent=unknown)).endswith("unknown tokens · unknown USD")


@pytest.mark.parametrize(("reason", "line"), [(None, "working   Login"), ("x", "working   Login (x)")])
def test_a_task_has_its_stage_and_the_reason(reason, line):
    assert task_line({"stage": "working", "name": "Login", "reason": reason}) == line


def test_what_moves_is_listed_first_if_not_all_fit():
    tasks = [{"task_id": f"t_{number}", "stage": STAGES[number % len(STAGES)]} for number in range(100)]

    shown = _most_moving(tasks)

    assert len(shown) == MAX_LINES
    assert {"waiting", "merged", "skipped"}.isdisjoint({task["stage"] for task in shown})
    assert shown == [task for task in tasks if task in shown]
