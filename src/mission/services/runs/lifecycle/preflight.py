"""The look before the first launch: repository, clients, machine, and the required checks on the base.

What is found is stored with the run. The controller asks one question about all of it, if it needs an answer.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.domain.checks.check import Scope
from mission.domain.checks.evidence import Place
from mission.domain.checks.round import Purpose
from mission.domain.errors import MissionError
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import LookBefore
from mission.domain.tasks.states import OPEN
from mission.git.integration.integration_branch import create_branch
from mission.git.integration.preflight_facts import PreflightFacts, preflight_facts
from mission.services.evidence import definitions
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import run_changes, run_rounds, run_view
from mission.services.runs.worktrees import merge_place
from mission.services.runs.worktrees.merge_place import CheckedOut
from mission.store.transaction import Tx

NAMED = 5
GIGABYTE = 1 << 30
MIN_FREE_MEMORY = 1.5 * GIGABYTE
UNPRICED = frozenset({"command", "codex", "gemini-cli", "copilot-cli"})
"""Clients that do not report what they cost."""
NO_CHECKS = "no_checks"
"""The mark of a problem with which going ahead lets tasks merge unproved."""

NO_BRANCH = "no_branch"
"""The mark of a problem with which the run cannot go ahead."""


@dataclass(kw_only=True, slots=True)
class Found:
    """The findings: notes that are only told, and problems that are asked about."""

    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Clients that cannot be launched: a person who goes ahead knows that."""

    def as_dict(self, *, round_id: str | None) -> dict[str, Any]:
        named = {"notes": self.notes, "problems": self.problems, "marks": self.marks, "missing": self.missing}
        return {**named, "round_id": round_id}


async def look_before(context: RunContext, run: Run, _: LookBefore) -> None:
    """Look at everything once and start the checks on the base."""
    now = await context.work.read(_unseen, run=run)
    if now is None:
        return
    found = Found()
    top = Path(now.repository)
    await _make_branch(context, now, found)
    _add_facts(found, await context.trees.work(top, preflight_facts, top), now)
    await context.trees.work(top, _add_clients, context, found, now)
    _add_prices(context, found, now)
    await _add_machine(context, found, top)
    checks, unchecked = await context.work.read(_checks, run=now)
    _add_unchecked(found, unchecked)
    checked_out = await _check_out(context, now, found) if checks and NO_BRANCH not in found.marks else None
    round_id = await context.work.write(_record, run=now, found=found, checked_out=checked_out)
    if round_id is not None:
        context.checker.drive(round_id)


async def _make_branch(context: RunContext, run: Run, found: Found) -> None:
    """Make the integration branch, if the process that started the run died before it could."""
    top = Path(run.repository)
    try:
        await context.trees.work(top, create_branch, top, run.branch, commit=run.base_commit)
    except MissionError as error:
        if error.retryable:
            raise  # it is looked at again
        found.problems.append(f"The branch '{run.branch}' cannot be created: {error.message}.")
        found.marks.append(NO_BRANCH)


async def _check_out(context: RunContext, run: Run, found: Found) -> CheckedOut | None:
    path = merge_place.merge_path(context, run)
    try:
        return await merge_place.prepare(context, run, commit=run.base_commit, path=path)
    except MissionError as error:
        if error.retryable:
            raise  # it is looked at again
        found.problems.append(f"The base could not be checked out: {error.message}.")
        return None


def _add_facts(found: Found, facts: PreflightFacts, run: Run) -> None:
    if facts.uncommitted:
        count = facts.uncommitted_count
        found.notes.append(f"{_count(count, 'uncommitted file')} will not be part of the run: {_named(facts)}.")
    if facts.is_shallow:
        found.problems.append("This is a shallow clone: merges may fail. 'git fetch --unshallow' completes it.")
    if facts.is_partial:
        found.problems.append("This is a partial clone: files may be missing. 'git fetch --refetch' completes it.")
    if facts.operation is not None:
        found.notes.append(f"A {facts.operation} is in progress in the checkout; the run does not touch it.")
    if run.target is None:
        found.problems.append(
            "No branch is checked out, so the run has no branch to land on. "
            "You can name one later: mission land --target BRANCH."
        )


def _named(facts: PreflightFacts) -> str:
    more = facts.uncommitted_count - NAMED
    return ", ".join(facts.uncommitted[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _add_clients(context: RunContext, found: Found, run: Run) -> None:
    """Name clients and programs that cannot be launched; after a go, the others take over."""
    wanted = {(agent.client, agent.command[0] if agent.command else None): None for agent in run.wanted.agents}
    for client, program in wanted:
        if context.launcher.lost_variables(run.id, run.wanted.variables.get(client, ())):
            continue  # it is paused with a question of its own
        problem = context.launcher.problem_of(run.id, client, program=program)
        if problem is not None:
            found.problems.append(f"{client} cannot be launched: {problem}.")
            found.missing.append(client)


def _add_prices(context: RunContext, found: Found, run: Run) -> None:
    """Ask about a limit of money that cannot be kept, because a client does not report what it costs."""
    unpriced = list(dict.fromkeys(agent.client for agent in run.wanted.agents if agent.client in UNPRICED))
    limits = (run.wanted.budget, run.wanted.budget_per_task, context.daily)
    if unpriced and any(each.usd is not None for each in limits):
        verb = "does" if len(unpriced) == 1 else "do"
        found.problems.append(f"{', '.join(unpriced)} {verb} not report prices, so the cost limit cannot be enforced.")


async def _add_machine(context: RunContext, found: Found, top: Path) -> None:
    free = await context.trees.work(top, _free_bytes, top)
    if free < context.min_free_gb * GIGABYTE:
        found.problems.append(
            f"Only {free / GIGABYTE:.1f} GB of disk space is free; launching agents needs {context.min_free_gb:g} GB."
        )
    memory = free_memory()
    if memory is not None and memory < MIN_FREE_MEMORY and not context.agent_slots:
        found.problems.append(f"Only {memory / GIGABYTE:.1f} GB of memory is free; an agent needs about 1.5 GB.")


def _free_bytes(path: Path) -> int:
    return shutil.disk_usage(path).free


def free_memory(source: Path = Path("/proc/meminfo")) -> int | None:
    """Return how many bytes of memory are available; None where the system does not say."""
    try:
        lines = source.read_text().splitlines()
    except OSError:
        return None
    found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return int(found) * 1024 if found is not None else None


def _add_unchecked(found: Found, names: Sequence[str]) -> None:
    if not names:
        return
    shown = ", ".join(f"'{name}'" for name in names[:NAMED]) + (" …" if len(names) > NAMED else "")
    verb = "has" if len(names) == 1 else "have"
    found.problems.append(
        f"{_count(len(names), 'task')} {verb} no required check ({shown}): what agents report will be merged unproved."
    )
    found.marks.append(NO_CHECKS)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _unseen(tx: Tx, *, run: Run) -> Run | None:
    now = run_changes.current(tx, run)
    return now if now is not None and now.state is RunState.READY and now.preflight is None else None


def _checks(tx: Tx, *, run: Run) -> tuple[bool, list[str]]:
    """Return whether something is to be checked on the base, and the open tasks without a required check."""
    of_mission = definitions.list_for(tx, scope=Scope.MISSION, scope_id=run.mission_id).checks
    if any(each.check.required for each in of_mission):
        return bool(run_rounds.base_checks(tx, mission_id=run.mission_id)), []
    tasks = [task for task in run_view.tasks_of(tx, run.mission_id) if task.status in OPEN]
    return False, [
        task.name for task in tasks if not any(each.check.required for each in definitions.effective(tx, task))
    ]


def _record(tx: Tx, *, run: Run, found: Found, checked_out: CheckedOut | None) -> str | None:
    """Store what was found, and open the round on the base; return its id."""
    now = _unseen(tx, run=run)
    if now is None:
        return None
    round_id = None
    if checked_out is not None:
        checks = run_rounds.base_checks(tx, mission_id=now.mission_id)
        round_id = run_rounds.open_round(
            tx, run=now, purpose=Purpose.BASE, place=Place.MERGE, checked_out=checked_out, checks=checks
        ).id
    run_changes.save(tx, now, preflight=found.as_dict(round_id=round_id))
    return round_id
