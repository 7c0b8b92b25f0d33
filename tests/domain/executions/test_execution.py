"""Executions: their states, their times and the protocol of their launch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import IllegalMove
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.executions.execution import (
    FINAL,
    LIVE,
    ExecutionStatus,
    OwnerKind,
    Protocol,
)
from mission.domain.executions.signals import Delivery
from tests.domain.samples import NOW, SHOWN, after, execution

TABLE = {
    "starting": "running waiting completed failed stopped lost",
    "running": "waiting completed failed stopped lost",
    "waiting": "running completed failed stopped lost",
}


@pytest.mark.parametrize("current", list(ExecutionStatus))
@pytest.mark.parametrize("wanted", list(ExecutionStatus))
def test_an_execution_moves_as_the_table_says_and_a_live_one_may_stay(current, wanted):
    one = execution(status=current)

    if wanted is current and current in LIVE:
        assert one.move_to(wanted, at=NOW) is one
    elif wanted in TABLE.get(current, "").split():
        assert one.move_to(wanted, at=NOW).status is wanted
    else:
        with pytest.raises(IllegalMove):
            one.move_to(wanted, at=NOW)


@given(st.lists(st.sampled_from(ExecutionStatus), max_size=10))
def test_an_execution_keeps_its_first_start_and_ends_once(wanted):
    current, running = execution(), []
    for minute, status in enumerate(wanted):
        try:
            moved = current.move_to(status, at=after(minutes=minute))
        except IllegalMove:
            continue
        running += [after(minutes=minute)] if status is ExecutionStatus.RUNNING else []
        current = moved

    assert current.is_live is (current.status not in FINAL)
    assert (current.ended_at is None) is current.is_live
    assert current.started_at == (running[0] if running else None)


@pytest.mark.parametrize(
    ("claim", "done"),
    [
        (None, False),
        ({"type": "completed_claim"}, True),
        ({"type": "ready_for_verification"}, True),
        ({"type": "failed_claim"}, False),
    ],
)
def test_an_agent_claims_to_be_done_by_its_last_claim_only(claim, done):
    assert execution(claim=claim).claims_done is done


@pytest.mark.parametrize("delivery", list(Delivery))
def test_a_protocol_allows_its_own_signals_by_its_own_delivery(delivery):
    [other] = set(Delivery) - {delivery}
    agreed = execution(delivery=delivery).descriptor

    assert agreed.allows("progress", delivery)
    assert not agreed.allows("progress", other)
    assert not agreed.allows("celebrate", delivery)
    assert agreed.has_mcp is (delivery is Delivery.MCP_TOOL)


def test_a_protocol_names_the_tree_only_when_there_is_one():
    def scope(tree):
        return Protocol.of_task(mission_id="m_1", task_id="t_1", tree=tree, delivery=Delivery.MCP_TOOL).scope

    assert scope(None) == {"kind": "task", "missionId": "m_1", "taskId": "t_1"}
    assert scope("/r") == {**scope(None), "repositoryRootPath": "/r"}


def test_every_owner_has_a_marker_of_its_own():
    assert len({kind.marker_prefix for kind in OwnerKind}) == len(OwnerKind)
    assert OwnerKind.TASK.marker_prefix == "@task::"


def test_a_record_never_shows_the_digest_of_the_token():
    shown = execution(token_hash="digest", process={"pid": 1}, usage={"input": 3}, claim={"type": "x"}).record()

    assert "digest" not in str(shown)
    assert (shown["usage"], shown["claim"], shown["progress"]) == ({"input": 3}, {"type": "x"}, None)
    assert shown["transport"] == {"selected": "mcp-tool", "degraded": False}


def test_a_duration_runs_from_the_first_start_to_the_end():
    ran = execution().move_to(ExecutionStatus.RUNNING, at=NOW).move_to(ExecutionStatus.LOST, at=after(seconds=5))

    assert ran.record()["duration_seconds"] == 5
    assert execution().record()["duration_seconds"] is None


def test_an_operators_message_is_pending_until_it_is_delivered():
    sent = ExecutionCommand(id="msg_1", execution_id="x_1", kind=CommandKind.NUDGE, text=None, created_at=NOW)

    assert sent.record() == {
        "id": "msg_1",
        "execution_id": "x_1",
        "kind": "nudge",
        "text": None,
        "author": None,
        "state": "pending",
        "reason": None,
        "created_at": SHOWN,
        "delivered_at": None,
    }
