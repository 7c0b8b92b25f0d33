"""A program that plays a launched agent: it prints signals, asks the person, crashes, or gets its task done.

Run as `python -m mission.demo.launched_agent asks|crashes`. The decisions of a model are built in.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mission.demo.sample_project import CHOICES, IMPORT, QUESTION, REPORT
from mission.demo.scripted_agent import commit, write

ANSWERED = "The operator answered"


def main(role: str, seconds: float) -> None:
    if role == "crashes":
        crash(seconds)
    elif ANSWERED in prompt():
        finish(seconds)
    else:
        ask(seconds)


def crash(seconds: float) -> None:
    """Die in the middle of the work, without a report."""
    send_signal("progress", summary="Reading the bank's format")
    time.sleep(seconds)
    write(Path.cwd(), IMPORT, share=0.5)
    call("checkpoint_add", task_id=task_id(), type="progress", summary="Half of bank.py is written")
    send_signal("progress", summary="Half of bank.py is written")
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)


def ask(seconds: float) -> None:
    """Ask the person and end the turn: the answer comes with the next launch."""
    send_signal("progress", summary="Reading how entries are kept")
    time.sleep(seconds)
    fixed = [{"kind": "fixed", "label": label, "value": label} for label in CHOICES]
    send_signal("needs_input", question=QUESTION, choices=[*fixed, {"kind": "manual", "label": "Something else"}])


def finish(seconds: float) -> None:
    send_signal("progress", summary="Writing the report as answered")
    write(Path.cwd(), REPORT)
    time.sleep(seconds)
    commit(Path.cwd(), REPORT.name)
    outcome = {"summary": "The report is written as the operator answered.", "achievements": sorted(REPORT.files)}
    call("complete_task", task_id=task_id(), status="success", outcome=outcome)
    send_signal("completed_claim", summary="The report is written")


def send_signal(kind: str, **payload: Any) -> None:
    """Print one signal as a marker line."""
    marker = {
        "version": 1,
        "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"],
        "eventId": f"{kind}-{time.time_ns()}",
        "signal": {"type": kind, **payload},
    }
    print(f"@task::{json.dumps(marker)}", flush=True)  # noqa: T201


def call(tool: str, **arguments: Any) -> None:
    """Call a tool with the token from the launch."""
    command = [sys.executable, "-m", "mission", "call", tool, json.dumps(arguments)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def prompt() -> str:
    return Path(os.environ["MISSION_PROMPT_FILE"]).read_text()


def task_id() -> str:
    """Return the id of our task from the prompt."""
    found = re.search(r"\b(t_[0-9a-z]{10})\b", prompt())
    assert found is not None
    return found[1]


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
