"""What the steps of a run need, with the parts of a call."""

from __future__ import annotations

from mission.gateway.call import Call
from mission.services.runs.context import RunContext

RUNS = "runs"
"""The folder for worktrees in which runs are checked."""


def run_context(call: Call) -> RunContext:
    """Return the process that drives runs, as this call sees it."""
    return RunContext(
        work=call,
        trees=call.trees,
        launcher=call.launcher,
        checker=call.checks.checker,
        events=call.events,
        liveness=call.liveness,
        worktrees=call.trees.worktree_maker.home / RUNS,
    )
