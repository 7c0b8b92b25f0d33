"""A mission as `mission show` prints it: objective, run, phases, tasks and journal."""

from __future__ import annotations

from typing import Any

from mission.domain.plural import counted
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import counts_words
from mission.transports.cli.names import with_name
from mission.transports.cli.output import own_command, say
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago
from mission.transports.cli.work.tasks import failed_words, read_plan, state_label

LAST_MILESTONES = 5
MAX_ITEMS = 500
SECTIONS = ["phase_summary", "decisions", "milestones", "blockers"]


def read_mission(id: str, *, limit: int, with_records: bool) -> dict[str, Any]:
    """Return a mission with all tasks in plan order, its open reviews and its newest run.

    Complete task records take one call per 200, so they are read only on request or to name the agents.
    """
    found = client.call("get_context", {"mission_id": id, "include": SECTIONS, "limit": limit})
    if found["objective"] == found["mission_name"]:
        found["source_content"] = client.call("workflow_get", {"id": id, "include_tasks": False}).get("source_content")
    plan = read_plan(id)
    tasks = plan["tasks"]
    if with_records or not plan["with_names"]:
        tasks = _with_records(id, tasks)
    waiting = client.call_if_allowed("queue_list", {"mission_id": id, "limit": MAX_ITEMS})
    items = waiting["items"] if waiting else []
    reviews = [item for item in items if item["kind"] == "review"]
    runs = client.call_if_allowed("run_list", {"mission_id": id, "limit": 1})
    run = runs["runs"][0] if runs and runs["runs"] else None
    return {**found, "tasks": tasks, "waits_for_you": items, "reviews": reviews, "run": run}


def _with_records(id: str, plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    chosen = {"mission_id": id, "include": ["tasks"]}
    listed = client.call_every_page("get_context", chosen, rows="tasks", limit=200)["tasks"]
    rows = {row["id"]: row for row in listed}
    shown = ("state", "agent", "failed_attempts", "proof_state")
    return [{**rows[row["id"]], **{name: row.get(name) for name in shown}} for row in plan if row["id"] in rows]


def show_mission(found: dict[str, Any]) -> None:
    """Print a mission for a person."""
    _show_head(found)
    _show_tasks(found)
    _show_journal(found)


def _show_head(found: dict[str, Any]) -> None:
    say(found["mission_name"], bold=True)
    ended = found["mission_status"] in {"COMPLETED", "FAILED"}
    where = "" if ended else f" · phase {found['current_phase']} of {found['total_phases']}"
    say(f"{found['mission_id']} · {_words(found['mission_status'])}{where}")
    objective = found["objective"] if found["objective"] != found["mission_name"] else found["source_content"]
    if objective:
        say(f"Objective: {objective}")
    if found["summary"]:
        say(f"Outcome:   {found['summary']}")
    for limitation in found["limitations"]:
        say(f"           not done: {limitation}")
    if found["run"]:
        say(f"Run:       {found['run']['state']} ('{own_command()} runs {found['run']['run_id']}' shows it)")
    proved = counts_words(found["evidence"])
    if proved:
        say(f"Evidence:  {proved}")
    failed = sum(row["failed_attempts"] for row in found["tasks"])
    if failed:
        say(f"Attempts:  {failed_words(failed)}", fg="yellow")
    say()
    for row in found["phase_summary"]:
        tasks = row["tasks"]
        done = f"{tasks['completed']} of {counted(tasks['total'], 'task')}"
        say(f"  {row['number']}. {row['name']}: {_words(row['status'])}, {done}")


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
    show_table(
        ["TASK", "PHASE", "NAME", "STATE", "AGENT", "FILES"],
        rows,
        empty="No tasks yet.",
        drop=["FILES", "PHASE", "AGENT"],
    )
    for item in found["reviews"]:
        say(f"  review requested for '{item['task_name']}' ({item['task_id']}): {item['subject']}", fg="yellow")
    for item in found["waits_for_you"]:
        if item["kind"] not in ("review", "blocker"):
            where = f" ({item['task_name']})" if item["task_name"] else ""
            say(f"  {item['kind']}: {item['subject']}{where}: '{own_command()} inbox {item['id']}'", fg="yellow")
    names = {row["id"]: row["name"] for row in found["tasks"]}
    for row in found["blockers"]:
        say(f"  waiting for you: {row['description']} ({with_name(row['task_id'], names)})", fg="yellow")
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


def _words(status: str) -> str:
    return status.lower().replace("_", " ")


def _say_what_is_cut(found: dict[str, Any], section: str) -> None:
    more = found[f"{section}_count"] - len(found[section])
    if more > 0:
        say(f"  … {more} older {section}; use --limit for more")
