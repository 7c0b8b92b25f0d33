"""Who may run a plan: the first runner of its folder, once."""

from __future__ import annotations

import fcntl
from pathlib import Path

from mission.runtime.runner import __main__ as runner


def test_without_a_plan_there_is_nothing_to_run_and_no_lock_stays(tmp_path: Path) -> None:
    assert runner.main(str(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_is_left_alone(tmp_path: Path) -> None:
    assert runner.main(str(tmp_path / "nowhere")) == 1


def test_a_second_runner_leaves_the_plan_to_the_first(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    with (tmp_path / "runner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert runner.main(str(tmp_path)) == 1

    assert (tmp_path / "plan.json").exists()
