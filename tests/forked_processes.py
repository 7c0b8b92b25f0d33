"""Processes that do the same at once: one interpreter imports what they need, and then divides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

PATIENCE = 120.0
SAY = """
import os
def say(*words):  # by a single write: print() may write word by word, and lines of several processes would mix
    os.write(1, f"{' '.join(map(str, words))}\\n".encode())
"""
DIVIDE = """
import json, sys, traceback
from mission.domain import ids
given = json.loads(sys.argv[1])
for arguments in given:
    if not os.fork():
        ids._random.seed()  # or all of them would find the same ids
        try:
            main(*arguments)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
os.closerange(3, 256)  # what they were given to write to is theirs alone
sys.exit(max(os.wait()[1] for _ in given) and 1)
"""


def start(program: str, given: Sequence[Sequence[object]], **options: Any) -> subprocess.Popen[str]:
    """A process for each of the given arguments, which runs the program's `main` with them; and one that waits.

    The program has `say`, which prints a line.
    """
    command = [sys.executable, "-c", SAY + program + DIVIDE, json.dumps(given)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **{**pipes, **options})


def run(program: str, given: Sequence[Sequence[object]]) -> list[str]:
    """The lines that they said; all must end well."""
    process = start(program, given)
    out, problems = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, problems
    return out.splitlines()
