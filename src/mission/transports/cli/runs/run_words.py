"""Words and tables for runs, as the command line shows them."""

from __future__ import annotations

from typing import Any

from mission.transports.cli.output import own_command, say
from mission.transports.cli.tables import show_table

STAGES = (
    "waiting",
    "working",
    "asking",
    "retrying",
    "checking",
    "reviewing",
    "merging",
    "merged",
    "failed",
    "skipped",
)
STAGE_COLORS = {
    "working": "cyan",
    "asking": "yellow",
    "retrying": "yellow",
    "checking": "blue",
    "reviewing": "yellow",
    "merging": "blue",
    "merged": "green",
    "failed": "red",
}
LIVE = frozenset({"planning", "ready", "running", "paused", "finishing"})
"""States of a run that has not ended."""


def headline(run: dict[str, Any]) -> str:
    """Return the state of a run in one line."""
    reason = f": {run['reason']}" if run["reason"] else ""
    return f"{run['mission_name']} · {run['run_id']} · {run['state']}{reason}"


def counts_words(run: dict[str, Any]) -> str:
    """Return how many tasks are in each stage; empty stages are left out."""
    found = [f"{run['counts'][stage]} {stage}" for stage in STAGES if run["counts"].get(stage)]
    return ", ".join(found) or "no tasks"


def spent_words(run: dict[str, Any]) -> str:
    """Return what was spent, each with its limit; an unknown price is called unknown."""
    spent, budget = run["spent"], run["budget"]
    one_launch = spent["launches"] == 1 and budget["launches"] is None
    parts = [
        _of("launch" if one_launch else "launches", str(spent["launches"]), budget["launches"]),
        _of("min", f"{spent['minutes']:.0f}", budget["minutes"]),
        _of("tokens", "unknown" if spent["tokens"] is None else f"{spent['tokens']:,}", budget["tokens"]),
        _of("USD", "unknown" if spent["usd"] is None else f"{spent['usd']:.2f}", budget["usd"]),
    ]
    return " · ".join(parts)


def _of(unit: str, spent: str, limit: float | None) -> str:
    return f"{spent} {unit}" if limit is None else f"{spent} of {limit:g} {unit}"


def task_line(task: dict[str, Any]) -> str:
    """Return one task with its stage and the reason why it is there."""
    reason = f" ({task['reason']})" if task["reason"] else ""
    return f"{task['stage']:<9} {task['name']}{reason}"


def notes(run: dict[str, Any]) -> list[str]:
    """Return what a person should know: what was found before the first launch, and a budget that is nearly spent."""
    found = (run["preflight"] or {}).get("notes") or []
    return [*found, *([run["warning"]] if run["warning"] else [])]


def show_questions(run: dict[str, Any]) -> None:
    """Print what waits for a person, with the command that answers it."""
    for question in run["questions"]:
        show_question(question)


def show_question(question: dict[str, Any]) -> None:
    """Print one question with its choices and the command that answers it."""
    say(f"\nWaiting for you: {question['subject']}", fg="yellow")
    if question["body"] and question["body"] != question["subject"]:
        say(f"  {question['body']}".replace("\n", "\n  "))
    for number, choice in enumerate(question["choices"], start=1):
        say(f"  {number}. {choice['label']}")
    choice = " --choice 1" if question["choices"] else ' "…"'
    say(f"  {own_command()} answer {question['item_id']}{choice}")


def show_run(run: dict[str, Any]) -> None:
    """Print a run: state, tasks by stage, queue, spending and questions."""
    say(headline(run), bold=True)
    say(f"branch {run['branch']} at {run['tip'][:12]}" + (f", lands on {run['target']}" if run["target"] else ""))
    say(f"{counts_words(run)}\n{spent_words(run)}")
    for note in notes(run):
        say(note, fg="yellow")
    if run["merging_stopped"]:
        say(f"Merging is stopped: {run['merging_stopped']}", fg="red")
    rows = [
        (task["task_id"], task["stage"], task["name"], task["client"], task["attempts"], task["reason"])
        for task in run["tasks"]
    ]
    say()
    columns = ["TASK", "STAGE", "NAME", "CLIENT", "ATTEMPTS", "REASON"]
    show_table(columns, rows, empty="The mission has no tasks.", drop=["ATTEMPTS", "CLIENT", "REASON"])
    for task in run["tasks"]:
        for denied in task["denied"]:
            say(f"Denied to '{task['name']}': {denied['tool']} {denied['detail']}".rstrip(), fg="yellow")
    if run["queue"]:
        say("\nMerge queue")
        for each in run["queue"]:
            say(f"  {each['position']}. {each['name']}: {each['state']}" + _reason(each))
    for commit in run["foreign_commits"]:
        say(f"Commit by somebody else on the branch: {str(commit.get('commit', ''))[:12]} {commit.get('subject', '')}")
    show_questions(run)


def _reason(row: dict[str, Any]) -> str:
    return f" ({row['reason']})" if row["reason"] else ""
