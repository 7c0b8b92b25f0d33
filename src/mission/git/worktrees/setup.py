"""Set up a new worktree: copy files that git does not track, and run a setup command."""

from __future__ import annotations

import os
import selectors
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mission.domain.errors import InvalidInput, InvalidState, TransientError
from mission.domain.tasks.workspace import check_inner
from mission.git.command import KILLING, OURS, run
from mission.git.safe_reading import read
from mission.git.worktrees.worktree import digest_at

PASSED_ON = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR"})
"""The environment variables that a setup command sees: no tokens, no keys."""
MAX_OUTPUT_LENGTH = 4_000
MAX_COPY_BYTES = 10 * 1024 * 1024


class SetupFailed(InvalidState):
    """The setup command of a workspace failed; nothing of the workspace was kept."""

    default_hint = "Correct the command (it runs in the new worktree, with a minimal environment), then try again."


class SetupKilled(TransientError):
    """The setup command of a worktree was killed before it had finished."""

    default_hint = "Try the same call again."


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeSetup:
    """The setup that a caller requests for a new worktree."""

    setup: str | None = None
    copy: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of the worktree that the command sees: its slot, ports and name."""


def copy_files(names: Sequence[str], *, source: Path, target: Path) -> dict[str, str]:
    """Copy files that git does not track; return each with the digest of its content."""
    copied = {}
    for name in names:
        check_inner(name, field="copy_files")
        found = _checked(name, source)
        into = target / name
        into.parent.mkdir(parents=True, exist_ok=True)
        if not Path(os.path.realpath(into.parent)).is_relative_to(os.path.realpath(target)):
            raise _refused(name, "points outside the worktree through a link")
        if os.path.lexists(into):
            continue  # git tracks it: the worktree has its own
        try:
            content = read(found.parent, found.name, limit=MAX_COPY_BYTES)
        except OSError as error:
            raise _refused(name, "cannot be read as a regular file") from error
        _write(into, content, mode=stat.S_IMODE(found.stat().st_mode))
        digest = digest_at(into)
        if digest is not None:
            copied[name] = digest
    return copied


def still_copies(names: Sequence[str], *, source: Path, target: Path) -> dict[str, str]:
    """Return the files that are the same in both places, each with the digest of its content."""
    digests = {name: digest_at(target / name) for name in names}
    return {
        name: digest for name, digest in digests.items() if digest is not None and digest == digest_at(source / name)
    }


def unignored(names: Sequence[str], *, target: Path) -> list[str]:
    """Return the files that git would treat as work."""
    return _others(names, target=target)


def ignored(names: Sequence[str], *, target: Path) -> list[str]:
    """Return the files that git ignores."""
    return _others(names, "--ignored", target=target)


def run_setup(
    command: str,
    *,
    folder: Path,
    seconds: float,
    variables: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
) -> None:
    """Run the command in the folder, in a process group that ends with it."""
    environment = {name: value for name, value in os.environ.items() if name in PASSED_ON or name.startswith("LC_")}
    with _starting:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env={**environment, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=tuple(inherited),
            umask=OURS,
        )
        _running.add(process)
    try:
        output, in_time = _followed(process, time.monotonic() + seconds)
    finally:
        _running.discard(process)
        _end(process)
    if not in_time:
        raise SetupFailed(f"the setup command did not finish within {seconds:g} seconds{_quoted(output)}")
    if -process.returncode in KILLING:
        raise SetupKilled
    if process.returncode:
        raise SetupFailed(f"the setup command ended with exit code {process.returncode}{_quoted(output)}")


_running: set[subprocess.Popen[bytes]] = set()
_starting = threading.Lock()
"""Held until a started command is known, so that none is missed when all are ended."""


def end_setups() -> None:
    """End every running setup command; no caller is waiting for it."""
    with _starting:
        running = list(_running)
    for process in running:
        _end(process)


def _followed(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bool]:
    """Return the end of its output, and whether it ended in time; background processes are not waited for."""
    output = b""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector, process.stdout as stream:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            ended = process.poll() is not None
            for _ in selector.select(0 if ended else 0.1):
                while piece := stream.read(65536):
                    output = (output + piece)[-MAX_OUTPUT_LENGTH:]
                if piece == b"":
                    selector.unregister(stream)
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(max(0.0, deadline - time.monotonic()))
                    return output, process.poll() is not None
            if ended or time.monotonic() > deadline:
                return output, ended


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _others(names: Sequence[str], *options: str, target: Path) -> list[str]:
    if not names:
        return []
    listed = run("ls-files", "-z", "--others", *options, "--exclude-standard", "--", *names, cwd=target).out
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _checked(name: str, source: Path) -> Path:
    found = Path(os.path.realpath(source / name))
    if not found.is_relative_to(os.path.realpath(source)):
        raise _refused(name, "points outside the repository through a link")
    if not found.is_file():
        raise _refused(name, "is not a file in the repository")
    if found.stat().st_size > MAX_COPY_BYTES:
        raise _refused(name, f"is larger than {MAX_COPY_BYTES // 1024 // 1024} MB")
    return found


def _write(path: Path, content: bytes, *, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _refused(name: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"copy_files: {name[:200]!r} {why}",
        hint="Name files inside the repository, such as '.env'.",
        field="copy_files",
    )


def _quoted(output: bytes) -> str:
    text = output.decode(errors="replace").replace("\0", "�").strip()
    return f"; its output: …{text[-1500:]}" if text else " and printed nothing"
