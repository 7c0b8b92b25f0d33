"""The program `mission` as a person or a script runs it: a process of its own, with a MISSION_HOME of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings
from mission.transports.bridge import daemon_process as daemon
from tests.transports.live_server import until

PROGRAM = [sys.executable, "-m", "mission"]
PATIENCE = 60.0
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Json:
        """The error object on stderr, which is all that stands there."""
        found: Json = json.loads(self.err)["error"]
        assert found.keys() == {"code", "message", "hint", "details"}
        return found


class Program:
    """Runs commands on one MISSION_HOME."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.program: Sequence[str] = PROGRAM
        self.settings = Settings(home=home)
        self.environment = {**os.environ, "MISSION_HOME": str(home), "MISSION_PORT": "0", **environment}

    def run(
        self,
        *arguments: str,
        stdin: str | None = None,
        folder: Path | None = None,
        seconds: float = PATIENCE,
        **options: Any,
    ) -> Run:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            env=self.environment,
            cwd=folder or "/",
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            timeout=seconds,
            **options,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Run(code=done.returncode, out=done.stdout, err=done.stderr)

    def begin(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A command that is not waited for, and whose words nobody reads."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*PROGRAM, *arguments], env=self.environment, cwd="/", **quiet)

    def does(self, *arguments: str, **options: Any) -> Any:
        """The document of a command that must succeed."""
        run = self.run(*arguments, "--json", **options)
        assert run.code == 0, run.err
        return run.json

    def refuses(self, *arguments: str, **options: Any) -> Json:
        """The error object of a command that must be refused."""
        run = self.run(*arguments, "--json", **options)
        assert (run.code, run.out) == (1, "")
        return run.error

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.does("call", tool, json.dumps(arguments))

    def here(self, tool: str, **arguments: Any) -> Json:
        """The result of a call that this process makes on the database, where nobody looks at processes."""

        async def call() -> Json:
            app = App(self.settings, role="a test")
            async with app.running(periodic=False):
                return await app.gateway(tool, arguments, Caller(transport="test"))

        return asyncio.run(call())

    def start(self, *arguments: str, stdout: Any = subprocess.PIPE) -> subprocess.Popen[str]:
        """A daemon in the foreground, once it answers."""
        process = subprocess.Popen(
            [*self.program, "up", *arguments],
            env=self.environment,
            cwd="/",
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: self.running() is not None or process.poll() is not None, PATIENCE)
        return process

    def running(self) -> daemon.Daemon | None:
        return daemon.find(self.settings)

    def end(self) -> None:
        """Let no daemon of this home outlive its test."""
        found = daemon.read(self.home)
        if found is None:
            return
        with suppress(ProcessLookupError):
            os.kill(found.pid, signal.SIGKILL)
        until(lambda: not daemon._is_held(str(self.home / "daemon.lock")))


@contextmanager
def program(home: Path, **environment: str) -> Iterator[Program]:
    made = Program(home, **environment)
    try:
        yield made
    finally:
        made.end()
