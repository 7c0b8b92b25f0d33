"""A run from its plan to its landing: a real daemon process, scripted agents in real worktrees, on both databases."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mission.settings import Settings
from tests.driven_runs import WORKER
from tests.transports.cli.program import Program, program

PLAN = """\
[mission]
name = "Shop"
objective = "Every shelf is filled"
repository = "."
checks = [{{name = "no shelf is empty", run = "! grep -L . shelves/* | grep ."}}]
final_checks = ["test -f shelves/bread", "test -f shelves/fruit", "test -f shelves/milk"]
review = "none"
retry_minutes = [0.001]

[[agents]]
client = "command"
count = 4
command = {command}

[[tasks]]
name = "lies"
description = '''DO lie-once shelves/fruit'''
checks = ["test -f shelves/fruit"]

[[tasks]]
name = "crashes"
description = '''DO crash-once
DO write shelves/milk fresh'''

[[tasks]]
name = "prices"
description = '''DO meet bakery 2
DO write shelves/bread rye 3'''

[[tasks]]
name = "other prices"
description = '''DO meet bakery 2
DO write shelves/bread rye 4'''

[[tasks]]
name = "afterwards"
description = '''DO write shelves/list fruit milk bread'''
depends_on = ["lies", "crashes", "prices", "other prices"]
checks = ["ls shelves/fruit shelves/milk shelves/bread"]
"""
OURS = "refs/heads/mission/"


@pytest.fixture
def mission(settings: Settings) -> Iterator[Program]:
    limits = {"MISSION_AGENT_SLOTS": "4", "MISSION_MIN_FREE_GB": "0"}
    where = {"MISSION_DATABASE_URL": settings.database_url, "MISSION_HOST_ID": settings.host_id}
    with program(settings.home, **limits, **{name: value for name, value in where.items() if value}) as made:
        yield made


@pytest.fixture
def shop(repository: Path, git: Any, tmp_path: Path) -> Path:
    """A repository in use: staged and unstaged changes, an unknown file, a stash and another branch."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (repository / "shelves").mkdir()
    for name in ("salt", "sugar"):
        (repository / "shelves" / name).write_text(f"{name}\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Shelves")
    git(repository, "branch", "idea")
    (repository / "shelves" / "salt").write_text("put away\n")
    git(repository, "stash", "push", "--quiet")
    (repository / "shelves" / "salt").write_text("staged\n")
    git(repository, "add", "shelves/salt")
    (repository / "shelves" / "sugar").write_text("brown\n")
    (repository / "plan.toml").write_text(PLAN.format(command=json.dumps([sys.executable, "-u", WORKER, str(notes)])))
    return repository


def state_of(repository: Path) -> dict[str, Any]:
    """Return everything in a repository that belongs to its user."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True, text=True).stdout

    refs = git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    files = [path for path in sorted(repository.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return {
        "head": (repository / ".git" / "HEAD").read_text(),
        "refs": [line for line in refs if not line.startswith(OURS)],
        "stash": git("stash", "list", "--format=%H"),
        "index": hashlib.sha256((repository / ".git" / "index").read_bytes()).hexdigest(),
        "config": (repository / ".git" / "config").read_text(),
        "files": {str(path.relative_to(repository)): (path.read_text(), path.stat().st_mtime_ns) for path in files},
    }


def test_a_liar_a_crash_and_a_conflict_end_as_proved_work_that_lands(mission: Program, shop: Path, git: Any) -> None:
    before = state_of(shop)

    done = mission.run("run", "plan.toml", "--wait", folder=shop, seconds=300)

    assert done.code == 0, done.out + done.err
    run = mission.does("runs", mission.does("runs")["runs"][0]["run_id"])
    tasks = {task["name"]: task for task in run["tasks"]}
    assert {(task["stage"], task["proof_state"]) for task in tasks.values()} == {("merged", "proved")}
    assert (tasks["lies"]["revisions"], tasks["crashes"]["attempts"]) == (1, 1)
    assert sorted(tasks[name]["revisions"] for name in ("prices", "other prices")) == [0, 1]
    assert run["spent"]["launches"] == 5 + 3
    assert state_of(shop) == before

    landed = mission.run("land", run["mission_id"])

    assert landed.code == 0, landed.err
    assert git(shop, "rev-parse", "main") == run["tip"]
    assert git(shop, "branch", "--list", "mission/*") == ""
    assert (shop / "shelves" / "fruit").read_text() == "really done\n"
    after = state_of(shop)
    assert after["stash"] == before["stash"]
    assert git(shop, "diff", "--cached", "--name-only") == "shelves/salt"
    assert git(shop, "diff", "--name-only") == "shelves/sugar"
