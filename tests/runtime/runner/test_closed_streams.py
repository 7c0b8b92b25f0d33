"""The launched program and the streams it shows something on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REUSED = """
import gc, os, sys
from mission.runtime.runner.program import Program

program = Program({"execution_id": "x_1", "argv": ["true"], "directory": sys.argv[1], "environment": dict(os.environ)})
os.waitpid(program.pid, 0)
closed = list(program.streams)
for descriptor in closed:
    program.close(descriptor)
for descriptor in closed:
    os.dup2(0, descriptor)
del program
gc.collect()
for descriptor in closed:
    os.fstat(descriptor)
"""


def test_a_stream_that_was_closed_is_not_closed_again_when_its_number_has_another_owner(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REUSED, str(tmp_path)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
