"""The questions of a run to a person, with the choices that each offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mission.domain.inbox.item import ItemKind
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Ask
from mission.domain.runs.view import ClientView

GO = {"kind": "fixed", "label": "Go", "value": "go"}
STOP = {"kind": "fixed", "label": "Stop the run", "value": "stop"}
RAISE = {
    "kind": "manual",
    "label": "Raise the budget",
    "value": "raise",
    "placeholder": "The new limit, for example 40usd",
}
FINISH = {"kind": "fixed", "label": "Finish what was started", "value": "finish"}
FINISH_ANYWAY = {"kind": "fixed", "label": "Finish without them", "value": "finish"}
RETRY = {"kind": "fixed", "label": "Try again", "value": "retry"}
RETRY_WITH_HINT = {
    "kind": "manual",
    "label": "Try again with a hint",
    "value": "retry_hint",
    "placeholder": "What should the agent do differently?",
}
SKIP = {"kind": "fixed", "label": "Skip it; dependents start without it", "value": "skip"}
SKIP_ALL = {"kind": "fixed", "label": "Skip it and its dependents", "value": "skip_all"}
GO_WITHOUT = {"kind": "fixed", "label": "Launch it without them", "value": "go"}
LOOK_AGAIN = {"kind": "fixed", "label": "Look again", "value": "retry"}

AFTER_TASK: Sequence[Mapping[str, Any]] = (RETRY, RETRY_WITH_HINT, SKIP, SKIP_ALL, STOP)
"""What can be done about a task that its agents could not do."""
SKIPPING = frozenset({"skip", "skip_all"})

PREFLIGHT = "preflight"
BUDGET = "budget"
STUCK = "stuck"
TIP_RED = "tip-red"
FINAL = "final"
LANDING = "landing"
UNPROVED = "unproved"
DISK = "disk"
CLIENT = "client:"
"""How the keys of questions about clients begin."""


def task_key(task_id: str) -> str:
    """Return the key of the question about a task."""
    return f"task:{task_id}"


def circles_key(task_id: str) -> str:
    """Return the key of the question about an agent that goes in circles."""
    return f"circles:{task_id}"


def checks_key(task_id: str) -> str:
    """Return the key of the question about checks of a task that could not run."""
    return f"checks:{task_id}"


def client_key(client: str) -> str:
    """Return the key of the question about a client that cannot be launched."""
    return f"{CLIENT}{client}"


def about_task(task_id: str, *, subject: str, body: str = "", key: str | None = None) -> Ask:
    """Ask what to do about a task."""
    return Ask(
        key=key or task_key(task_id),
        kind=str(ItemKind.RUN),
        subject=subject,
        body=body,
        choices=AFTER_TASK,
        task_id=task_id,
    )


def about_client(client: ClientView, *, run: Run) -> Ask:
    """Ask about a client that cannot be launched; one that lacks its variables gets them from a shell."""
    others = "Other clients of the run take over its tasks, unless the tasks are only for this client."
    shell = f"Use 'mission resume {run.id}' in a shell that has these variables; they are kept only in memory. "
    return about_run(
        client_key(client.name),
        subject=f"{client.name} cannot be launched: {client.problem}",
        body=f"{shell}{others}" if client.lost else others,
        choices=(LOOK_AGAIN, GO_WITHOUT, STOP) if client.lost else (LOOK_AGAIN, STOP),
    )


def about_run(
    key: str, *, subject: str, body: str = "", choices: Sequence[Mapping[str, Any]], task_id: str | None = None
) -> Ask:
    """Ask about something that concerns the run."""
    return Ask(key=key, kind=str(ItemKind.RUN), subject=subject, body=body, choices=choices, task_id=task_id)


def about_tip(reason: str) -> Ask:
    """Ask for a repair of the integration branch, without which nothing is merged."""
    return about_run(
        TIP_RED,
        subject=f"Merging is stopped: {reason}",
        body="This does not count against any task. Repair the branch or the checks, then try again.",
        choices=(RETRY, STOP),
    )
