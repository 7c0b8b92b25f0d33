"""Agents that go in circles: the same call with the same arguments again and again."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

from mission.domain.executions.execution import LIVE
from mission.domain.executions.long_polls import is_long_poll
from mission.store.transaction import Tx

SAME_CALLS = 10
LOOK_BACK = timedelta(minutes=30)


def going_in_circles(tx: Tx, *, run_id: str) -> dict[str, str]:
    """Return for each live execution of a run what its agent repeats without progress."""
    run = tx.runs.get(run_id)
    live = {
        each.agent_id: each
        for each in tx.run_views.executions(run.mission_id, since=run.created_at)
        if each.status in LIVE
    }
    counted: Counter[tuple[str, str, str]] = Counter()
    for row in tx.run_views.calls(sorted(live), since=tx.now - LOOK_BACK):
        if row.at >= live[row.agent_id].created_at and not is_long_poll(row.tool, row.arguments):
            arguments = json.dumps(row.arguments, sort_keys=True, ensure_ascii=False)
            counted[(row.agent_id, row.tool, arguments)] += 1
    return {
        live[agent_id].id: f"It called {tool} {count} times with the same arguments: {arguments[:500]}"
        for (agent_id, tool, arguments), count in counted.items()
        if count >= SAME_CALLS
    }
