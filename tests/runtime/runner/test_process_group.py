"""The processes of an execution, found wherever they went."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mission.runtime.runner import process_group

X = "x_findme0000"
FAR = "x_another000"
WAITS = [sys.executable, "-c", "import sys; print('ready', flush=True); sys.stdin.read()"]


@contextmanager
def running(execution_id: str | None, *, leads: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, **({process_group.EXECUTION_VARIABLE: execution_id} if execution_id else {})}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(WAITS, env=environment, start_new_session=leads, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield process
        finally:
            process.kill()


def test_members_are_its_group_its_id_and_its_descendants_and_never_ourselves():
    with running(X) as marked, running(None, leads=True) as led, running(FAR) as far:
        assert process_group.members(X, group=None) == {marked.pid}
        assert process_group.members(X, group=led.pid) == {marked.pid, led.pid}
        below = process_group.members(X, group=None, below=os.getpid())
        assert {marked.pid, led.pid, far.pid} <= below
        assert os.getpid() not in below


def test_one_that_ended_is_no_longer_a_member_even_before_it_is_collected():
    with running(X) as process:
        process.kill()
        deadline = time.monotonic() + 30
        while process_group.members(X, group=None):
            assert time.monotonic() < deadline
            time.sleep(0.01)

        assert process.returncode is None


def test_a_signal_reaches_every_member_and_nobody_else():
    with running(X) as marked, running(None, leads=True) as led, running(FAR) as far:
        assert process_group.send(X, signal.SIGTERM, group=led.pid) == {marked.pid, led.pid}

        assert marked.wait(30) == led.wait(30) == -signal.SIGTERM
        assert far.poll() is None


def test_a_signal_to_a_group_that_is_gone_reaches_nobody():
    with running(None, leads=True) as led:
        led.kill()
        led.wait()

        assert process_group.send(X, signal.SIGTERM, group=led.pid) == set()


def test_where_there_is_no_proc_the_list_of_ps_tells_the_same(monkeypatch, tmp_path):
    listing = tmp_path / "ps"
    rows = [
        f"  11  50 S    agent {process_group.EXECUTION_VARIABLE}={X} A=1",
        f"  12  50 Z    agent {process_group.EXECUTION_VARIABLE}={X}",
        "  13  77 S+   helper",
        f"  14  50 R    agent {process_group.EXECUTION_VARIABLE}={FAR}",
        "nonsense",
    ]
    listing.write_text("#!/bin/sh\n" + "".join(f"echo '{row}'\n" for row in rows))
    listing.chmod(0o755)
    monkeypatch.setattr(process_group, "PROC", str(tmp_path / "nowhere"))
    monkeypatch.setattr(process_group, "PS", (str(listing),))

    assert process_group.members(X, group=77) == {11, 13}
    monkeypatch.setattr(process_group, "PS", (str(tmp_path / "nowhere"),))
    assert process_group.members(X, group=77) == set()
