"""Finds this user's daemon, starts one if none runs, and calls its tools.

Standard library only, and without settings, pathlib or dataclasses as long as a daemon runs: the bridge has to answer
within a few milliseconds of its start.

A daemon holds an flock on daemon.lock as long as it runs, and daemon.json contains its address. The file alone proves
nothing (a killed daemon leaves it behind), so a daemon counts as found when the address answers with the pid in the
file. The process that starts a daemon holds daemon.start.lock; all others wait for its daemon.

A daemon that a person stopped with `mission down` stays stopped: while the file `stopped` is there, only `mission up`
starts one.

A daemon of another version is replaced only by a newer program and only while it runs no execution. An older program
uses a newer daemon as it is: two installations would otherwise keep restarting each other's daemon.
"""
# os.path and not pathlib, and no contextlib: both cost time at start.
# ruff: noqa: PTH103, PTH108, PTH109, PTH111, PTH116, PTH117, PTH118, PTH123, SIM105

from __future__ import annotations

import fcntl
import json
import os
import sys
import time

from mission import __version__
from mission.transports.bridge.http_client import HttpConnection, percent_encode, split_url

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mission.settings import Settings

POLL_SECONDS = 0.02
START_SECONDS = 60.0  # a busy machine or a migration with its backup is slow
HEALTH_TIMEOUT = 2.0
LOG_LINES_SHOWN = 8

_DESKTOP = {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}  # required for desktop notifications
_PASSED_ON = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", *_DESKTOP})
_PASSED_ON_PREFIXES = ("LC_", "XDG_", "SSL_CERT_", "MISSION_", "PG")  # PG…: PostgreSQL connection settings
_HELD_BACK = frozenset({"MISSION_TOKEN"})  # it belongs to one agent; the daemon serves all

_children: list[subprocess.Popen[bytes]] = []  # daemons that this process started, so that they are reaped


class DaemonUnavailable(Exception):
    """No daemon is available; the message says why, the hint what to do."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ToolFailed(Exception):
    """A tool refused; `error` is the daemon's error object (code, message, hint, details)."""

    def __init__(self, error: dict[str, Any], *, status: int) -> None:
        super().__init__(str(error.get("message", "")))
        self.error = error
        self.status = status


class Daemon:
    """A daemon as described in its file. A plain class, because dataclasses cost 10 ms at start."""

    __slots__ = ("pid", "token", "url", "version")

    def __init__(self, *, url: str, token: str, pid: int, version: str) -> None:
        self.url = url
        self.token = token
        self.pid = pid
        self.version = version

    def __repr__(self) -> str:
        return f"Daemon(url={self.url!r}, pid={self.pid}, version={self.version!r})"


def home_directory(environment: Mapping[str, str] = os.environ) -> str:
    """Return MISSION_HOME exactly as settings.load() does, without the 25 ms it takes to load the settings."""
    given = environment.get("MISSION_HOME")
    if given:
        path = os.path.expanduser(given)
        return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser("~"), "Library", "Application Support", "mission-control")
    data = environment.get("XDG_DATA_HOME", "")
    parent = data if os.path.isabs(data) else os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(parent, "mission-control")


def read(home: str | os.PathLike[str]) -> Daemon | None:
    """Return the daemon in daemon.json, unchecked, or None."""
    try:
        with open(os.path.join(home, "daemon.json"), "rb") as file:
            found = json.load(file)
        daemon = Daemon(url=found["url"], token=found["token"], pid=found["pid"], version=found["version"])
        split_url(daemon.url)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return daemon if type(daemon.pid) is int and daemon.pid > 0 and isinstance(daemon.token, str) else None


def seems_alive(daemon: Daemon) -> bool:
    """Return whether a process of this user has the daemon's pid: a cheap check before sending an access token."""
    try:
        os.kill(daemon.pid, 0)
    except (OSError, OverflowError):
        return False
    return True


def bearer(daemon: Daemon, environment: Mapping[str, str] = os.environ) -> str:
    """Return the access token to send: MISSION_TOKEN, or the operator's."""
    return environment.get("MISSION_TOKEN") or daemon.token


def health(daemon: Daemon, *, timeout: float = HEALTH_TIMEOUT) -> dict[str, Any] | None:
    """Return the health report of the address, or None if it is not Mission Control."""
    connection = HttpConnection(daemon.url, connect_timeout=timeout, timeout=timeout)
    try:
        answer = connection.request("GET", "/api/health", {"Accept": "application/json", "Connection": "close"})
        found = json.loads(answer.read())
    except ValueError:
        return None
    finally:
        connection.close()
    return found if answer.status == 200 and isinstance(found, dict) else None


def find(settings: Settings) -> Daemon | None:
    """Return the running daemon, verified by its answer, or None; a stale daemon.json does not count."""
    daemon = read(settings.home)
    if daemon is None:
        return None
    try:
        answer = health(daemon)
    except TimeoutError:
        return holder(settings)
    except OSError:
        return None
    return daemon if answer is not None and answer.get("pid") == daemon.pid else None


def holder(settings: Settings) -> Daemon | None:
    """Return the daemon that holds the lock, even if it does not answer."""
    daemon = read(settings.home)
    return daemon if daemon is not None and seems_alive(daemon) and _is_held(_lock_path(settings)) else None


def ensure(
    settings: Settings,
    *,
    timeout: float = START_SECONDS,
    report: Callable[[str], None] | None = None,
    options: Sequence[str] = (),
) -> Daemon:
    """Return the running daemon; start one if necessary, or replace one that is older than this program and idle.

    `options` are passed to the `mission up` that starts it. Raise DaemonUnavailable if a person stopped it.
    """
    say = report or _silent
    _children[:] = [child for child in _children if child.poll() is None]
    daemon = find(settings)
    if daemon is not None and not _replaceable(daemon, say):
        return daemon
    try:
        os.makedirs(settings.home, mode=0o700, exist_ok=True)
        start_lock = os.open(os.path.join(settings.home, "daemon.start.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise _cannot_write(settings, problem) from None
    try:
        deadline = time.monotonic() + timeout
        return _start(settings, start_lock, outdated=daemon, deadline=deadline, say=say, options=options)
    finally:
        os.close(start_lock)


def stop(settings: Settings, daemon: Daemon, *, timeout: float = START_SECONDS) -> None:
    """Stop the daemon and wait until it has released its lock."""
    import signal  # deferred: rarely needed, and its enums take a millisecond

    try:
        os.kill(daemon.pid, signal.SIGTERM)
        os.kill(daemon.pid, signal.SIGCONT)  # a suspended process handles signals only once it continues
    except ProcessLookupError:
        return
    deadline = time.monotonic() + timeout
    while _is_held(_lock_path(settings)):
        if time.monotonic() > deadline:
            raise DaemonUnavailable(
                f"The daemon (pid {daemon.pid}) did not stop.",
                hint=f"See {settings.log_path}; 'kill -9 {daemon.pid}' ends it without losing acknowledged work.",
            )
        time.sleep(POLL_SECONDS)


def keep_stopped(settings: Settings) -> None:
    """Let nobody start a daemon until a person does."""
    try:
        os.close(os.open(_stopped_path(settings), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError:
        pass  # there is no such folder, or a full disk, which must not keep anybody from stopping the daemon


def allow_start(settings: Settings) -> None:
    """Undo `keep_stopped`: a person wants a daemon."""
    try:
        os.unlink(_stopped_path(settings))
    except OSError:
        pass  # it is not there, or the start itself reports what is wrong with the folder


def stopped_since(settings: Settings) -> float | None:
    """Return when a person stopped the daemon, in Unix seconds; None if it may be started."""
    try:
        return os.stat(_stopped_path(settings)).st_mtime
    except OSError:
        return None


def call_tool(
    daemon: Daemon,
    name: str,
    arguments: Mapping[str, Any],
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float | None = 60.0,
) -> dict[str, Any]:
    """Return the tool's result; raise ToolFailed with the daemon's error, or DaemonUnavailable if the connection
    broke."""
    sent = {"Authorization": f"Bearer {bearer(daemon)}", "Content-Type": "application/json", "Connection": "close"}
    body = json.dumps(arguments).encode()
    target = "/api/tools/" + percent_encode(name.encode()).replace("/", "%2F")
    try:
        connection = HttpConnection(daemon.url, timeout=timeout)
        try:
            answer = connection.request("POST", target, {**sent, **(headers or {})}, body)
            result = json.loads(answer.read())
        finally:
            connection.close()
    except (OSError, ValueError) as problem:
        raise DaemonUnavailable(
            f"The daemon at {daemon.url} did not answer {name}: {problem}.",
            hint="Check whether the call took effect before you retry; 'mission up' starts the daemon.",
        ) from None
    if answer.status >= 400 or not isinstance(result, dict):
        raise ToolFailed(_error_object(result, answer.status), status=answer.status)
    return result


def daemon_environment(settings: Settings, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables for a daemon that we start: no API keys, no GIT_*, no agent's access token."""
    passed_on = {
        name: value
        for name, value in environment.items()
        if (name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)) and name not in _HELD_BACK
    }
    return {**passed_on, "MISSION_HOME": str(settings.home)}


def _start(
    settings: Settings,
    start_lock: int,
    *,
    outdated: Daemon | None,
    deadline: float,
    say: Callable[[str], None],
    options: Sequence[str],
) -> Daemon:
    """Start a daemon, or wait for one that another process is starting, and return it."""
    child: subprocess.Popen[bytes] | None = None
    log_start = 0
    while True:
        daemon = find(settings)
        if daemon is not None and (outdated is None or daemon.pid != outdated.pid):
            return daemon
        if child is not None and child.poll() is not None:
            if not _is_held(_lock_path(settings)):
                raise _died(settings, child.returncode, log_start)
            child = None  # another daemon was faster: wait for that one
        if child is None and _try_lock(start_lock):
            if outdated is not None and daemon is not None:
                stop(settings, daemon, timeout=deadline - time.monotonic())
            if not _is_held(_lock_path(settings)):
                if stopped_since(settings) is not None:
                    raise _was_stopped()
                say("starting Mission Control")
                child, log_start = _spawn(settings, options)
        if time.monotonic() > deadline:
            raise _never_answered(settings, child)
        time.sleep(POLL_SECONDS)


def _spawn(settings: Settings, options: Sequence[str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a daemon in its own session; return its process and where its output starts in the log."""
    import subprocess  # deferred: costs 3 ms, and most bridges find a daemon

    try:
        log = os.open(settings.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as problem:
        raise _cannot_write(settings, problem) from None
    try:
        os.fchmod(log, 0o600)
        log_start = os.fstat(log).st_size
        child = subprocess.Popen(
            [sys.executable, "-m", "mission", "up", *options],
            cwd=settings.home,
            env=daemon_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)
    _children.append(child)
    return child, log_start


def _replaceable(daemon: Daemon, say: Callable[[str], None]) -> bool:
    """Return whether the daemon is older than this program and idle; report why it is kept otherwise."""
    if daemon.version == __version__:
        return False
    if not _is_newer(__version__, than=daemon.version):
        say(f"the daemon is version {daemon.version}, this program {__version__}; using it anyway")
        return False
    try:
        running = (health(daemon) or {}).get("executions")
    except OSError:
        running = None
    if running == 0:
        say(f"replacing the daemon {daemon.version} with {__version__}")
        return True
    why = "it does not report its executions" if running is None else "it has running executions"
    say(f"keeping the daemon {daemon.version}, older than {__version__}, because {why}")
    return False


def _is_newer(version: str, *, than: str) -> bool:
    try:
        return _numbers(version) > _numbers(than)
    except (ValueError, AttributeError):
        return False


def _numbers(version: str) -> list[int]:
    """Return the leading numbers of a version: '1.4.0rc1' gives [1, 4, 0]; raise ValueError if there are none."""
    release = version.lstrip("v").replace("+", ".").split(".")
    return [int("".join(_leading_digits(part))) for part in release[:3]]


def _leading_digits(text: str) -> str:
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _lock_path(settings: Settings) -> str:
    return os.path.join(settings.home, "daemon.lock")


def _stopped_path(settings: Settings) -> str:
    return os.path.join(settings.home, "stopped")


def _was_stopped() -> DaemonUnavailable:
    return DaemonUnavailable(
        "Mission Control was stopped with 'mission down'.", hint="Start it again with 'mission up --detach'."
    )


def _is_held(path: str) -> bool:
    """Return whether a process holds the lock. Requests a shared lock, so that two checks do not collide."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _died(settings: Settings, code: int, log_start: int) -> DaemonUnavailable:
    output = _log_since(settings, log_start)
    message = f"The daemon ended while starting (exit code {code})."
    hint = f"Fix the problem above, or see {settings.log_path}; 'mission up' starts it in the foreground."
    if _port_is_taken(settings):
        message = f"The daemon ended while starting: another program listens on {settings.host}:{settings.port}."
        hint = f"Stop that program, or set MISSION_PORT to a free port. The log is {settings.log_path}."
    return DaemonUnavailable(f"{message}\n{output}" if output else message, hint=hint)


def _never_answered(settings: Settings, child: subprocess.Popen[bytes] | None) -> DaemonUnavailable:
    who = f"The daemon (pid {child.pid}) was started" if child else "Another process holds the daemon's lock"
    return DaemonUnavailable(
        f"{who}, but no daemon answered in time.",
        hint=f"See {settings.log_path}, then try again.",
    )


def _cannot_write(settings: Settings, problem: OSError) -> DaemonUnavailable:
    return DaemonUnavailable(
        f"Cannot write to {settings.home}: {problem.strerror or problem}.",
        hint="Set MISSION_HOME to a directory that you can write to.",
    )


def _log_since(settings: Settings, start: int) -> str:
    """Return the daemon's last log lines, with tracebacks reduced to the error."""
    try:
        with open(settings.log_path, "rb") as log:
            log.seek(start)
            text = log.read()[-16384:].decode("utf-8", "replace")
    except OSError:
        return ""
    lines, in_traceback = [], False
    for line in text.splitlines():
        in_traceback = line.startswith("Traceback ") or (in_traceback and line.startswith(" "))
        if line.strip() and not in_traceback:
            lines.append(line)
    return "\n".join(line[:400] for line in lines[-LOG_LINES_SHOWN:])


def _port_is_taken(settings: Settings) -> bool:
    if not settings.port:
        return False
    try:
        HttpConnection(f"http://{settings.host}:{settings.port}", connect_timeout=0.5).close()
    except (OSError, ValueError):
        return False
    return True


def _error_object(result: Any, status: int) -> dict[str, Any]:
    error = result.get("error") if isinstance(result, dict) else None
    if isinstance(error, dict):
        return error
    return {"code": "INTERNAL_ERROR", "message": f"The daemon answered with status {status}", "hint": "", "details": {}}


def _silent(_text: str) -> None:
    return None
