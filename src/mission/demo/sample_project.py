"""The sample project of the demo: a small program, built in tasks by agents that do not get everything right."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MISSION = "Ledger for the shop"
OBJECTIVE = "A small ledger: entries, balances, bank statements, and commands to show them"
COMMANDS = "src/ledger/commands.py"
REPOSITORY = {
    "README.md": "# Shop ledger\n\nWhat comes in, what goes out, and what is left.\n",
    "src/ledger/__init__.py": '"""The ledger of a small shop."""\n',
    COMMANDS: '"""What can be typed after `ledger`."""\n\nCOMMANDS = {\n}\n',
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleTask:
    """One task of the plan, and the files that its agent creates."""

    name: str
    goal: str
    after: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None
    """The line that it adds to the commands, where another task adds one too."""
    draft: Mapping[str, str] = field(default_factory=dict)
    """Files that are reported as done too early."""
    crashes: bool = False
    """Whether its first agent dies when half of the work is written."""
    question: str | None = None
    """What its agent asks before it begins."""

    def planned(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.goal, "depends_on": list(self.after)}


TOTAL = SampleTask(
    name="Add up all entries",
    goal="`ledger total` prints the sum of all entries.",
    files={
        "src/ledger/total.py": '''"""The sum of all entries."""


def total(entries: list) -> int:
    return sum(entry.cents for entry in entries)
'''
    },
    command='    "total": "ledger.total:total",\n',
)
EXPORT = SampleTask(
    name="Export entries as CSV",
    goal="`ledger export` writes all entries as CSV.",
    files={
        "src/ledger/export.py": '''"""Entries as CSV."""

import csv
import sys


def export(entries: list) -> None:
    writer = csv.writer(sys.stdout)
    writer.writerows((entry.day, entry.account, entry.text, entry.cents) for entry in entries)
'''
    },
    command='    "export": "ledger.export:export",\n',
)
ENTRIES = SampleTask(
    name="Keep entries",
    goal="An entry has a day, an account, a text and an amount in cents; the sum of a booking is zero.",
    files={
        "src/ledger/entries.py": '''"""Entries of the ledger."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    day: date
    account: str
    text: str
    cents: int


def balanced(entries: list[Entry]) -> bool:
    return sum(entry.cents for entry in entries) == 0
'''
    },
    draft={
        "src/ledger/entries.py": '''"""Entries of the ledger."""


def balanced(entries: list) -> bool:
    return True  # TODO: add up the cents
'''
    },
)
BALANCES = SampleTask(
    name="Report balances",
    goal="Show the balance of each account, in the order people expect.",
    files={
        "src/ledger/report.py": '''"""Balances, account by account."""

from collections import Counter


def balances(entries: list) -> dict[str, int]:
    found: Counter[str] = Counter()
    for entry in entries:
        found[entry.account] += entry.cents
    return dict(sorted(found.items()))
'''
    },
    question="Accounts with a balance of zero: show them in the report?",
)
CHOICES = ("Hide them", "Show them all")
STATEMENTS = SampleTask(
    name="Import bank statements",
    goal="Read the bank's CSV files; a line that cannot be read is reported, not skipped.",
    files={
        "src/ledger/bank.py": '''"""Bank statements as entries."""

import csv
from datetime import date
from pathlib import Path


def read(path: Path) -> list[tuple[date, str, str, int]]:
    with path.open(newline="") as file:
        return [_entry(number, row) for number, row in enumerate(csv.reader(file), start=1)]


def _entry(number: int, row: list[str]) -> tuple[date, str, str, int]:
    try:
        day, account, text, amount = row
        return date.fromisoformat(day), account, text, round(float(amount) * 100)
    except ValueError as problem:
        raise ValueError(f"line {number} cannot be read: {problem}") from None
'''
    },
    crashes=True,
)
NOTES = SampleTask(
    name="Write release notes",
    goal="Say in a few lines what the first version can do.",
    after=(TOTAL.name, EXPORT.name, ENTRIES.name, BALANCES.name, STATEMENTS.name),
    files={"docs/release-notes.md": "# 0.1\n\nReads bank statements, keeps entries, reports balances.\n"},
)
TASKS = (TOTAL, EXPORT, ENTRIES, BALANCES, STATEMENTS, NOTES)
"""In the order in which they start: the two that conflict come first."""
AGENTS = 5

CHECK = {"name": "no TODO is left", "run": "! git grep --untracked --line-number TODO -- src docs"}
"""What must pass before a result is merged. It needs nothing but git."""
FINAL_CHECK = {
    "name": "everything is there",
    "run": " ".join(["git ls-files --error-unmatch", *sorted(name for task in TASKS for name in task.files)]),
}


def plan(repository: Path, *, command: Sequence[str], retry_seconds: float) -> dict[str, Any]:
    """Return the plan of the demo as run_start takes it; `command` is the program that plays its agents."""
    mission = {
        "name": MISSION,
        "objective": OBJECTIVE,
        "repository": str(repository),
        "checks": [CHECK],
        "final_checks": [FINAL_CHECK],
        "review": "none",
        "retry_minutes": [retry_seconds / 60],
    }
    agents = {"client": "command", "count": AGENTS, "command": list(command)}
    return {"mission": mission, "agents": [agents], "tasks": [task.planned() for task in TASKS]}


def create_repository(path: Path) -> None:
    """Create a git repository with a first commit."""
    for name, text in REPOSITORY.items():
        write_file(path / name, text)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", path], check=True)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--message", "Begin the ledger")


def write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def git(folder: Path, *arguments: str) -> str:
    """Run git with the demo's own user, independent of the local configuration."""
    person = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *person, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
