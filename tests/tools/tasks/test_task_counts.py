"""The counts kept beside the tasks, against the tasks themselves."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from sqlalchemy import text

from mission.domain.errors import MissionError
from mission.domain.tasks.states import OPEN, TaskStatus
from tests import fault_cases
from tests.tools.conftest import planned

COUNT = text("SELECT status, waiting_for > 0 AS waits, count(*) FROM tasks GROUP BY status, waiting_for > 0")
GROUPS = text("SELECT parallel_group, status FROM tasks WHERE parallel_group IS NOT NULL")
WRONGLY_WAITING = text(
    "SELECT id FROM tasks WHERE waiting_for <> (SELECT count(*) FROM dependencies d JOIN tasks o ON o.id = d.depends_on"
    " WHERE d.task_id = tasks.id AND o.status NOT IN ('completed', 'skipped'))"
)
STATES = [str(status) for status in TaskStatus]


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=2, many=40))
async def test_kept_counts_equal_the_tasks_whatever_happens(app, call, make_workflow, make_agent, seed):
    chance = random.Random(seed)
    agents = [await make_agent("ada"), await make_agent("bob")]
    mission, tasks = await make_workflow(
        *(
            planned(
                f"t{number}",
                sequence=1 + number // 4,
                after=[f"t{other}" for other in range(number) if chance.random() < 0.2],
                parallel_group=f"g{number % 2}" if number % 3 else None,
            )
            for number in range(10)
        )
    )

    for _ in range(60):
        await _anything(call, chance, mission, list(tasks.values()), agents)
        kept, kept_groups, true, true_groups = await app.database.read(_both, mission_id=mission)
        assert kept == true
        assert kept_groups == true_groups
    await call("workflow_update_status", {"id": mission, "status": "failed"})

    kept, kept_groups, true, true_groups = await app.database.read(_both, mission_id=mission)
    assert (kept, kept_groups) == (true, true_groups)
    assert not {status for status, _ in kept} & OPEN, "what was open is skipped"
    assert await app.database.read(_waiting) == [], "and nobody waits for it"


async def _anything(call, chance, mission, ids, agents):
    task, agent = chance.choice(ids), chance.choice(agents)
    status = {"status": chance.choice(STATES), "outcome": "o", "error": "e"}
    tool, arguments = chance.choice(
        [
            ("task_update_status", {"id": task, **status}),
            ("task_update_status", {"id": task, "status": "completed", "outcome": "o"}),
            ("task_claim_next", {"agent_id": agent, "workflow_id": mission}),
            ("start_task", {"task_id": task, "name": "n", "goal": "g", "agent_id": agent}),
            ("task_release", {"task_id": task, "agent_id": agent}),
        ]
    )
    try:
        await call(tool, arguments)
    except MissionError as error:
        assert error.http_status < 500, error  # noqa: PT017


def _waiting(tx):
    """Tasks whose count of what they wait for is wrong."""
    return list(tx.connection.execute(WRONGLY_WAITING))


def _both(tx, *, mission_id):
    true = Counter()
    for status, waits, count in tx.connection.execute(COUNT):
        true[TaskStatus(status), bool(waits) and status == TaskStatus.PENDING] += count
    groups, done = Counter(), Counter()
    for group, status in tx.connection.execute(GROUPS):
        groups[group] += 1
        done[group] += TaskStatus(status) is TaskStatus.COMPLETED
    kept = Counter({state: count for state, count in tx.task_counts.states(mission_id).items() if count})
    kept_groups = {row.name: (row.tasks, row.done) for row in tx.task_counts.groups(mission_id)}
    return kept, kept_groups, true, {name: (groups[name], done[name]) for name in groups}
