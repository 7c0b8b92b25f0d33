"""Whether a program gets on or only waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mission.git.stuck_process import ProgressWatch

PATIENCE = 30
WAITING = "print('on', flush=True); input()"
BUSY = "print('on', flush=True)\nwhile True: pass"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"


@contextmanager
def running(code: str) -> Iterator[int]:
    """A program, or what it started, that has said it is on its way; it leads a group of its own."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    program = subprocess.Popen([sys.executable, "-c", code], **pipes, start_new_session=True)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == b"on\n"
        yield program.pid
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()


def reaches(stillness: ProgressWatch, *, still: bool) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        stillness.idle_seconds()
        time.sleep(0.05)
        if (stillness.idle_seconds() >= 0.05) is still:
            return True
    return False


def test_a_program_that_waits_stands_still() -> None:
    with running(WAITING) as group:
        assert reaches(ProgressWatch(group), still=True)


def test_a_program_is_not_still_while_what_it_started_works() -> None:
    with running(PARENT) as group:
        assert reaches(ProgressWatch(group), still=False)


def test_a_program_that_is_gone_is_still() -> None:
    with running(WAITING) as group:
        pass

    assert reaches(ProgressWatch(group), still=True)
