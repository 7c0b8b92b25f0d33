"""A task as `mission show` prints it: who worked on it, for how long, what it changed, and what proves it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mission.domain.plural import counted
from mission.domain.tasks.task import CHANGE_LISTS
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import evidence_lines
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import own_command, say
from mission.transports.cli.times import ago, clock, span
from mission.transports.cli.work.executions import execution_state, usage_words
from mission.transports.cli.work.tasks import failed_words, state_label

MAX_EXECUTIONS = 20
SIGNS = dict(zip(CHANGE_LISTS, "+~-", strict=True))


def read_task(id: str) -> dict[str, Any]:
    """Return a task with its history, its checks, its executions and its open inbox items."""
    found = client.call("task_get", {"id": id, "include_checkpoints": True})
    mission = client.call_if_allowed("workflow_get", {"id": found["workflow_id"], "include_tasks": False})
    story = client.call_if_allowed("overview_task", {"task_id": id})
    waiting = client.call_if_allowed("queue_list", {"task_id": id})
    checks = client.call_if_allowed("checks_list", {"scope": "task", "id": id})
    launched = client.call_if_allowed("overview_executions", {"task_id": id, "limit": MAX_EXECUTIONS})
    return {
        **found,
        "names": names_of([found["assigned_agent_id"], found["workflow_id"]]),
        "checks": checks["checks"] if checks else None,
        "verification": story["scope"] if story else None,
        "repository_path": mission["repository_path"] if mission else None,
        "areas": story["areas"] if story else [],
        "tree": story["tree"] if story else None,
        "moves": story["moves"] if story else [],
        "executions": launched["executions"] if launched else [],
        "waits_for_you": waiting["items"] if waiting else [],
    }


def show_task(task: dict[str, Any]) -> None:
    """Print a task for a person."""
    say(task["name"], bold=True)
    mission = with_name(task["workflow_id"], task["names"])
    say(f"{task['id']} · {state_label(task)} · phase {task['sequence']} of {mission}")
    for item in task["waits_for_you"]:
        say(f"{item['kind'].capitalize()}: {item['subject']} ('{own_command()} inbox {item['id']}')", fg="yellow")
    for label, text in _facts(task):
        say(f"{label + ':':<11} {text}")
    if task["error"]:
        say(f"{'Error:':<11} {task['error']}", fg="red")
    _show_files(task)
    _show_evidence(task)
    _show_executions(task["executions"])
    if task["checkpoints"]:
        say("\nJournal")
    for row in task["checkpoints"]:
        say(f"  {row['sequence']}. {clock(row['created_at'])} {row['type']}: {row['summary']}")


def _facts(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Goal", task["description"]
    if task["outcome"]:
        yield "Outcome", task["outcome"]
    if task["assigned_agent_id"]:
        yield "Agent", with_name(task["assigned_agent_id"], task["names"])
    worked = ", ".join(filter(None, (_duration(task["moves"]), _attempts(task))))
    if worked:
        yield "Worked", worked
    used = _used(task["executions"])
    if used:
        yield "Cost", used
    if task["repository_path"]:
        yield "Repository", task["repository_path"]
    if task["tree"] and task["tree"] != task["repository_path"]:
        yield "Worktree", task["tree"]
    if task["areas"]:
        yield "Areas", ", ".join(task["areas"])


def _duration(moves: list[dict[str, Any]]) -> str:
    """Return the time from the first start of work to the end, or since then."""
    started = next((move["at"] for move in moves if move["status"] == "in_progress"), None)
    if started is None:
        return ""
    last = moves[-1]
    if last["status"] not in ("completed", "failed", "skipped"):
        return f"since {clock(started)}"
    seconds = (datetime.fromisoformat(last["at"]) - datetime.fromisoformat(started)).total_seconds()
    return f"{span(seconds)}, ended {ago(last['at'])}"


def _attempts(task: dict[str, Any]) -> str:
    failed = failed_words(task["failed_attempts"])
    return ", ".join(filter(None, (counted(task["attempts"], "attempt") if task["attempts"] else "", failed)))


def _used(executions: list[dict[str, Any]]) -> str:
    """Return tokens and cost of all executions; '' if no agent was launched."""
    reported = [each["usage"] for each in executions if each["usage"]]
    if not reported:
        return "unknown: no client reported it" if executions else ""
    names = {name for usage in reported for name in usage}
    total = {name: sum(usage.get(name) or 0 for usage in reported) for name in names}
    missing = len(executions) - len(reported)
    return usage_words(total) + (f", unknown for {counted(missing, 'execution')}" if missing else "")


def _show_files(task: dict[str, Any]) -> None:
    changed = task["files_changed"]
    verification = task["verification"] or {"unexpected_files": [], "warnings": []}
    if changed is not None:
        count = sum(len(changed[kind]) for kind in CHANGE_LISTS)
        say(f"\n{counted(count, 'file')} changed" if count else "\nNo files changed")
        for kind in CHANGE_LISTS:
            for path in changed[kind]:
                _show_file(SIGNS[kind], path, outside=path in verification["unexpected_files"])
    for warning in verification["warnings"]:
        say(f"  {warning}", fg="yellow")


def _show_file(sign: str, path: str, *, outside: bool) -> None:
    say(f"  {sign} {path}" + (" (outside the task's areas)" if outside else ""), fg="yellow" if outside else None)


def _show_evidence(task: dict[str, Any]) -> None:
    """Print what is known about the task's result, or the checks that will judge it."""
    evidence = task.get("evidence")
    if evidence is not None:
        say(f"\nEvidence: {evidence['state']}")
        for line in evidence_lines(evidence):
            say(line)
        for flag in evidence["flags"]:
            say(f"  {flag}", fg="yellow")
    elif task["checks"]:
        say("\nChecks")
        for check in task["checks"]:
            say(f"  {check['name']}: not run yet")


def _show_executions(executions: list[dict[str, Any]]) -> None:
    if executions:
        say("\nExecutions, newest first")
    for row in executions:
        facts = (row["agent_name"], execution_state(row), span(row["duration_seconds"]), ago(row["updated_at"]))
        say(f"  {row['id']}  {' · '.join(filter(None, facts))}")
