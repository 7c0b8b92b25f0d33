"""The command of a client's hooks: registers the session as an agent, sends heartbeats and releases it, without the
model.

Standard library only, because it runs after every tool call. It never disturbs the client: it prints nothing, ends
within three seconds and always exits with 0. MISSION_HOOK_DEBUG=1 prints errors to stderr.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mission.transports.bridge import daemon_process as daemon

DEADLINE_SECONDS = 3.0
CALL_SECONDS = 2.0
BEAT_SECONDS = 10.0
LATE_SECONDS = 60.0
FORGET_SECONDS = 7 * 24 * 3600
INPUT_BYTES = 16 * 1024 * 1024

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_RUNTIMES = frozenset({"claude_code", "codex", "opencode", "copilot_cli", "gemini_cli"})


class _TooLate(BaseException):
    """The hook took too long. Not an Exception, so that no handler can swallow it."""


def run(arguments: list[str]) -> int:
    """Handle one hook, `mission hook CLIENT EVENT` with JSON on stdin, and return 0."""
    if os.environ.get("OPEN_MISSION_AGENT_EXECUTION_ID"):
        return 0  # a session that we launched is already registered
    try:
        with _deadline():
            _answer(arguments)
    except (Exception, _TooLate) as problem:  # noqa: BLE001 - a hook must never break its client
        if os.environ.get("MISSION_HOOK_DEBUG") == "1":
            with suppress(OSError):
                sys.stderr.write(f"mission hook: {problem or 'took too long'}\n".replace("\n", " ").strip() + "\n")
    return 0


@contextmanager
def _deadline() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(*_: object) -> None:
        raise _TooLate

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _answer(arguments: list[str]) -> None:
    if len(arguments) != 2:
        raise ValueError("usage: mission hook CLIENT EVENT")
    if os.environ.get("MISSION_TOKEN"):
        return  # launched by Mission Control: the running process is its heartbeat
    client, event = arguments
    given = _input()
    session = _Session(client=client, id=_session_id(given), directory=_directory(given))
    match re.sub(r"[^a-z]", "", event.lower()):
        case "sessionstart":
            session.start()
        case "sessionend":
            session.end()
        case _:
            session.beat()


def _input() -> dict[str, Any]:
    text = "" if sys.stdin.isatty() else sys.stdin.read(INPUT_BYTES)
    given = json.loads(text or "{}")
    return given if isinstance(given, dict) else {}


def _session_id(given: dict[str, Any]) -> str:
    for name in ("session_id", "sessionId", "conversation_id", "sessionID"):
        found = given.get(name)
        if isinstance(found, str) and _SAFE.fullmatch(found):
            return found
    raise ValueError("the hook's input has no session id")


def _directory(given: dict[str, Any]) -> str:
    roots = given.get("workspace_roots")
    for found in (given.get("cwd"), roots[0] if isinstance(roots, list) and roots else None):
        if isinstance(found, str) and found:
            return found
    return str(Path.cwd())


class _Session:
    """One session of a client. Its file has the agent's id; the file's time is that of the last heartbeat."""

    def __init__(self, *, client: str, id: str, directory: str) -> None:
        self._client = client
        self._id = id
        self._directory = directory
        self._home = Path(daemon.home_directory())
        self._file = self._home / "sessions" / f"{id}.json"
        self._ended = self._file.with_suffix(".ended")

    def start(self) -> None:
        """Register the session, or send a heartbeat if it is known (resumed, compacted)."""
        if self._agent() is not None:
            self.beat()
            return
        from mission.settings import load  # deferred: only a start needs the settings

        self._ended.unlink(missing_ok=True)
        self._register(daemon.ensure(load(), timeout=DEADLINE_SECONDS))

    def beat(self) -> None:
        """Send a heartbeat at most every ten seconds, or register an unknown session."""
        running = self._running()
        if running is None or _age(self._file) < BEAT_SECONDS or _age(self._ended) < LATE_SECONDS:
            return
        agent = self._agent()
        if agent is None:
            self._register(running)
            return
        os.utime(self._file)  # before the call, so that not every tool call waits for a hanging daemon
        try:
            self._call(running, "agent_heartbeat", {"agent_id": agent})
        except daemon.ToolFailed as problem:
            if problem.status != 404:
                raise
            self._file.unlink(missing_ok=True)
            self._register(running)

    def end(self) -> None:
        """Release the agent. A late hook of the same session must not register it again."""
        agent = self._agent()
        if agent is None:
            return
        self._ended.touch(mode=0o600)
        self._file.unlink(missing_ok=True)
        running = self._running()
        if running is not None:
            self._call(running, "agent_unregister", {"id": agent})

    def _register(self, running: daemon.Daemon) -> None:
        if not self._take():
            return
        runtime = self._client.replace("-", "_")
        answer = self._call(
            running,
            "agent_register",
            {
                "name": f"{self._client}-{_short(self._id)}",
                "runtime": runtime if runtime in _RUNTIMES else "custom",
                "role": "coordinator",
                "workspace_path": self._directory,
                "metadata": {"session_id": self._id, "client": self._client},
            },
        )
        self._file.write_text(json.dumps({"agent_id": answer["id"]}))

    def _take(self) -> bool:
        """Create the session's file and return whether this hook may register: only one does, and not after each
        refusal."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._forget_old()
        if self._agent() is None and _age(self._file) > BEAT_SECONDS:
            self._file.unlink(missing_ok=True)
        try:
            os.close(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        return True

    def _forget_old(self) -> None:
        for file in self._file.parent.iterdir():
            if _age(file) > (LATE_SECONDS if file.suffix == self._ended.suffix else FORGET_SECONDS):
                with suppress(OSError):
                    file.unlink()

    def _agent(self) -> str | None:
        try:
            found = json.loads(self._file.read_text()).get("agent_id")
        except (OSError, ValueError, AttributeError):
            return None
        return found if isinstance(found, str) else None

    def _running(self) -> daemon.Daemon | None:
        found = daemon.read(self._home)
        return found if found is not None and daemon.seems_alive(found) else None

    def _call(self, running: daemon.Daemon, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return daemon.call_tool(running, name, arguments, timeout=CALL_SECONDS)


def _short(id: str) -> str:
    """Return six characters that distinguish sessions: ids other than random UUIDs start with the time."""
    return id[:6] if len(id) == 36 and id[14] == "4" else id[-6:]


def _age(file: Path) -> float:
    """Return the seconds since the file was last touched, or infinity if there is none."""
    try:
        return abs(time.time() - file.stat().st_mtime)
    except OSError:
        return float("inf")
