"""A home, a repository and a daemon that may be killed at a point; its caller then starts the next one and repeats."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mission.settings import Settings
from mission.transports.bridge import daemon_process
from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable, ToolFailed
from tests.kill_points.points import KILLED

TOP = Path(__file__).resolve().parents[2]
MODULES = f"{TOP}:{TOP / 'src'}"
PATIENCE = 240.0
"""So long a daemon may take to start, and work to settle, on a busy machine."""
POLL = 0.1
MAX_POLL = 0.5
DIE_AT = "die-at"
"""While this file exists, the check or agent that counts it down to zero kills itself."""
KILLED_GIT = "was killed before it had finished"
"""What a call says whose git command was killed after it had written something."""
Json = dict[str, Any]


class Nursery:
    """The process that divides into daemons."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill_points.daemon_nursery"],
            cwd=TOP,
            env={**os.environ, "PYTHONPATH": MODULES},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, **asked: Any) -> int:
        """Start a daemon and return its process id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE)


class Scene:
    """One case: what is killed and when, and the calls of agents and people."""

    def __init__(
        self,
        nursery: Nursery,
        home: Path,
        repository: Path,
        *,
        database_url: str = "",
        kill: Json | None = None,
        settings: Json | None = None,
    ) -> None:
        self.home = home
        self.repository = repository
        self.notes = home.parent / "notes"
        self.notes.mkdir(exist_ok=True)
        self.record = home.parent / "points"
        self.runner_record = home.parent / "runner-points"
        self.settings = Settings(home=home, database_url=database_url)
        self._nursery = nursery
        self._database_url = database_url
        self._kill = {**kill, "marks": str(home.parent / "mark-")} if kill else {}
        if self._kill.get("of") in {"check", "agent"}:
            (self.notes / DIE_AT).write_text(str(self._kill["number"]))
        self._more = dict(settings or {})
        self._pid: int | None = None
        self._starts = 0
        self._is_watched = True
        self._calls = 0
        self._older = _process_ids()

    # The daemon

    def start(self) -> None:
        """Start a daemon. The next one after a kill is not watched."""
        asked: Json = {
            "home": str(self.home),
            "environment": {"PYTHONPATH": MODULES},
            "settings": {
                "database_url": self._database_url,
                "port": 0,
                "host_id": "test-host",
                "agent_slots": 4,
                "min_free_gb": 0.0,
                "retry_seconds": 0.1,
                "log_level": "debug",
                **self._more,
            },
        }
        if self._is_watched:
            self._is_watched = False
            of = self._kill.get("of", "daemon")
            asked["points"] = {"record": str(self.record), "kill": self._kill if of == "daemon" else None}
        if of_runner := self._kill.get("of") == "runner" or not self._kill:
            asked["executable"] = self._watched_python(self._kill if self._kill and of_runner else None)
        self._starts += 1
        self._pid = self._nursery.start(**asked)
        deadline = time.monotonic() + PATIENCE
        while not self._is_up():
            if not _is_alive(self._pid) and self.was_killed:
                return  # killed while it started
            assert _is_alive(self._pid), (self.home / "daemon.err").read_text()
            assert time.monotonic() < deadline, "the daemon did not start in time"
            time.sleep(0.01)

    def _is_up(self) -> bool:
        found = daemon_process.read(self.home)
        return found is not None and found.pid == self._pid

    def _watched_python(self, kill: Json | None) -> str:
        """Return a program that runs a runner with its points watched."""
        given = self.home.parent / "runner-given"
        given.write_text(json.dumps({"record": str(self.runner_record), "kill": kill}))
        path = self.home.parent / "watched-python"
        program = f"{sys.executable} -m tests.kill_points.watched_program"
        path.write_text(f'#!/bin/sh\nexec env PYTHONPATH={MODULES} {program} {given} "$@"\n')
        path.chmod(0o700)
        return str(path)

    def daemon(self) -> Daemon:
        """Return the daemon; start it if it is gone."""
        while self._pid is None or not _is_alive(self._pid) or not self._is_up():
            self.start()
        found = daemon_process.read(self.home)
        assert found is not None
        return found

    def stop(self) -> None:
        """Stop the daemon as a person does; the next one is watched like the first."""
        os.kill(self.daemon().pid, signal.SIGTERM)
        until(lambda: not _is_alive(self._pid))
        self._is_watched = not self.was_killed

    @property
    def was_killed(self) -> bool:
        """Return whether the case has come to its point."""
        if self._kill.get("of") in {"check", "agent"}:
            return not (self.notes / DIE_AT).exists()
        return any(KILLED in each.read_text() for each in (self.record, self.runner_record) if each.exists())

    def end(self) -> None:
        """Let nothing outlive the case."""
        if self._pid is not None and _is_alive(self._pid):
            os.kill(self._pid, signal.SIGKILL)
            until(lambda: not _is_alive(self._pid))
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self) -> list[int]:
        """Return the processes that this home started, without the daemon."""
        found = []
        for pid in _process_ids() - self._older - {self._pid}:
            folder = Path("/proc") / str(pid)
            with suppress(OSError):
                words = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
                place = os.fsencode((folder / "cwd").readlink())
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and os.fsencode(self.home.parent) in words + place:
                    found.append(pid)
        return found

    # Calls

    def call(self, tool: str, **arguments: Any) -> Json:
        """Call a tool until it answers: a call that broke off is repeated with the same key, as the bridge does."""
        self._calls += 1
        headers = {"Idempotency-Key": f"call-{self._calls}"}
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return daemon_process.call_tool(self.daemon(), tool, arguments, headers=headers)
            except DaemonUnavailable:
                assert time.monotonic() < deadline, f"{tool} was never answered"
                self._forget_dead()
            except ToolFailed as error:
                if error.error["code"] == "INTERNAL_ERROR":
                    raise AssertionError(f"{error.error}\n{self.log()}") from None
                if not self._says_killed(error):
                    raise

    def _says_killed(self, error: ToolFailed) -> bool:
        """Return whether the call asks to be repeated because the case has killed its git command."""
        is_passing = error.error["code"] == "TRANSIENT_ERROR" and KILLED_GIT in error.error["message"]
        return self._kill.get("moment") == "child" and is_passing

    def _forget_dead(self) -> None:
        """Wait until a daemon that broke a call off is gone, if it is going."""
        with suppress(TimeoutError):
            until(lambda: not _is_alive(self._pid), seconds=2)

    def until(self, tool: str, condition: Callable[[Json], bool], **arguments: Any) -> Json:
        """Return the answer of a reading call as soon as it is so."""
        deadline = time.monotonic() + PATIENCE
        pause = POLL
        while True:
            found = self.call(tool, **arguments)
            if condition(found):
                return found
            assert time.monotonic() < deadline, f"{tool} never said so: {json.dumps(found)[:3000]}\n{self.log()}"
            time.sleep(pause)
            pause = min(1.2 * pause, MAX_POLL)  # asking is what costs most on a busy machine

    def log(self) -> str:
        """Return the end of the daemon's log, for a failed assertion."""
        path = self.home / "daemon.log"
        return path.read_text()[-4000:] if path.exists() else "(no log)"

    def phase(self) -> str:
        """Return a shell command at which a check may be killed."""
        file = self.notes / DIE_AT
        return (
            f"if [ -e {file} ]; then left=$(($(cat {file}) - 1)); "
            f"if [ $left = 0 ]; then rm {file}; kill -9 $$; fi; echo $left > {file}; fi"
        )

    def kills(self, of: str) -> bool:
        """Return whether the case kills that kind of process; a check is also what a runner has just started."""
        is_started = of == "check" and (self._kill.get("of"), self._kill.get("moment")) == ("runner", "child")
        return self._kill.get("of") == of or is_started

    def leaves(self, lock: Path) -> bool:
        """Return whether a git that the case has killed may leave this lock; we remove only those on our branches."""
        return self._kill.get("moment") == "child" and lock.name == "HEAD.lock"

    @property
    def may_kill_check(self) -> bool:
        """Return whether the case may kill a check; phases are counted over checks and agents together."""
        return self.kills("check") or self.kills("agent")

    # Files

    def git(self, *arguments: str, folder: Path | None = None, **environment: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder or self.repository,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
        )
        return done.stdout.strip()

    def tree(self) -> str:
        """Return the id of the tree as git itself computes it, without touching the repository's index."""
        index = str(self.home.parent / "own-index")
        Path(index).unlink(missing_ok=True)
        self.git("add", "-A", GIT_INDEX_FILE=index)
        return self.git("write-tree", GIT_INDEX_FILE=index)

    def points(self) -> Iterator[tuple[str, str, str]]:
        """Yield what the watched processes recorded: whose point it is, the point, and the moment."""
        for of, path in (("daemon", self.record), ("runner", self.runner_record)):
            for line in path.read_text().splitlines() if path.exists() else ():
                point, _, moment = line.rpartition(" ")
                yield of, point, moment


def _process_ids() -> set[int]:
    return {int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()}


def _is_alive(pid: int | None) -> bool:
    if pid is None:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(
    condition: Callable[[], bool], *, seconds: float = PATIENCE, otherwise: Callable[[], str] | None = None
) -> None:
    """Return as soon as it is so; `otherwise` says what is wrong if it never is."""
    deadline = time.monotonic() + seconds
    pause = 0.02
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError if otherwise is None else AssertionError(otherwise())
        time.sleep(pause)
        pause = min(1.5 * pause, MAX_POLL / 2)
