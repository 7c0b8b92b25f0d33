"""The runner of a check, as a process: it records the end by itself, and reacts to signals."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.runner import check

PATIENCE = 60.0
LIMITS = {"seconds": 60.0, "idle_seconds": None, "grace_seconds": 5.0}


def plan(command: str, **more: Any) -> dict[str, Any]:
    return {
        "execution_id": "ev_0000000000",
        "argv": ["/bin/sh", "-c", command],
        "directory": "/",
        "environment": {"PATH": os.environ["PATH"]},
        "merged": True,
        "limits": LIMITS,
        **more,
    }


def runner(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "mission.runtime.runner.check", str(folder)])


def ran(folder: Path, command: str, **more: Any) -> dict[str, Any]:
    (folder / "plan.json").write_text(json.dumps(plan(command, **more)))
    assert runner(folder).wait(timeout=PATIENCE) == 0
    return json.loads((folder / "exit.json").read_bytes())


def test_the_end_and_the_output_are_in_the_folder_and_the_environment_is_not(tmp_path: Path):
    end = ran(tmp_path, "echo said; exit 3", environment={"PATH": os.environ["PATH"], "KEY": "s3cret"})

    assert end.pop("seconds") > 0
    assert end.pop("started_at") > 0
    assert end == {"reason": None, "code": 3, "signal": None, "error": None, "left_over": 0, "output_bytes": 5}
    assert (tmp_path / "printed.000000").read_text() == "said\n"
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.iterdir())


def test_a_signal_without_a_name_is_named_by_its_number(tmp_path: Path):
    assert check._signal_name(9) == "SIGKILL"
    assert check._signal_name(40) == "SIG40"


def test_without_a_plan_nothing_runs(tmp_path: Path):
    assert runner(tmp_path).wait(timeout=PATIENCE) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_second_runner_leaves_the_plan_to_the_first(tmp_path: Path):
    (tmp_path / "plan.json").write_text(json.dumps(plan("true")))
    with (tmp_path / "runner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert runner(tmp_path).wait(timeout=PATIENCE) == 1

    assert (tmp_path / "plan.json").exists()


@pytest.mark.parametrize(("sign", "reason"), [(check.STOP, "stopped"), (15, "runner-stopped")])
def test_a_signal_as_soon_as_the_plan_is_taken_ends_the_check(tmp_path: Path, sign: int, reason: str):
    (tmp_path / "plan.json").write_text(json.dumps(plan("sleep 600")))
    process = runner(tmp_path)
    deadline = time.monotonic() + PATIENCE
    while (tmp_path / "plan.json").exists() and time.monotonic() < deadline:
        pass

    process.send_signal(sign)

    assert process.wait(timeout=PATIENCE) == 0
    assert json.loads((tmp_path / "exit.json").read_bytes())["reason"] == reason


def test_a_disk_is_full_only_if_it_has_no_room(tmp_path: Path):
    assert not check._is_full(str(tmp_path))
    assert not check._is_full("/proc")
    assert not check._is_full(str(tmp_path / "nowhere"))
