"""`mission missions`, `show`, `archive`, `delete`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.task import CHANGE_LISTS
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import counts_words, evidence_lines
from mission.transports.cli.output import ago, json_option, report_errors, say, show_json, show_table
from mission.transports.cli.short_id import whole_id
from mission.transports.cli.work.tasks import failed_words, read_plan, state_label

LAST_MILESTONES = 5
MAX_REVIEWS = 500
SECTIONS = ["phase_summary", "decisions", "milestones", "blockers"]


@click.command()
@click.option(
    "--status", multiple=True, type=click.Choice([str(each) for each in MissionStatus]), help="Filter by status."
)
@click.option("--archived", is_flag=True, help="Only archived missions.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200))
@click.option("--offset", default=0, type=click.IntRange(min=0))
@json_option
@report_errors
def missions(status: tuple[str, ...], archived: bool, limit: int, offset: int, as_json: bool) -> None:
    """List missions, most recently active first."""
    arguments: dict[str, Any] = {"archived": archived, "limit": limit, "offset": offset}
    if status:
        arguments["status"] = list(status)
    found = client.call("workflow_list", arguments)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            row["id"],
            row["name"],
            row["status"],
            f"{row['tasks_completed']}/{row['tasks_total']}",
            counts_words(row["evidence"]),
            ago(row["updated_at"]),
        )
        for row in found["workflows"]
    ]
    show_table(
        ["ID", "NAME", "STATUS", "TASKS", "EVIDENCE", "ACTIVE"],
        rows,
        empty="No matching missions." if status or archived else "No missions yet.",
    )
    more = found["total"] - offset - len(rows)
    if rows and more > 0:
        say(f"… {more} more; use --offset {offset + len(rows)}")


@click.command()
@click.argument("id", type=whole_id)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 200),
    help="Decisions, milestones and blockers to show; all tasks are shown.",
)
@json_option
@report_errors
def show(id: str, limit: int, as_json: bool) -> None:
    """Show one mission (phases, all tasks, decisions, blockers) or one task (outcome, files, journal)."""
    found = _read_task(id) if id.startswith("t_") else _read_mission(id, limit=limit, with_records=as_json)
    if as_json:
        show_json(found)
    elif id.startswith("t_"):
        _show_task(found)
    else:
        _show_head(found)
        _show_tasks(found)
        _show_journal(found)


def _read_task(id: str) -> dict[str, Any]:
    """Return a task with its verification, its checks and its open inbox items."""
    found = client.call("task_get", {"id": id, "include_checkpoints": True})
    scope = client.call_if_allowed("overview_task", {"task_id": id})
    waiting = client.call_if_allowed("queue_list", {"task_id": id})
    checks = client.call_if_allowed("checks_list", {"scope": "task", "id": id})
    return {
        **found,
        "checks": checks["checks"] if checks else None,
        "verification": scope["scope"] if scope else None,
        "waits_for_you": waiting["items"] if waiting else [],
    }


def _read_mission(id: str, *, limit: int, with_records: bool) -> dict[str, Any]:
    """Return a mission with all tasks in plan order, its open reviews and its newest run.

    Complete task records take one call per 200, so they are read only on request or to name the agents.
    """
    found = client.call("get_context", {"mission_id": id, "include": SECTIONS, "limit": limit})
    plan = read_plan(id)
    tasks = plan["tasks"]
    if with_records or not plan["with_names"]:
        tasks = _with_records(id, tasks)
    reviews = client.call_if_allowed("queue_list", {"mission_id": id, "kind": ["review"], "limit": MAX_REVIEWS})
    runs = client.call_if_allowed("run_list", {"mission_id": id, "limit": 1})
    run = runs["runs"][0] if runs and runs["runs"] else None
    return {**found, "tasks": tasks, "reviews": reviews["items"] if reviews else [], "run": run}


def _with_records(id: str, plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    chosen = {"mission_id": id, "include": ["tasks"]}
    listed = client.call_every_page("get_context", chosen, rows="tasks", limit=200)["tasks"]
    rows = {row["id"]: row for row in listed}
    shown = ("state", "agent", "failed_attempts", "proof_state")
    return [{**rows[row["id"]], **{name: row.get(name) for name in shown}} for row in plan if row["id"] in rows]


def _show_task(task: dict[str, Any]) -> None:
    say(task["name"], bold=True)
    owner = f" · {task['assigned_agent_id']}" if task["assigned_agent_id"] else ""
    say(f"{task['id']} · {state_label(task)}{owner} · phase {task['sequence']} of {task['workflow_id']}")
    for item in task["waits_for_you"]:
        say(f"{item['kind'].capitalize()}: {item['subject']} ('mission inbox {item['id']}')", fg="yellow")
    say(f"Goal:    {task['description']}")
    if task["outcome"]:
        say(f"Outcome: {task['outcome']}")
    if task["error"]:
        say(f"Error:   {task['error']}", fg="red")
    changed = task["files_changed"]
    if changed is not None:
        say("\nFiles changed" if any(changed[kind] for kind in CHANGE_LISTS) else "\nNo files changed")
        for sign, kind in zip("+~-", CHANGE_LISTS, strict=True):
            for path in changed[kind]:
                say(f"  {sign} {path}")
    _show_verification(task["verification"])
    _show_evidence(task)
    if task["checkpoints"]:
        say("\nJournal")
    for row in task["checkpoints"]:
        say(f"  {row['sequence']}. {row['type']}: {row['summary']}")


def _show_verification(verification: dict[str, Any] | None) -> None:
    """Print whether the changed files are in the task's areas."""
    if verification is None:
        return
    for path in verification["unexpected_files"]:
        say(f"  outside the task's areas: {path}", fg="yellow")
    for warning in verification["warnings"]:
        say(f"  {warning}", fg="yellow")


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


def _show_head(found: dict[str, Any]) -> None:
    say(found["mission_name"], bold=True)
    ended = found["mission_status"] in {"COMPLETED", "FAILED"}
    where = "" if ended else f" · phase {found['current_phase']} of {found['total_phases']}"
    say(f"{found['mission_id']} · {found['mission_status']}{where}")
    say(f"Objective: {found['objective']}")
    if found["summary"]:
        say(f"Outcome:   {found['summary']}")
    for limitation in found["limitations"]:
        say(f"           not done: {limitation}")
    if found["run"]:
        say(f"Run:       {found['run']['state']} ('mission runs {found['run']['run_id']}' shows it)")
    proved = counts_words(found["evidence"])
    if proved:
        say(f"Evidence:  {proved}")
    failed = sum(row["failed_attempts"] for row in found["tasks"])
    if failed:
        say(f"Attempts:  {failed_words(failed)}", fg="yellow")
    say()
    for row in found["phase_summary"]:
        tasks = row["tasks"]
        say(f"  {row['number']}. {row['name']}: {row['status']}, {tasks['completed']}/{tasks['total']} tasks")


def _show_tasks(found: dict[str, Any]) -> None:
    say()
    rows = [
        (
            row["id"],
            row["phase"],
            row["name"],
            state_label(row),
            row["agent"] or row.get("agent_name") or row["agent_id"],
            row["files"] if "files" in row else row["files_changed"],
        )
        for row in found["tasks"]
    ]
    show_table(["TASK", "PHASE", "NAME", "STATE", "AGENT", "FILES"], rows, empty="No tasks yet.")
    for item in found["reviews"]:
        say(f"  review requested for {item['task_id']} '{item['task_name']}': {item['subject']}", fg="yellow")
    for row in found["blockers"]:
        say(f"  waiting for a person: {row['description']} ({row['task_id']})", fg="yellow")
    _say_what_is_cut(found, "blockers")


def _show_journal(found: dict[str, Any]) -> None:
    if found["decisions"]:
        say("\nDecisions")
    for row in found["decisions"][::-1]:
        say(f"  {row['question']} → {row['chosen']}: {row['reasoning']}")
    _say_what_is_cut(found, "decisions")
    if found["milestones"]:
        say("\nLast milestones")
    for row in found["milestones"][:LAST_MILESTONES][::-1]:
        progress = "" if row["progress"] is None else f" ({row['progress']:g} %)"
        say(f"  {ago(row['created_at'])}: {row['message']}{progress}")


def _say_what_is_cut(found: dict[str, Any], section: str) -> None:
    more = found[f"{section}_count"] - len(found[section])
    if more > 0:
        say(f"  … {more} older {section}; use --limit for more")


@click.command()
@click.argument("mission_id", type=whole_id)
@click.option("--undo", is_flag=True, help="Restore it.")
@json_option
@report_errors
def archive(mission_id: str, undo: bool, as_json: bool) -> None:
    """Archive an ended mission: hide it from lists without deleting anything."""
    done = client.call("mission_archive", {"mission_id": mission_id, "archived": not undo})
    if as_json:
        show_json(done)
    else:
        say(f"{mission_id} is {'restored' if undo else 'archived'}.")


@click.command()
@click.argument("mission_id", type=whole_id)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@report_errors
def delete(mission_id: str, yes: bool, as_json: bool) -> None:
    """Permanently delete an ended mission with its phases, tasks and journal."""
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("Deleting cannot be undone. Add --yes to confirm.")
        click.confirm(f"Permanently delete {mission_id}?", abort=True)
    done = client.call("mission_delete", {"mission_id": mission_id})
    show_json(done) if as_json else say(f"'{done['name']}' is deleted.")
