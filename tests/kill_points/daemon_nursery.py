"""`python -m tests.kill_points.daemon_nursery`: imports Mission Control once, and divides for each new daemon.

Each line on its stdin asks for a daemon; its answer is the process id.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import tempfile
import traceback
from datetime import timedelta
from pathlib import Path
from typing import Any

from mission.app import App
from mission.domain import ids
from mission.domain.checks import round as round_rows
from mission.domain.runs import run as run_rows
from mission.serve import http_server, run_daemon
from mission.services.checks import checker
from mission.services.runs import driver
from mission.settings import Settings
from tests.kill_points import points


def main() -> None:
    _warm_up()
    _hurry()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if not pid:
            run(asked)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def _warm_up() -> None:
    """Build an application once, so that what is imported and compiled for that is there for every daemon."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        app = App(settings, role="a test")
        logging.disable()  # a fresh home has no sessions
        http_server(app, token="none").load()
        logging.disable(logging.NOTSET)
        app.backend.close()


def _hurry() -> None:
    """Let a daemon take over sooner from one that was killed: who waits for that proves nothing more."""
    for module in (run_rows, round_rows):
        module.HOLDER_LEASE = timedelta(seconds=2)
    for looking in (checker, driver):
        looking.LOOK_SECONDS = 0.5


def run(asked: dict[str, Any]) -> None:
    """Be a daemon until the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 1
    try:
        ids._random.seed()
        quiet = os.open(asked["home"] + "/daemon.err", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, descriptor in ((0, nothing), (1, quiet), (2, quiet)):
            os.dup2(descriptor, number)
        os.setsid()
        os.environ.update(asked["environment"])
        if "points" in asked:
            points.install(asked["points"], writes=True)
        if "executable" in asked:
            sys.executable = asked["executable"]
        run_daemon(Settings(**{**asked["settings"], "home": Path(asked["home"])}), announce=lambda _: None)
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, it must not run on as a nursery
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
