"""A stand-in agent: does what its first argument says, in the way real ones do it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any


def marker(event_id: str, kind: str, **payload: Any) -> str:
    execution = os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"]
    signal_ = {"type": kind, **payload}
    envelope = {"version": 1, "agentExecutionId": execution, "eventId": event_id, "signal": signal_}
    return "@task::" + json.dumps(envelope)


def mark(event_id: str, kind: str, **payload: Any) -> None:
    print(marker(event_id, kind, **payload), flush=True)


def hello() -> None:
    print("hello", *sys.argv[2:], flush=True)
    print("oops", file=sys.stderr, flush=True)
    sys.exit(3)


def environment() -> None:
    print(json.dumps({"environment": dict(os.environ), "directory": os.getcwd(), "terminal": sys.stdout.isatty()}))


def work() -> None:
    mark("e1", "progress", summary="begun")
    mark("e1", "progress", summary="begun")
    print("@task::{broken", flush=True)
    mark("e2", "completed_claim", summary="all done")


def chorus() -> None:
    """Eight threads that print their signals at once, each line in one piece."""

    def sing(voice: int) -> None:
        for number in range(20):
            os.write(1, f"{marker(f'{voice}.{number}', 'progress', summary='la')}\n".encode())

    threads = [threading.Thread(target=sing, args=(voice,)) for voice in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ask() -> None:
    mark("q1", "needs_input", question="Which way?", choices=[{"kind": "fixed", "label": "Left", "value": "left"}])


def talk() -> None:
    """Asks, and continues with the answer: typed, or found in the next prompt."""
    with open(os.environ["MISSION_PROMPT_FILE"]) as file:
        prompt = file.read()
    if sys.stdin.isatty():
        ask()
        mark("a1", "progress", summary=f"typed: {sys.stdin.readline().strip()}")
    elif "answered" in prompt:
        mark("a1", "progress", summary=prompt[prompt.index("The operator answered") :].partition("\n")[0])
    else:
        ask()


def linger() -> None:
    """Asks, and ends only when the file that its argument names is there; continues with the answer. May crash then."""
    talk()
    wait_for(sys.argv[2])
    sys.exit(int(sys.argv[3]) if len(sys.argv) > 3 else 0)


def hesitate() -> None:
    """Asks twice, goes on without an answer when the first file is there, and ends with the second."""
    ask()
    mark("q2", "needs_input", question="How far?")
    wait_for(sys.argv[2])
    mark("p1", "progress", summary="went left")
    wait_for(sys.argv[3])


def wait_for(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.05)


def fail() -> None:
    """Says that it failed, unless somebody gave it a hint; exits as its argument says."""
    with open(os.environ["MISSION_PROMPT_FILE"]) as file:
        prompt = file.read()
    hint = [line for line in prompt.splitlines() if "hint" in line]
    if hint:
        mark("c1", "completed_claim", summary=hint[0])
        return
    mark("f1", "progress", summary="looked everywhere")
    mark("f2", "failed_claim", reason="There is no license key")
    sys.exit(int(sys.argv[2]))


def claim() -> None:
    """Writes the first text into a file and says that it is done; the second one after it was told what failed.

    With a third text it only ends when it is asked to.
    """
    with open(os.environ["MISSION_PROMPT_FILE"]) as file:
        prompt = file.read()
    _, told, failure = prompt.partition("its checks, and they failed.")
    path, first, second, *stays = sys.argv[2:]
    with open(path, "w") as file:
        file.write(second if told else first)
    mark("c1", "progress", summary=failure[:1_000] or "begun")
    mark("c2", "completed_claim", summary="all done")
    if stays:
        time.sleep(600)


def late() -> None:
    """Works when the file that its argument names is there."""
    wait_for(sys.argv[2])
    work()


def away() -> None:
    """Leaves its terminal for a while and comes back to it."""
    print("leaving", flush=True)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    time.sleep(0.3)
    os.open("/dev/tty", os.O_RDWR)
    os.write(0, b"back\n")


def wait() -> None:
    """Never answers, and will not be asked to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    mark("w1", "progress", summary="waiting")
    while True:
        time.sleep(60)


def flood() -> None:
    line = "x" * 60 + "\n"
    for _ in range(int(sys.argv[2]) // 1000):
        sys.stdout.write(line * 1000)
    mark("f1", "progress", summary="the end of the flood")


def forks() -> None:
    """Leaves two processes behind: one in its group, one in a session of its own."""
    sleep = [sys.executable, "-c", "import time; print('child', flush=True); time.sleep(600)"]
    subprocess.Popen(sleep)
    subprocess.Popen(sleep, start_new_session=True)
    print("parent gone", flush=True)


def escapes() -> None:
    """Leaves a process behind that carries nothing of ours: neither group nor variables."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True, env={})
    print("child", child.pid, flush=True)


def patient() -> None:
    """Waits among its children, and ends when it is asked to."""
    forks()
    mark("w1", "progress", summary="waiting")
    time.sleep(600)


def family() -> None:
    """Waits among its children."""
    forks()
    wait()


def echo() -> None:
    """A program on a terminal: says its size and repeats what is typed."""
    print("size", *os.get_terminal_size(), flush=True)
    for line in sys.stdin:
        print("you said", line.strip(), flush=True)
        if line.strip() == "size":
            print("size", *os.get_terminal_size(), flush=True)
        if line.strip() == "bye":
            return


if __name__ == "__main__":
    globals()[sys.argv[1]]()
