"""The launched program, on pipes and on a terminal, and its end."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.runner.program import Program, why_not_started
from tests import forked_processes

PATIENCE = 30


def plan(code: str, **more: Any) -> dict[str, Any]:
    environment = {"PATH": os.environ["PATH"]}
    argv = [sys.executable, "-u", "-c", code]
    return {"execution_id": "x_program000", "argv": argv, "directory": "/", "environment": environment, **more}


def started(code: str, **more: Any) -> Program:
    """Start the program with streams of its own: it closes them by number, and a file would close that number again."""
    program = Program(plan(code, **more))
    for file in filter(None, (program._process.stdout, program._process.stderr)):
        name = program.streams.pop(file.fileno())
        program.streams[os.dup(file.fileno())] = name
        file.close()
    return program


def ended(program: Program) -> tuple[dict[str, bytes], int]:
    """Read the program to its end; returns what it printed and how much it left behind."""
    said = {"out": b"", "err": b""}
    deadline = time.monotonic() + PATIENCE
    left = None
    while left is None or program.streams:
        assert time.monotonic() < deadline
        for descriptor in select.select(list(program.streams), [], [], 0.02)[0]:
            try:
                data = os.read(descriptor, 4096)
            except OSError:  # a terminal that nobody has open
                data = b""
            said[program.streams[descriptor]] += data
            if not data:
                program.close(descriptor)
        reap(program)
        left = program.tend()
    return said, left


def reap(program: Program) -> None:
    """As the runner does, but only of this program: the tests have other children."""
    if program.exit_status is None and (status := program._process.poll()) is not None:
        program.exit_status = status


@pytest.fixture(autouse=True)
def _only_its_group(monkeypatch):
    """The tests' own children are not the program's."""
    monkeypatch.setattr("mission.runtime.runner.program.os.getpid", lambda: -1)


def test_its_two_streams_its_environment_and_its_exit_code_are_told_apart():
    code = "import os, sys; print(sorted(os.environ)); print('oops', file=sys.stderr); sys.exit(3)"
    program = started(code)

    said, left = ended(program)

    assert b"OPEN_MISSION_AGENT_EXECUTION_ID" in said["out"]
    assert b"HOME" not in said["out"]
    assert said["err"] == b"oops\n"
    assert (program.exit_status, left, program.is_ending, program.is_being_stopped) == (3, 0, True, False)


def test_it_has_no_keyboard_on_pipes():
    program = started("import sys; print(repr(sys.stdin.read()))")
    program.resize(10, 10)

    said, _ = ended(program)

    assert program.keyboard is None
    assert said["out"] == b"''\n"


def test_a_terminal_has_the_size_it_was_given_and_takes_what_is_typed():
    code = "import os; print(os.get_terminal_size(), flush=True); print(input()[::-1]); print(os.get_terminal_size())"
    program = started(code, terminal={"rows": 33, "columns": 99})
    assert program.keyboard is not None
    program.resize(44, 111)
    os.write(program.keyboard, b"abc\n")

    said, _ = ended(program)

    assert b"cba" in said["out"]
    assert b"columns=111, lines=44" in said["out"]
    assert (program.exit_status, program.keyboard) == (0, None)


def test_a_program_that_will_not_end_is_killed_after_its_grace():
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
    program = started(code)
    assert select.select(list(program.streams), [], [], PATIENCE)[0]

    program.stop(grace=0)
    program.stop(grace=1000)  # the first word counts
    _, left = ended(program)

    assert (program.exit_status, left) == (-signal.SIGKILL, 0)
    assert program.is_being_stopped


def test_an_interrupt_is_what_ctrl_c_would_be():
    waits = "try:\n print('on', flush=True)\n import time\n time.sleep(60)\n"
    code = f"{waits}except KeyboardInterrupt:\n print('interrupted')"
    program = started(code)
    assert select.select(list(program.streams), [], [], PATIENCE)[0]

    program.interrupt()
    said, _ = ended(program)

    assert said["out"].endswith(b"interrupted\n")
    program.interrupt()  # nobody is there any more


def test_what_a_program_leaves_behind_is_counted_and_ended():
    child = "import subprocess, sys; subprocess.Popen(['sleep', '60']); sys.exit(0)"
    program = started(child)

    _, left = ended(program)

    assert (program.exit_status, left) == (0, 1)


def test_a_program_that_cannot_be_started_leaves_no_terminal_open():
    before = open_files()

    for terminal in (None, {"rows": 1, "columns": 1}):
        with pytest.raises(FileNotFoundError):
            Program({**plan(""), "argv": ["/nowhere/at/all"], "terminal": terminal})

    assert open_files() == before


def open_files():
    return len(list(Path("/dev/fd").iterdir()))


def test_a_program_and_its_folder_fail_in_different_words() -> None:
    folder = FileNotFoundError(2, "No such file or directory", "/work")
    program = FileNotFoundError(2, "No such file or directory", "agent")

    assert why_not_started(folder, "/work") == "its working directory cannot be used: No such file or directory"
    assert why_not_started(program, "/work") == "No such file or directory"


def test_both_streams_can_be_one_so_that_their_order_is_kept():
    code = "import sys\nfor each in 'abc':\n    print(each)\n    print(each.upper(), file=sys.stderr)"
    program = Program(plan(code, merged=True))
    (stream,) = program._pipes.values()
    os.set_blocking(stream.fileno(), True)

    assert stream.read() == b"a\nA\nb\nB\nc\nC\n"
    assert list(program.streams.values()) == ["out"]


ADOPTING = """
import os, sys
from mission.runtime.runner import process_group
from mission.runtime.runner.program import Program

def no_search(*_, **__):
    raise AssertionError("there is nothing to search for")

def main():
    process_group.members = no_search
    argv = [sys.executable, "-c", "pass"]
    program = Program(
        {"execution_id": "x_program000", "argv": argv, "directory": "/", "environment": {}}, adopts_orphans=True
    )
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    program.reap()
    say(program.exit_status, program.tend())
"""


def test_where_orphans_are_adopted_the_end_of_the_last_child_is_the_end():
    """A process of its own: every child of this one would count."""
    assert forked_processes.run(ADOPTING, [[]]) == ["0 0"]


def test_the_processes_of_a_check_are_marked_as_its_own():
    program = Program(
        plan("import os; print(sorted(name for name in os.environ if 'MISSION' in name))"), variable="MY_MISSION"
    )
    os.set_blocking(next(iter(program._pipes)), True)

    assert next(iter(program._pipes.values())).read() == b"['MY_MISSION']\n"
