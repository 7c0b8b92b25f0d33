"""Run the git program so that no setting of a repository or of our environment can change what it does."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, cast

from mission.domain.errors import InvalidInput
from mission.git.errors import BrokenRepository, DubiousOwnership, GitFailed, GitMissing, GitTimeout, NoRepository
from mission.git.names import shown

SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "core.safecrlf=false")
VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone must not start a transport (a program of its configuration) for an object it lacks.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
QUICK = 30.0
LONG = 1800.0
PRIVATE = 0o077
OURS = -1
"""The umask of this process, for what a user will work with."""

Argument = str | bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
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
    settings: tuple[str, ...] = (),
    stdin: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    timeout: float = QUICK,
    umask: int = PRIVATE,
) -> Result:
    """The result of one git command; an exit code that is not `allowed` becomes an error."""
    flags = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
    name = os.fsdecode(arguments[0])
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", *flags, *arguments],
            cwd=cwd,
            env=environment(variables or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            umask=umask,
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise InvalidInput(f"'{_shown(cwd)}' is not an existing directory", path=_shown(cwd)) from None
        raise GitMissing from error
    with process:
        _running.add(process)
        try:
            out, err = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise GitTimeout(command=name, seconds=timeout) from error
        finally:
            _running.discard(process)
            process.kill()
    if process.returncode not in allowed:
        raise _failure(name, process.returncode, err, cwd)
    return Result(code=process.returncode, out=out, err=err)


_running: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End every git command that runs: nobody waits for its result any more."""
    for process in list(_running):
        process.kill()


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Our environment without anything that steers git, plus what every command needs."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**ours, **VARIABLES, **variables}


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
    settings: tuple[str, ...] = (),
    stdin: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    timeout: float = QUICK,
) -> Iterator[Output]:
    """The output of one git command as it comes; a command whose reader has enough is ended."""
    flags = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
    name = os.fsdecode(arguments[0])
    with TemporaryFile() as asked:  # a pipe would have to be filled while the output is read
        asked.write(stdin)
        asked.seek(0)
        try:
            process = subprocess.Popen(
                ["git", "--no-pager", *flags, *arguments],
                cwd=cwd,
                env=environment(variables or {}),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                umask=PRIVATE,
            )
        except FileNotFoundError as error:
            raise GitMissing from error
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

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
            process.kill()
    if late.is_set():
        raise GitTimeout(command=name, seconds=timeout)
    if output.ended and process.returncode not in allowed:
        raise GitFailed(command=name, code=process.returncode, log="")
