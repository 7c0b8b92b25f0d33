"""Processes that a killed runner left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from mission.runtime.runner import process_group as processes
from mission.runtime.running.leftovers import end_leftovers


def test_only_processes_with_the_id_in_the_right_variable_are_killed(tmp_path: Path):
    checked = {**os.environ, processes.EVIDENCE_VARIABLE: "ev_leftovers0"}
    executed = {**os.environ, processes.EXECUTION_VARIABLE: "ev_leftovers0"}
    with (
        subprocess.Popen(["sleep", "600"], env=checked) as check,
        subprocess.Popen(["sleep", "600"], env=executed) as execution,
    ):
        found = end_leftovers("ev_leftovers0", tmp_path, variable=processes.EVIDENCE_VARIABLE)
        assert (found, check.wait(timeout=60)) == (1, -signal.SIGKILL)
        assert execution.poll() is None
        execution.kill()


def test_the_group_of_the_program_is_killed_if_one_of_it_has_the_id(tmp_path: Path):
    marked = {**os.environ, processes.EVIDENCE_VARIABLE: "ev_leftovers1"}
    script = "sleep 600 & env -u OPEN_MISSION_EVIDENCE_ID sleep 600 & echo ready; wait"
    pipes = {"stdout": subprocess.PIPE}
    with subprocess.Popen(["/bin/sh", "-c", script], env=marked, start_new_session=True, **pipes) as shell:
        assert shell.stdout.readline() == b"ready\n"
        (tmp_path / "state.json").write_text(json.dumps({"program": shell.pid}))

        assert end_leftovers("ev_leftovers1", tmp_path, variable=processes.EVIDENCE_VARIABLE) >= 2

        assert shell.stdout.read() == b""  # no process holds the pipe any more


def test_a_group_that_another_program_has_by_now_is_left_alone(tmp_path: Path):
    marked = {**os.environ, processes.EVIDENCE_VARIABLE: "ev_leftovers2"}
    with (
        subprocess.Popen(["sleep", "600"], start_new_session=True) as stranger,
        subprocess.Popen(["sleep", "600"], env=marked) as check,
    ):
        (tmp_path / "state.json").write_text(json.dumps({"program": stranger.pid}))

        assert end_leftovers("ev_leftovers2", tmp_path, variable=processes.EVIDENCE_VARIABLE) == 1
        assert check.wait(timeout=60) == -signal.SIGKILL
        assert stranger.poll() is None
        stranger.kill()


def test_there_may_be_none(tmp_path: Path):
    assert end_leftovers("ev_leftovers3", tmp_path / "nowhere") == 0
