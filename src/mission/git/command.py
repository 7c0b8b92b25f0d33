"""Run the git program so that no setting of a repository or of our environment can change what it does."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.errors import (
    BrokenRepository,
    DubiousOwnership,
    GitFailed,
    GitMissing,
    GitStuck,
    GitTimeout,
    NoRepository,
)
from mission.git.file_names import shown
from mission.git.repository_guard import check_repository
from mission.git.stuck_process import Stillness

Settings = tuple[tuple[str, str], ...]

SETTINGS: Settings = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("core.safecrlf", "false"),
    # Programs that check signatures, and what would call for them.
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultKeyCommand", "false"),
    # No other git is started in a repository inside this one: it would read that one's configuration.
    ("submodule.recurse", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    # Files that a configuration can name and that git would read to their end.
    ("diff.orderFile", "/dev/null"),
    ("log.mailmap", "false"),
)
"""Stronger than anything a configuration says."""
NO_NETWORK: Settings = (
    ("protocol.allow", "never"),
    ("core.alternateRefsCommand", "true"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("credential.helper", ""),
)
"""No network, by whatever program: stronger than a configuration too, and inherited by what git starts."""
VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone must not start a transport (a program of its configuration) for an object it lacks.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
NO_NETWORK_VARIABLES = {"GIT_ALLOW_PROTOCOL": "none"}
QUICK = 30.0
LONG = 1800.0
STILL = 10.0
"""Seconds without any progress after which a command is taken for stuck: it waits for a pipe, not for the disk."""
LOOK = 1.0
MEMORY = 2 << 30
"""Bytes of its own that a command may hold; files that it only maps do not count."""
PRIVATE = 0o077
OURS = -1
"""The umask of this process, for what a user will work with."""

Argument = str | bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class GitResult:
    """What a git command said."""

    code: int
    out: bytes
    err: bytes

    @property
    def line(self) -> bytes:
        """The output without its last newline."""
        return self.out.removesuffix(b"\n")


def run(
    *arguments: Argument,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    settings: Settings = (),
    stdin: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    timeout: float = QUICK,
    still: float | None = None,
    umask: int = PRIVATE,
    network: bool = False,
) -> GitResult:
    """The result of one git command; an exit code that is not `allowed` becomes an error.

    `network` leaves the network to programs that git starts: only for a repository that names none of them.
    """
    name = os.fsdecode(arguments[0])
    process = _start(
        *arguments, cwd=cwd, variables=variables, settings=settings, stdin=stdin, umask=umask, stderr=subprocess.PIPE,
        network=network,
    )  # fmt: skip
    with process:
        _running.add(process)
        try:
            out, err = _followed(process, name, timeout=timeout, still=STILL if still is None else still)
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
) -> subprocess.Popen[bytes]:
    """Start git in a session of its own, so that everything it starts can be ended with it."""
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
            )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise InvalidInput(f"'{_shown(cwd)}' is not an existing directory", path=_shown(cwd)) from None
        raise GitMissing from error
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise InvalidState("the repository's configuration is too large to be made harmless") from None
    limit_memory(process.pid)
    return process


def _flags(settings: Settings) -> list[str]:
    return [part for key, value in settings for part in ("-c", f"{key}={value}")]


@contextmanager
def _given(stdin: bytes) -> Iterator[BinaryIO]:
    """What the command reads, as a file: a pipe would have to be fed while we look after the command."""
    with tempfile.TemporaryFile(buffering=0) if stdin else Path(os.devnull).open("rb") as file:
        if stdin:
            file.write(stdin)
            file.seek(0)
        yield file


def _followed(process: subprocess.Popen[bytes], name: str, *, timeout: float, still: float) -> tuple[bytes, bytes]:
    """What it says until it ends, which it does in time or is made to."""
    deadline = time.monotonic() + timeout
    stillness = Stillness(process.pid)
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=max(0.0, min(LOOK, deadline - time.monotonic())))
        if time.monotonic() >= deadline:
            raise GitTimeout(command=name, seconds=timeout)
        if stillness.seconds() >= still:
            raise GitStuck(command=name, seconds=still)


_running: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End every git command that runs: nobody waits for its result any more."""
    for process in list(_running):
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def limit_memory(pid: int) -> None:
    """Let a program that has just started hold no more than `MEMORY`, where the system can be told so."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))


def environment(variables: Mapping[str, str], settings: Settings = ()) -> dict[str, str]:
    """Our environment without anything that steers git, plus what every command needs.

    Settings with names that a repository chose go by variables: '-c' cannot say a name that holds '='.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    said = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        said |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**ours, **VARIABLES, **said, **variables}


def check_branch(name: str, *, field: str = "branch") -> str:
    """The name itself if git accepts it for a branch; nothing that git would read as an option or an alias of HEAD."""
    if not name or name.startswith(("-", "refs/")) or name in ("@", "HEAD") or not _is_plain(name):
        raise _not_a_branch(name, field)
    # Outside of any repository, so that '@{-1}' is not replaced by a branch that the caller did not name.
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
        f"{field}: {name[:200]!r} is no name for a branch",
        hint="Use letters, digits, '-', '_', '.' and '/', not starting with '-', for example 'feature/login'.",
        field=field,
    )


def _failure(name: str, code: int, err: bytes, cwd: Path) -> Exception:
    """Translate git's words; LC_ALL=C makes them the same everywhere."""
    if b"dubious ownership" in err or b"unsafe repository" in err:
        return DubiousOwnership(_shown(cwd))
    if b"not a git repository (or any" in err:
        return NoRepository(f"'{_shown(cwd)}' is no git repository", path=_shown(cwd))
    if b"not a git repository" in err or b"invalid gitfile format" in err:
        return BrokenRepository(_shown(cwd))
    return GitFailed(command=name, code=code, log=err.decode(errors="replace"))


def _shown(path: Path) -> str:
    return shown(os.fsencode(path))


class Output:
    """What a git command says, piece by piece."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.ended = False

    def read(self, size: int) -> bytes:
        """As many bytes as that, fewer at the end."""
        found = self._pipe.read(size)
        self.ended = self.ended or len(found) < size
        return found

    def line(self, longest: int) -> bytes:
        """The next line, or as much of it; nothing at the end."""
        found = self._pipe.readline(longest)
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
    """Yield the output of one git command as it comes; end the command when its reader has enough."""
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
        raise GitFailed(command=name, code=process.returncode, log="")
