"""The files of a check, as the daemon reads them."""

from __future__ import annotations

import fcntl
from pathlib import Path

from mission.runtime.checking.check_folder import give_up, has_plan, record_exit, recorded_exit, runner_id


def test_a_runner_is_known_by_its_lock(tmp_path: Path):
    assert runner_id(tmp_path) is None
    with (tmp_path / "runner.lock").open("w") as lock:
        lock.write("4711\n")
        lock.flush()
        assert runner_id(tmp_path) is None
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert runner_id(tmp_path) == 4711
    assert runner_id(tmp_path) is None


def test_a_runner_without_room_for_its_id_still_runs(tmp_path: Path):
    with (tmp_path / "runner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert runner_id(tmp_path) == 0


def test_a_plan_is_given_up_once(tmp_path: Path):
    (tmp_path / "plan.json").write_text("{}")

    assert has_plan(tmp_path)
    assert give_up(tmp_path)
    assert not has_plan(tmp_path)
    assert not give_up(tmp_path)


def test_a_recorded_end_can_be_read_and_is_private(tmp_path: Path):
    assert recorded_exit(tmp_path) is None
    record_exit(tmp_path, {"reason": "stopped"})

    assert recorded_exit(tmp_path) == {"reason": "stopped"}
    assert (tmp_path / "exit.json").stat().st_mode & 0o777 == 0o600
