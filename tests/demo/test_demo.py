"""The demo, played as a user plays it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PATIENCE = 300.0
PRINTED = re.compile(r"(?:: +'?|^ +)((?:mission|git) .+?)(?:' in another terminal)?$")
"""A command that stands at the end of a line after a colon, or alone."""
UNHURRIED = f"""#!/bin/sh
exec "{sys.executable}" -u -c '
import sys
from mission.transports.cli.system import demo
from mission.__main__ import main
sys.argv[0] = "mission"
demo.SLOW_SECONDS = demo.QUICK_SECONDS
main()' "$@"
"""
"""The program, whose demo asks the person and yet makes no pauses."""


@dataclass(frozen=True, kw_only=True)
class Shell:
    """A user's shell with Mission Control in a home of its own."""

    home: Path
    program: Path

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.program.parent}{os.pathsep}{os.environ['PATH']}"
        own = {"MISSION_HOME": str(self.home), "MISSION_PORT": "0", "PATH": path, "BROWSER": "true"}
        return {**os.environ, **own, "MISSION_AGENT_SLOTS": "5", "MISSION_MIN_FREE_GB": "0"}

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, shell=True, env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )

    def rows(self, command: str, name: str) -> list[dict[str, object]]:
        return json.loads(self.run(f"mission {command} --json").stdout)[name]

    def left(self) -> tuple[list[dict[str, object]], list[dict[str, object]], list[str]]:
        """Return the missions, agents and folders that are left."""
        return self.rows("missions", "workflows"), self.rows("agents", "agents"), self._folders()

    def _folders(self) -> list[str]:
        kept = [path for name in ("demo", "worktrees") for path in (self.home / name).rglob("*") if path.is_dir()]
        return [str(path.relative_to(self.home)) for path in kept if ".making" not in path.parts]


@pytest.fixture
def shell(tmp_path: Path, _sqlite_template: Path) -> Iterator[Shell]:
    home, program = tmp_path / "home", tmp_path / "bin" / "mission"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    program.parent.mkdir()
    program.write_text(UNHURRIED)
    program.chmod(0o755)
    made = Shell(home=home, program=program)
    yield made
    stopped = made.run("mission down --force")
    assert stopped.returncode == 0, stopped.stderr


def test_the_quick_demo_tells_how_a_run_deals_with_five_agents(shell: Shell) -> None:
    played = shell.run("mission demo --quick --json")

    assert played.returncode == 0, played.stderr
    summary = json.loads(played.stdout)
    numbers = {name: summary[name] for name in ("state", "tasks_merged", "tasks_total", "proved", "launches")}
    assert numbers == {"state": "finished", "tasks_merged": 6, "tasks_total": 6, "proved": 6, "launches": 8}
    told = played.stderr
    assert told.count("An agent starts on") == 6
    assert "'no TODO is left' fails on the merged tree. The report on 'Keep entries' is rejected:" in told
    assert "src/ledger/entries.py:5:    return True  # TODO: add up the cents" in told
    assert "The agent on 'Keep entries' has fixed it and reports again." in told
    assert re.search(r"'(Add|Export) .+' conflicts with '(Add|Export) .+' in src/ledger/commands.py", told)
    assert "has combined both sides and reports again." in told
    assert "The agent on 'Import bank statements' died in the middle of its work: killed by SIGKILL." in told
    assert "takes over 'Import bank statements' in the same worktree. Its last note was: Half of bank.py" in told
    assert "The agent on 'Report balances' asks you: Accounts with a balance of zero" in told
    assert "The demo answers for you: Hide them" in told
    assert told.count("proved and merged.") == 6
    assert "answer q_" not in told
    assert [item["state"] for item in shell.rows("inbox --all", "items")] == ["answered"]
    branches = shell.run(f"git -C {summary['repository']} show main:src/ledger/report.py")
    assert branches.returncode != 0, "the run touched the user's branch"
    removed = shell.run("mission demo --remove")  # without landing it
    assert (removed.returncode, removed.stdout, removed.stderr) == (0, "Removed 1 demo.\n", "")
    assert shell.left() == ([], [], [])
    assert shell.run("mission demo --remove").stdout == "Removed 0 demos.\n"


def test_every_command_that_the_demo_prints_works_and_the_last_one_leaves_nothing(shell: Shell) -> None:
    playing = subprocess.Popen(["mission", "demo"], env=shell.environment, stdout=subprocess.PIPE, text=True)
    done: dict[str, subprocess.CompletedProcess[str]] = {}
    try:
        assert playing.stdout is not None
        for line in playing.stdout:
            if found := PRINTED.search(line.rstrip("\n")):
                done[found[1]] = shell.run(found[1])
        assert playing.wait(PATIENCE) == 0
    finally:
        playing.kill()

    assert {command: (each.returncode, each.stderr) for command, each in done.items()} == dict.fromkeys(done, (0, ""))
    words = [command.split() for command in done]
    assert [each[3 if each[0] == "git" else 1] for each in words] == [
        *("open", "answer", "show", "report", "evidence", "log", "land", "demo")
    ]
    shown = {each[1]: answer.stdout for each, answer in zip(words, done.values(), strict=True)}
    assert "6 of 6 merged: 6 proved" in shown["report"]
    assert "Run:       finished (" in shown["show"]
    assert "Landed" in shown["land"]
    assert shown["demo"] == "Removed 1 demo.\n"
    assert shell.left() == ([], [], [])


def test_an_interrupted_demo_ends_at_once_without_a_traceback_and_leaves_nothing(shell: Shell) -> None:
    playing = subprocess.Popen(
        [sys.executable, "-u", "-m", "mission", "demo"],
        env=shell.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )
    try:
        assert playing.stdout is not None
        heard = next(line for line in playing.stdout if "An agent starts on" in line)
        playing.send_signal(signal.SIGINT)
        rest, _ = playing.communicate(timeout=PATIENCE)
    finally:
        playing.kill()

    assert playing.returncode == 130, heard + rest
    assert "Interrupted. Stopping the agents" in rest
    assert "Traceback" not in rest
    assert shell.rows("executions --all", "executions") == []
    assert shell.left() == ([], [], [])
