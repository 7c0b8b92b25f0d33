"""Reports of results that must be checked: hold the task while its checks run, and join a report that is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.round import CheckRound, Purpose
from mission.domain.tasks import moves
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.task import Task
from mission.services.evidence import rounds
from mission.services.tasks import updates
from mission.store.transaction import Tx

RUNNING = "its checks are running"


def open_checking(
    tx: Tx,
    *,
    task: Task,
    checks: Sequence[CheckDefinition],
    report: Mapping[str, Any],
    agent_id: str | None,
    execution_id: str | None = None,
    tree: str | None = None,
    identity: Mapping[str, Any] | None = None,
    changes: Changes | None = None,
) -> CheckRound:
    """Hold a reported task while its checks run. Without a tree, the process that runs them takes it first.

    A repeated report joins the open one, and its words replace the earlier ones.
    """
    opened = rounds.open_gate(tx, task.id)
    if opened is not None and task.is_checking:
        joined = replace(opened, report=dict(report), agent_id=agent_id or opened.agent_id, updated_at=tx.now)
        tx.rounds.save(joined)
        return joined
    held = moves.checking(task, Hold(HoldKind.CHECKS, RUNNING, agent_id), at=tx.now)
    updates.apply(tx, replace(held, before=task))
    round = rounds.open_round(
        tx,
        task=task,
        checks=checks,
        purpose=Purpose.GATE,
        report=report,
        agent_id=agent_id or task.owner_id,
        execution_id=execution_id,
    )
    if tree is None:
        return round
    taken = replace(
        round,
        tree=tree,
        identity=identity,
        changes=changes.as_dict() if changes is not None else None,
    )
    tx.rounds.save(taken)
    tx.patches.put(task.id, changes.patch if changes is not None else None)
    return taken
