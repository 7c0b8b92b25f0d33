"""The demonstration, played as a user plays it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE = 300.0


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
        assert "died in the middle" in played.stderr
        assert "takes over 'Import bank statements', left at: Half of bank.py is written" in played.stderr
        assert "is blocked" in played.stderr
        answered = json.loads(mission("inbox", "--all", "--json").stdout)["items"]
        assert {item["state"] for item in answered} == {"answered"}
        assert {item["kind"] for item in answered} == {"question", "blocker"}
        merged = Path(summary["repository"]) / "src" / "ledger" / "report.py"
        assert merged.exists()
        assert list((home / "worktrees").rglob("*.py")) == []
    finally:
        stopped = mission("down", "--force")
    assert stopped.returncode == 0, stopped.stderr


def test_a_demonstration_broken_off_in_the_middle_ends_at_once_and_leaves_nothing_running(home: Path) -> None:
    environment = {**os.environ, "MISSION_HOME": str(home), "MISSION_PORT": "0"}

    def mission(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mission", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    command = [sys.executable, "-u", "-m", "mission", "demo"]
    playing = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        assert playing.stdout is not None
        heard = next(line for line in playing.stdout if "takes" in line)
        playing.send_signal(signal.SIGINT)
        rest, _ = playing.communicate(timeout=PATIENCE)
        assert playing.returncode == 1, heard
        assert "nothing of it runs" in rest
        assert json.loads(mission("executions", "--json").stdout)["executions"] == []
        assert [each["status"] for each in json.loads(mission("missions", "--json").stdout)["workflows"]] == ["failed"]
    finally:
        playing.kill()
        stopped = mission("down", "--force")
    assert stopped.returncode == 0, stopped.stderr
