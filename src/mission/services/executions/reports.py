"""Reports by signal in a run: what an agent says is done becomes a candidate, once for each report."""

from __future__ import annotations

from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import ItemKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.timestamps import format_time
from mission.services.tasks import candidates, completion
from mission.store.transaction import Tx

WORKING = frozenset({TaskStatus.IN_PROGRESS, TaskStatus.PAUSED})


def submit(tx: Tx, execution: Execution) -> bool:
    """Take the agent's last report as a candidate; return False if it is none, or was taken before."""
    task = tx.tasks.get(execution.task_id)
    run = candidates.run_of(tx, task)
    is_working = task.owner_id == execution.agent_id and task.status in WORKING
    if run is None or not execution.claims_done or not is_working or is_taken(tx, execution) or _asks(tx, execution):
        return False
    words = str((execution.claim or {}).get("summary", ""))
    report = completion.reported_done(words).as_dict()
    candidates.submit(tx, run=run, task=task, report=report, agent_id=execution.agent_id, execution_id=execution.id)
    return True


def is_taken(tx: Tx, execution: Execution) -> bool:
    """Return whether the last report became a candidate when it was made, whatever has become of that since."""
    made = (format_time(each.created_at) for each in tx.candidates.of_task(execution.task_id))
    return (execution.claim or {}).get("at") in made


def _asks(tx: Tx, execution: Execution) -> bool:
    return bool(tx.inbox.open_where(kinds=[ItemKind.QUESTION], execution_id=execution.id))
