"""Run the git program so that no setting of a repository or of our environment can change its behavior."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.errors import (
    BrokenRepository,
    DubiousOwnership,
    GitFailed,
    GitKilled,
    GitMissing,
    GitStuck,
    GitTimeout,
    NoRepository,
)
from mission.git.file_names import display_name
from mission.git.repository_guard import check_repository
from mission.git.stuck_process import ProgressWatch

Settings = tuple[tuple[str, str], ...]

SETTINGS: Settings = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("core.safecrlf", "false"),
    # Programs that check signatures, and the settings that would run them.
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultKeyCommand", "false"),
    # Do not start another git in a nested repository: it would read that repository's configuration.
    ("submodule.recurse", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    # Files that a configuration can name and that git would read in full.
    ("diff.orderFile", "/dev/null"),
    ("log.mailmap", "false"),
)
"""Settings that override every configuration."""
NO_NETWORK: Settings = (
    ("protocol.allow", "never"),
    ("core.alternateRefsCommand", "true"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("credential.helper", ""),
)
"""Settings that deny every program the network; they override a configuration and are inherited by child processes."""
VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone must not start a transport (a program from its configuration) to fetch a missing object.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
NO_NETWORK_VARIABLES = {"GIT_ALLOW_PROTOCOL": "none"}
QUICK = 30.0
LONG = 1800.0
STUCK_SECONDS = 10.0
"""Seconds without progress after which a command counts as stuck: it waits for a pipe, not for the disk."""
POLL_SECONDS = 1.0
MEMORY = 2 << 30
"""Bytes of private memory that a command may use; files that it only maps do not count."""
PRIVATE = 0o077
KILLING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM)
"""Signals by which somebody else ends a command. Of others, such as SIGSEGV, git itself is the cause."""
OURS = -1
"""The umask of this process, for files that a user will work with."""

Argument = str | bytes
ProgressCallback = Callable[[str], None]
"""Takes a short text about the step that runs now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GitResult:
    """The output of a git command."""

    code: int
    out: bytes
    err: bytes

    @property
    def line(self) -> bytes:
        """Return the output without its last newline."""
        return self.out.removesuffix(b"\n")


def run(
    *arguments: Argument,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    settings: Settings = (),
    stdin: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    timeout: float = QUICK,
    stuck_after: float | None = None,
    umask: int = PRIVATE,
    network: bool = False,
    inherited: Sequence[int] = (),
) -> GitResult:
    """Return the result of one git command; raise an error for an exit code that is not `allowed`.

    `network` allows programs that git starts to use the network: only for a repository that does not configure any.
    `inherited` are descriptors of locks, which are then held until git has ended, even if this process ends before.
    """
    name = os.fsdecode(arguments[0])
    process = _start(
        *arguments, cwd=cwd, variables=variables, settings=settings, stdin=stdin, umask=umask, stderr=subprocess.PIPE,
        network=network, inherited=inherited,
    )  # fmt: skip
    with process:
        _running.add(process)
        try:
            out, err = _followed(
                process, name, timeout=timeout, stuck_after=STUCK_SECONDS if stuck_after is None else stuck_after
            )
        except BaseException:
            end(process)
            raise
        finally:
            _running.discard(process)
    if process.returncode not in allowed:
        raise _failure(name, process.returncode, err, cwd)
    return GitResult(code=process.returncode, out=out, err=err)


def _start(
    *arguments: Argument,
    cwd: Path,
    variables: Mapping[str, str] | None,
    settings: Settings,
    stdin: bytes,
    umask: int = PRIVATE,
    stderr: int = subprocess.DEVNULL,
    network: bool = False,
    inherited: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start git in a session of its own, so that all of its child processes can be ended with it."""
    check_repository(cwd)
    try:
        with _given(stdin) as given:
            process = subprocess.Popen(
                ["git", "--no-pager", *_flags(SETTINGS if network else (*SETTINGS, *NO_NETWORK)), *arguments],
                cwd=cwd,
                env=environment({**({} if network else NO_NETWORK_VARIABLES), **(variables or {})}, settings),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=stderr,
                umask=umask,
                start_new_session=True,
                pass_fds=tuple(inherited),
            )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise InvalidInput(f"'{_shown(cwd)}' is not an existing directory", path=_shown(cwd)) from None
        raise GitMissing from error
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise InvalidState("the repository's configuration is too large to read safely") from None
    limit_memory(process.pid)
    return process


def _flags(settings: Settings) -> list[str]:
    return [part for key, value in settings for part in ("-c", f"{key}={value}")]


@contextmanager
def _given(stdin: bytes) -> Iterator[BinaryIO]:
    """Return the command's input as a file: a pipe would have to be fed while we watch the command."""
    with tempfile.TemporaryFile(buffering=0) if stdin else Path(os.devnull).open("rb") as file:
        if stdin:
            file.write(stdin)
            file.seek(0)
        yield file


def _followed(
    process: subprocess.Popen[bytes], name: str, *, timeout: float, stuck_after: float
) -> tuple[bytes, bytes]:
    """Return the output once the command has ended, by itself or at its time limit."""
    deadline = time.monotonic() + timeout
    watch = ProgressWatch(process.pid)
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=max(0.0, min(POLL_SECONDS, deadline - time.monotonic())))
        if time.monotonic() >= deadline:
            raise GitTimeout(command=name, seconds=timeout)
        if watch.idle_seconds() >= stuck_after:
            raise GitStuck(command=name, seconds=stuck_after)


_running: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End every running git command; its result is no longer needed."""
    for process in list(_running):
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all of its child processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def limit_memory(pid: int) -> None:
    """Limit the memory of a program that has just started to `MEMORY`, where the system supports it."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))


def environment(variables: Mapping[str, str], settings: Settings = ()) -> dict[str, str]:
    """Return our environment without variables that affect git, plus those that every command needs.

    Settings whose names a repository chose are passed as variables: '-c' cannot express a name that contains '='.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    configured = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        configured |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**ours, **VARIABLES, **configured, **variables}


def check_branch(name: str, *, field: str = "branch") -> str:
    """Return the name if git accepts it for a branch; refuse options and aliases of HEAD."""
    if not name or name.startswith(("-", "refs/")) or name in ("@", "HEAD") or not _is_plain(name):
        raise _not_a_branch(name, field)
    # Outside any repository, so that '@{-1}' is not replaced by a branch that the caller did not name.
    result = run("check-ref-format", "--branch", name, cwd=Path("/"), allowed=(0, 1, 128))
    if result.code or result.line != name.encode():
        raise _not_a_branch(name, field)
    return name


def _is_plain(name: str) -> bool:
    try:
        return b"\0" not in name.encode()
    except UnicodeEncodeError:
        return False


def _not_a_branch(name: str, field: str) -> InvalidInput:
    return InvalidInput(
        f"{field}: {name[:200]!r} is not a valid branch name",
        hint="Use letters, digits, '-', '_', '.' and '/', not starting with '-', for example 'feature/login'.",
        field=field,
    )


def _failure(name: str, code: int, err: bytes, cwd: Path) -> Exception:
    """Translate git's error output; LC_ALL=C makes it the same everywhere."""
    if -code in KILLING:
        return GitKilled(command=name)
    if b"dubious ownership" in err or b"unsafe repository" in err:
        return DubiousOwnership(_shown(cwd))
    if b"not a git repository (or any" in err:
        return NoRepository(f"'{_shown(cwd)}' is not a git repository", path=_shown(cwd))
    if b"not a git repository" in err or b"invalid gitfile format" in err:
        return BrokenRepository(_shown(cwd))
    return GitFailed(command=name, code=code, log=err.decode(errors="replace"))


def _shown(path: Path) -> str:
    return display_name(os.fsencode(path))


class Output:
    """The output of a git command, read piece by piece."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.ended = False

    def read(self, size: int) -> bytes:
        """Return that many bytes, fewer at the end."""
        found = self._pipe.read(size)
        self.ended = self.ended or len(found) < size
        return found

    def line(self, limit: int) -> bytes:
        """Return the next line, or its first `limit` bytes; empty at the end."""
        found = self._pipe.readline(limit)
        self.ended = self.ended or not found
        return found


@contextmanager
def stream(
    *arguments: Argument,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    settings: Settings = (),
    stdin: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    timeout: float = QUICK,
) -> Iterator[Output]:
    """Yield the output of one git command as it arrives; end the command when the reader stops."""
    name = os.fsdecode(arguments[0])
    process = _start(*arguments, cwd=cwd, variables=variables, settings=settings, stdin=stdin)
    late = threading.Event()

    def stop() -> None:
        late.set()
        end(process)

    timer = threading.Timer(timeout, stop)
    timer.daemon = True
    with process:
        _running.add(process)
        timer.start()
        try:
            output = Output(cast("IO[bytes]", process.stdout))
            yield output
            if output.ended:
                process.wait()
        finally:
            timer.cancel()
            _running.discard(process)
            end(process)
    if late.is_set():
        raise GitTimeout(command=name, seconds=timeout)
    if output.ended and process.returncode not in allowed:
        raise _failure(name, process.returncode, b"", cwd)
