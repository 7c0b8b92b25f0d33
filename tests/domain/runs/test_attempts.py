"""Which executions count as attempts: those that ended by themselves without a report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.runs.attempts import Attempts, failed_by_its_word
from mission.domain.runs.decisions import budgets, stalls

S = ExecutionStatus


@dataclass(frozen=True, kw_only=True)
class Agent:
    id: str = "x_1"
    status: ExecutionStatus = S.FAILED
    reason: str | None = "exit code 3"
    claim: Any = None
    asked_last: Any = ()
    usage: Any = None
    resumes: str | None = None
    session_id: str | None = None
    started_at: datetime | None = datetime(2026, 1, 1, tzinfo=UTC)


CRASHED = Agent()


@pytest.mark.parametrize(
    ("agent", "counts"),
    [
        (CRASHED, True),
        (replace(CRASHED, status=S.COMPLETED, reason=None), True),
        (replace(CRASHED, status=S.STOPPED, reason=stalls.STALLED_REASON), True),
        (replace(CRASHED, status=S.STOPPED, reason="stopped by the operator"), False),
        (replace(CRASHED, status=S.STOPPED, reason=budgets.SPENT_REASON), False),
        (replace(CRASHED, status=S.STOPPED, reason=stalls.CIRCLES_REASON), False),
        (replace(CRASHED, status=S.LOST, reason="its process disappeared"), False),
        (replace(CRASHED, status=S.RUNNING, reason=None), False),
        (replace(CRASHED, asked_last=["q_1"]), False),
        (replace(CRASHED, claim={"type": "failed_claim", "reason": "no network"}), False),
        (replace(CRASHED, started_at=None, reason="not launched: no such program"), False),
    ],
)
def test_counted_is_what_ended_by_itself_or_stalled(agent: Agent, counts: bool):
    assert Attempts([agent], reported=()).counts(agent) is counts
    assert Attempts([agent], reported=()).all() == ([agent] if counts else [])


def test_an_execution_that_reported_is_no_attempt():
    assert Attempts([CRASHED], reported={"x_1"}).all() == []


def test_a_client_that_refuses_to_resume_a_session_costs_no_attempt():
    first = replace(CRASHED, session_id="s")
    refused = Agent(id="x_2", resumes="x_1", reason="exit code 1: no conversation found")

    known = Attempts([first, refused], reported=())

    assert known.all() == [first]
    assert known.refusal(refused) == "exit code 1: no conversation found"


@pytest.mark.parametrize(
    "began", [{"session_id": "s"}, {"usage": {"input_tokens": 1}}, {"claim": {"type": "completed_claim"}}]
)
def test_a_client_that_began_before_it_crashed_was_not_refused(began: dict[str, Any]):
    first = replace(CRASHED, session_id="s")
    crashed = Agent(id="x_2", resumes="x_1", **began)

    assert Attempts([first, crashed], reported=()).refusal(crashed) is None


def test_a_program_without_sessions_is_never_refused_one():
    again = Agent(id="x_2", resumes="x_1")

    assert Attempts([CRASHED, again], reported=()).all() == [CRASHED, again]


def test_the_agents_own_word_of_failure_has_its_reason():
    assert failed_by_its_word(replace(CRASHED, claim={"type": "failed_claim", "reason": "no network"})) == "no network"
    assert failed_by_its_word(replace(CRASHED, claim={"type": "failed_claim"})) == "it gave no reason"
    assert failed_by_its_word(CRASHED) is None
