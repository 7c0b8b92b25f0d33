"""The demonstration, played as a user plays it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE = 300.0
PRINTED = re.compile(r": +'?((?:mission|git) .+?)(?:' in another terminal)?$")
"""A command that stands at the end of a line, after a colon."""
UNHURRIED = f"""#!/bin/sh
exec "{sys.executable}" -u -c '
import sys
from mission.transports.cli.system import demo
from mission.__main__ import main
sys.argv[0] = "mission"
demo.SLOW_SECONDS = demo.QUICK_SECONDS
main()' "$@"
"""
"""The program, whose demonstration asks the person and yet makes no pauses."""


@pytest.fixture
def home(tmp_path: Path, _sqlite_template: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    return home


def test_the_quick_demonstration_plays_to_its_end_and_cleans_up(home: Path) -> None:
    environment = {**os.environ, "MISSION_HOME": str(home), "MISSION_PORT": "0"}

    def mission(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mission", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    try:
        played = mission("demo", "--quick", "--json")
        assert played.returncode == 0, played.stderr
        summary = json.loads(played.stdout)
        assert (summary["tasks_completed"], summary["tasks_total"], summary["executions"]) == (6, 6, 3)
        assert summary["evidence"] == {"proved": 6, "unproved": 0, "accepted": 0, "failing": 0}
        told = played.stderr.splitlines()
        refused = next(number for number, line in enumerate(told) if "is refused, 'no TODO is left' failed" in line)
        assert "src/ledger/entries.py:5:    return True  # TODO" in told[refused]
        assert any("completed 'Keep entries': 1 added, proved" in line for line in told[refused:])
        assert "died in the middle" in played.stderr
        assert "takes over 'Import bank statements', left at: Half of bank.py is written" in played.stderr
        assert "is blocked" in played.stderr
        answered = json.loads(mission("inbox", "--all", "--json").stdout)["items"]
        closed = {(item["kind"], item["closed_by"]) for item in answered if item["state"] == "dismissed"}
        assert closed == {("failure", "system")}  # another agent took over
        assert not [item for item in answered if item["state"] == "open"]
        assert {item["kind"] for item in answered} == {"question", "blocker", "failure"}
        merged = Path(summary["repository"]) / "src" / "ledger" / "report.py"
        assert merged.exists()
        assert list((home / "worktrees").rglob("*.py")) == []
    finally:
        stopped = mission("down", "--force")
    assert stopped.returncode == 0, stopped.stderr


def test_every_command_that_the_demonstration_prints_works(home: Path, tmp_path: Path) -> None:
    mission = tmp_path / "bin" / "mission"
    mission.parent.mkdir()
    mission.write_text(UNHURRIED)
    mission.chmod(0o755)
    path = f"{mission.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "MISSION_HOME": str(home), "MISSION_PORT": "0", "PATH": path, "BROWSER": "true"}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    playing = subprocess.Popen([mission, "demo"], env=environment, stdout=subprocess.PIPE, text=True)
    done = {}
    try:
        assert playing.stdout is not None
        for line in playing.stdout:
            if found := PRINTED.search(line):
                done[found[1]] = run(found[1])
        assert playing.wait(PATIENCE) == 0
        left = json.loads(run("mission missions --json").stdout)["workflows"]
    finally:
        playing.kill()
        stopped = run("mission down --force")
    assert {command: (each.returncode, each.stderr) for command, each in done.items()} == dict.fromkeys(done, (0, ""))
    verbs = [command.split()[3 if command.startswith("git") else 1] for command in done]
    assert sorted(verbs) == ["answer", "answer", "delete", "evidence", "log", "open", "show"]
    (record,) = [each.stdout for command, each in done.items() if " show " in command]
    assert "Decisions" in record
    assert left == []
    assert stopped.returncode == 0, stopped.stderr


def test_a_demonstration_broken_off_in_the_middle_ends_at_once_and_leaves_nothing_running(home: Path) -> None:
    environment = {**os.environ, "MISSION_HOME": str(home), "MISSION_PORT": "0"}

    def mission(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mission", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    command = [sys.executable, "-u", "-m", "mission", "demo"]
    playing = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )
    try:
        assert playing.stdout is not None
        heard = next(line for line in playing.stdout if "takes" in line)
        playing.send_signal(signal.SIGINT)
        rest, _ = playing.communicate(timeout=PATIENCE)
        assert playing.returncode == 1, heard
        assert "none of its agents is running" in rest
        assert json.loads(mission("executions", "--json").stdout)["executions"] == []
        assert [each["status"] for each in json.loads(mission("missions", "--json").stdout)["workflows"]] == ["failed"]
    finally:
        playing.kill()
        stopped = mission("down", "--force")
    assert stopped.returncode == 0, stopped.stderr
