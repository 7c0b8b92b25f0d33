"""The sample project of the demo: a small program, built in tasks that depend on each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MISSION = "Ledger for the shop"
PROMPT = "Build a small double-entry ledger: entries, a balance report, CSV import and a command line."
SUMMARY = "Decide on money first, build the three parts in parallel, then add a command line."
REPOSITORY = {
    "README.md": "# Shop ledger\n\nWhat comes in, what goes out, and what is left.\n",
    "src/ledger/__init__.py": '"""The ledger of a small shop."""\n',
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleTask:
    """One task of the plan, and the files that it creates."""

    name: str
    goal: str
    phase: int
    after: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    draft: Mapping[str, str] = field(default_factory=dict)
    """Files that are reported as done too early."""

    def planned(self) -> dict[str, object]:
        side_by_side = {"parallel_group": "parts"} if self.phase == 2 else {}
        return {
            "name": self.name,
            "description": self.goal,
            "sequence": self.phase,
            "depends_on": list(self.after),
            "files_likely_affected": list(self.areas),
            **side_by_side,
        }


MONEY = SampleTask(
    name="Choose how money is kept",
    goal="Decide on one type for amounts and write down why.",
    phase=1,
    areas=("docs",),
    files={"docs/money.md": "# Money\n\nAmounts are whole cents. Nothing is ever rounded while it is added up.\n"},
)
ENTRIES = SampleTask(
    name="Keep entries",
    goal="An entry has a day, an account, a text and an amount; the sum of a booking is zero.",
    phase=2,
    after=(MONEY.name,),
    areas=("src",),
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
REPORT = SampleTask(
    name="Report balances",
    goal="Show the balance of each account, in the order people expect.",
    phase=2,
    after=(MONEY.name,),
    areas=("src",),
    files={
        "src/ledger/report.py": '''"""Balances, account by account."""

from collections import Counter

from ledger.entries import Entry


def balances(entries: list[Entry]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for entry in entries:
        found[entry.account] += entry.cents
    return dict(sorted(found.items()))
'''
    },
)
IMPORT = SampleTask(
    name="Import bank statements",
    goal="Read the bank's CSV files; a line that cannot be read is named, not skipped.",
    phase=2,
    after=(MONEY.name,),
    areas=("src",),
    files={
        "src/ledger/bank.py": '''"""Bank statements as entries."""

import csv
from datetime import date
from pathlib import Path

from ledger.entries import Entry


def read(path: Path) -> list[Entry]:
    with path.open(newline="") as file:
        return [_entry(number, row) for number, row in enumerate(csv.reader(file), start=1)]


def _entry(number: int, row: list[str]) -> Entry:
    try:
        day, account, text, amount = row
        return Entry(date.fromisoformat(day), account, text, round(float(amount) * 100))
    except ValueError as problem:
        raise ValueError(f"line {number} cannot be read: {problem}") from None
'''
    },
)
COMMAND = SampleTask(
    name="Put a command line on top",
    goal="`ledger report FILE` prints the balances of a bank statement.",
    phase=3,
    after=(ENTRIES.name, REPORT.name, IMPORT.name),
    areas=("src",),
    files={
        "src/ledger/__main__.py": '''"""`python -m ledger FILE`"""

import sys
from pathlib import Path

from ledger.bank import read
from ledger.report import balances

for account, cents in balances(read(Path(sys.argv[1]))).items():
    print(f"{account:20} {cents / 100:10.2f}")
'''
    },
)
NOTES = SampleTask(
    name="Write release notes",
    goal="Say in a few lines what the first version can do.",
    phase=4,
    after=(COMMAND.name,),
    areas=("docs",),
    files={
        "docs/release-notes.md": "# 0.1\n\nReads bank statements, keeps entries, reports balances.\n",
        "CHANGELOG.md": "## 0.1\n\n- First version.\n",
    },
)
JOBS = (MONEY, ENTRIES, REPORT, IMPORT, COMMAND, NOTES)
BY_NAME = {job.name: job for job in JOBS}

CHECK = {"name": "no TODO is left", "run": "! git grep --untracked --line-number TODO -- src docs"}
"""What must pass before a task is done. It needs nothing but git."""

DECISION = {
    "category": "architecture",
    "question": "How are amounts of money kept?",
    "options_considered": ["float", "Decimal", "whole cents"],
    "chosen": "whole cents",
    "reasoning": "Sums stay exact, and the files stay readable for every other tool.",
    "trade_offs": "Currencies without cents need a factor of their own.",
}
QUESTION = "Accounts with a balance of zero: show them in the report?"
CHOICES = ("Hide them", "Show them all")
BLOCKER = "The command would print amounts with a comma in German and a point in English. Which one should it be?"
BLOCKER_ANSWER = "A point, always: other programs read the output."
