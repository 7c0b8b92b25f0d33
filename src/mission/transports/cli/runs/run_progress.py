"""Live progress of a run: the stages of its tasks as they move."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import own_command, plain, say
from mission.transports.cli.runs.run_words import (
    LIVE,
    STAGE_COLORS,
    STAGES,
    counts_words,
    headline,
    notes,
    show_question,
    show_questions,
    spent_words,
    task_line,
)

LOOK_SECONDS = 1.0
MAX_LINES = 30
"""How many tasks the live view lists; those that move come first."""


def follow(run_id: str, *, until_answered: bool = False) -> dict[str, Any]:
    """Show a run until it has ended, or with `until_answered` until it waits for a person, and return it."""
    view = _LiveView() if sys.stdout.isatty() else _Lines()
    try:
        while True:
            run = client.call("run_get", {"run_id": run_id})
            view.show(run)
            is_stuck = until_answered and run["state"] == "ready" and run["questions"]
            if run["state"] not in LIVE or is_stuck:
                return run
            time.sleep(LOOK_SECONDS)
    finally:
        view.close()


class _Lines:
    """Prints one line for each stage that a task reaches, for a pipe or a log."""

    def __init__(self) -> None:
        self._stages: dict[str, str] = {}
        self._told: set[str] = set()
        self._state = ""

    def show(self, run: dict[str, Any]) -> None:
        if run["state"] != self._state:
            self._state = run["state"]
            say(headline(run))
        for task in run["tasks"]:
            if self._stages.get(task["task_id"]) != task["stage"]:
                self._stages[task["task_id"]] = task["stage"]
                say(task_line(task))
        for note in notes(run):
            if note not in self._told:
                say(note, fg="yellow")
        for question in run["questions"]:
            if question["item_id"] not in self._told:
                show_question(question)
        self._told.update(notes(run), (each["item_id"] for each in run["questions"]))

    def close(self) -> None:
        pass


class _LiveView:
    """Redraws the run in place on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console  # deferred: pipes and --detach do not need it
        from rich.live import Live

        self._live = Live(console=Console(highlight=False, markup=False), auto_refresh=False)
        self._live.start()

    def show(self, run: dict[str, Any]) -> None:
        from rich.text import Text

        text = Text()
        text.append(plain(f"{headline(run)}\n"), style="bold")
        text.append(plain(f"{counts_words(run)}\n{spent_words(run)}\n"), style="dim")
        for task in _most_moving(run["tasks"]):
            text.append(plain(f"{task_line(task)}\n"), style=STAGE_COLORS.get(task["stage"], ""))
        hidden = len(run["tasks"]) - MAX_LINES
        if hidden > 0:
            text.append(f"… and {hidden} more\n", style="dim")
        for note in notes(run):
            text.append(plain(f"{note}\n"), style="yellow")
        for question in run["questions"]:
            words = f"Waiting for you: {question['subject']}\n  {own_command()} answer {question['item_id']}\n"
            text.append(plain(words), style="yellow")
        if run["state"] in LIVE:
            text.append("Ctrl-C leaves this view; the run continues.", style="dim")
        self._live.update(text, refresh=True)

    def close(self) -> None:
        self._live.stop()


def _most_moving(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tasks that fit, in plan order; if not all fit, those that wait or are done are left out first."""
    if len(tasks) <= MAX_LINES:
        return tasks
    order = {stage: number for number, stage in enumerate([*STAGES[1:7], "failed", "waiting", "merged", "skipped"])}
    chosen = sorted(tasks, key=lambda task: order.get(task["stage"], 0))[:MAX_LINES]
    ids = {task["task_id"] for task in chosen}
    return [task for task in tasks if task["task_id"] in ids]


def show_end(run: dict[str, Any]) -> None:
    """Print how a run ended and what to do next."""
    mission = own_command()
    click.echo()
    say(headline(run), bold=True)
    say(f"{counts_words(run)} · {spent_words(run)}")
    show_questions(run)
    if run["state"] == "finished":
        say(f"\nThe report:  {mission} report {run['mission_id']}")
        say(f"The branch:  {run['branch']}")
        if (run["landing"] or {}).get("state") == "landed":
            say(f"It has landed on {run['target']}.")
        else:
            say(f"Land it:     {mission} land {run['mission_id']}")
