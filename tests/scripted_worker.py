"""A scripted agent of a run: it does what the description of its task says, line by line.

Lines of its prompt that begin with DO are carried out: `write FILE TEXT`, `crash-once`, `hang`, `fail REASON`,
`ask-once QUESTION`, `lie-once FILE` (reports without writing the file, and writes it the next time), `silent`,
`linger` (reports and stays), `wait FILE` (until it is there),
`meet NAME COUNT` (until so many agents have come there).
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path


def mark(kind: str, **payload: object) -> None:
    execution = os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"]
    envelope = {
        "version": 1,
        "agentExecutionId": execution,
        "eventId": f"{kind}-{time.time_ns()}",
        "signal": {"type": kind, **payload},
    }
    sys.stdout.write("@task::" + json.dumps(envelope) + "\n")
    sys.stdout.flush()


def is_first(notes: Path, what: str) -> bool:
    """Return whether this agent's folder has not done so before."""
    name = hashlib.sha256(f"{Path.cwd()} {what}".encode()).hexdigest()[:16]
    try:
        (notes / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def phase(notes: Path) -> None:
    """Be killed here, if a test counts down to it."""
    file = notes / "die-at"
    if not file.exists():
        return
    left = int(file.read_text()) - 1
    file.write_text(str(left))
    if left == 0:
        file.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def main() -> None:
    notes = Path(sys.argv[1])
    prompt = Path(os.environ["MISSION_PROMPT_FILE"]).read_text()
    with (notes / "starts").open("a") as starts:
        starts.write(f"{Path.cwd()}\n")
    for line in prompt.splitlines():
        if not line.strip().startswith("DO "):
            continue
        phase(notes)
        verb, _, rest = line.strip().removeprefix("DO ").partition(" ")
        if verb == "write":
            name, _, text = rest.partition(" ")
            write(name, text)
        elif verb == "lie-once":
            if not is_first(notes, line):
                write(rest, "really done")
        elif verb == "crash-once" and is_first(notes, line):
            sys.exit(3)
        elif verb == "ask-once" and is_first(notes, line):
            mark("needs_input", question=rest, choices=[{"kind": "fixed", "label": "Left", "value": "left"}])
            return
        elif verb == "answer":
            write(rest, "left" if "left" in prompt else "unknown")
        elif verb == "fail":
            mark("failed_claim", reason=rest)
            return
        elif verb == "linger":
            mark("completed_claim", summary="done")
            time.sleep(600)
        elif verb == "hang":
            time.sleep(600)
        elif verb == "silent":
            return
        elif verb == "meet":
            name, _, many = rest.partition(" ")
            (notes / f"{name}-{os.getpid()}").touch()
            while len(list(notes.glob(f"{name}-*"))) < int(many):
                time.sleep(0.02)
        elif verb == "wait":
            while not Path(rest).exists():
                time.sleep(0.02)
    phase(notes)
    mark("completed_claim", summary="done")
    phase(notes)


main()
