"""The plan in a runner's folder: one runner takes it, once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mission.runtime.runner.plan_file import LOCK, PLAN

TAKES = """
import sys
from mission.runtime.runner.plan_file import take_plan
print(take_plan(sys.argv[1]), flush=True)
sys.stdin.read()
"""


def take(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", TAKES, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_the_first_runner_takes_the_plan_and_leaves_its_process_id(tmp_path: Path):
    (tmp_path / PLAN).write_text('{"a": 1}')

    with take(tmp_path) as first:
        assert first.stdout.readline() == b"{'a': 1}\n"
        with take(tmp_path) as second:
            assert second.communicate()[0] == b"None\n"
        assert (tmp_path / LOCK).read_text() == f"{first.pid}\n"
        first.communicate()

    assert list(tmp_path.iterdir()) == [tmp_path / LOCK]


def test_without_a_plan_no_lock_is_left(tmp_path: Path):
    assert take(tmp_path).communicate()[0] == b"None\n"
    assert list(tmp_path.iterdir()) == []
