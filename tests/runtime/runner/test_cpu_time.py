"""CPU time from /proc and from ps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mission.runtime.runner import cpu_time

BURNS = """
import os, sys, time
while time.process_time() < 0.3:
    pass
print("burnt", flush=True)
sys.stdin.read()
"""


def test_the_time_of_all_processes_is_added_up_and_ended_ones_count_nothing():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BURNS], **pipes) as burns:
        assert burns.stdout.readline() == b"burnt\n"
        alone = cpu_time.cpu_seconds({burns.pid})
        assert 0.25 <= alone < 30
        assert cpu_time.cpu_seconds({burns.pid, 2**22 + 1}) == alone
        burns.communicate()

    assert cpu_time.cpu_seconds(set()) == 0


def test_without_proc_ps_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "rows").write_text(
        "    1   0:00.50\n   20  1:02.25\n  300 1-02:03:04\n 4000 nonsense\n 5000 7\n garbage\n"
    )
    monkeypatch.setattr(cpu_time, "PROC", str(tmp_path))
    monkeypatch.setattr(cpu_time, "PS", ("/bin/cat", str(tmp_path / "rows")))

    assert cpu_time.cpu_seconds({1}) == 0.5
    assert cpu_time.cpu_seconds({1, 20}) == 62.75
    assert cpu_time.cpu_seconds({300}) == ((1 * 24 + 2) * 60 + 3) * 60 + 4
    assert cpu_time.cpu_seconds({4000, 5000, 6000}) == 0


def test_without_proc_and_ps_no_time_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cpu_time, "PROC", str(tmp_path))
    monkeypatch.setattr(cpu_time, "PS", ("/nowhere/ps",))

    assert cpu_time.cpu_seconds({1}) == 0
