"""A repository with a run in it, hostile settings for it, and a way to kill a call between any two of its steps."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from mission.git.integration.merge_commit import CommitDetails
from mission.git.snapshot import Snapshots
from tests import fault_cases
from tests.git.real_repositories import Repo, contents

Prepared = TypeVar("Prepared")
AT = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
DATES = {f"GIT_{role}_DATE": "1770000000 +0000" for role in ("AUTHOR", "COMMITTER")}
BRANCH = "mission/login-1"
TASK = "mission/login-1.check"
TEXT = "".join(f"line {number}\n" for number in range(20))
PROGRAMS = (
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "diff.evil.textconv"),
    *("diff.evil.command", "diff.external", "gpg.program", "gpg.ssh.program", "core.fsmonitor", "core.editor"),
    *("core.sshCommand", "core.pager", "core.alternateRefsCommand", "credential.helper", "sequence.editor"),
    *("uploadpack.packObjectsHook", "alias.update-ref", "alias.commit-tree", "alias.merge-tree", "merge.tool"),
)
HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge"),
    *(
        "post-checkout",
        "pre-auto-gc",
        "reference-transaction",
        "post-index-change",
        "fsmonitor-watchman",
        "post-rewrite",
    ),
)


def details(message: str = "Refuse expired tokens", *, author: str = "ada", at: datetime = AT) -> CommitDetails:
    return CommitDetails(
        author=author, message=message, at=at, trailers={"Mission-Task": "t_1", "Mission-Run": "run_1"}
    )


@dataclass(frozen=True)
class Run:
    """The user's repository, the integration branch in it, and the worktree of a task."""

    repo: Repo
    task: Repo
    start: str

    @property
    def tip(self) -> str:
        return self.repo.git("rev-parse", BRANCH).strip()

    def merge_before(self, **files: str) -> str:
        """Put a commit with these files on the integration branch, as if another task had been merged."""
        other = self.repo.at(self.repo.path.parent / "other")
        if not other.path.exists():
            self.repo.git("worktree", "add", "-q", "--detach", str(other.path), BRANCH)
        side = Repo(path=other.path, snapshots=self.repo.snapshots, variables=DATES)
        side.git("checkout", "-q", "--detach", BRANCH)
        commit = side.commit("another task", **files)
        self.repo.git("update-ref", f"refs/heads/{BRANCH}", commit)
        return commit


def start_run(folder: Path, /, **files: str) -> Run:
    """Create everything below this folder; the user has work of their own in the checkout."""
    repo = Repo(path=folder / "repo", snapshots=Snapshots(folder / "snapshots"), variables=DATES).init()
    start = repo.commit(
        "first", **{"a.txt": TEXT, "b.txt": "b\n", "src/c.txt": "c\n", ".gitignore": "*.log\n", **files}
    )
    repo.git("branch", BRANCH)
    task = Repo(path=folder / "task", snapshots=repo.snapshots, variables=DATES)
    repo.git("worktree", "add", "-q", "-b", TASK, str(task.path), BRANCH)
    repo.write("stashed.txt")
    repo.git("stash", "push", "-q", "-u")
    repo.write("b.txt", "edited by the user\n")
    repo.write("staged.txt", "staged by the user\n")
    repo.git("add", "staged.txt")
    repo.write("untracked.txt", "of the user\n")
    return Run(repo=repo, task=task, start=start)


def users_state(repo: Repo) -> dict[str, Any]:
    """Everything of the user's that a run must not touch: files, index, HEAD, stash, and refs of others."""
    refs = repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    index = repo.path / ".git" / "index"
    return {
        "index": hashlib.sha256(index.read_bytes()).hexdigest(),
        "files": contents(repo.path),
        "head": (repo.path / ".git" / "HEAD").read_text(),
        "stash": repo.git("stash", "list"),
        "refs": [ref for ref in refs if not ref.startswith("refs/heads/mission/")],
        "config": (repo.path / ".git" / "config").read_bytes(),
    }


def seen(prepare: Callable[[Path], Run]) -> Callable[[Path], tuple[Run, dict[str, Any]]]:
    """The same preparation, with what the user has after it."""

    def prepared(folder: Path) -> tuple[Run, dict[str, Any]]:
        run = prepare(folder)
        return run, users_state(run.repo)

    return prepared


def is_sound(repo: Repo) -> bool:
    """Whether git finds every object that a ref, an index or a reflog needs."""
    return "missing" not in repo.git("fsck", "--connectivity-only", check=False)


def make_hostile(repo: Repo) -> Path:
    """Let the repository name a program wherever git takes one; return the file that shows that one ran."""
    trace = repo.path.parent / "ran"
    program = repo.path.parent / "evil"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{trace}'\ncat\n")
    program.chmod(0o755)
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho '{name}' >> '{trace}'\n")
        (hooks / name).chmod(0o755)
    included = repo.path / ".git" / "evil.inc"
    included.write_text(
        f'[filter "later"]\n\tclean = {program}\n\tsmudge = {program}\n[core]\n\tfsmonitor = {program}\n'
    )
    for key in PROGRAMS:
        repo.git("config", key, str(program))
    for key in ("commit.gpgSign", "tag.gpgSign", "filter.evil.required", "submodule.recurse", "rerere.enabled"):
        repo.git("config", key, "true")
    with (repo.path / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\thooksPath = {hooks}\n[includeIf "gitdir:**"]\n\tpath = evil.inc\n')
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "attributes").write_text("*.evil filter=evil merge=evil diff=evil\n")
    trace.unlink(missing_ok=True)
    return trace


def killed(
    folder: Path, prepare: Callable[[Path], Prepared], call: Callable[[Prepared], object], *, size: int = 5
) -> Iterator[Prepared]:
    """What a call leaves that is killed before one of its steps: before each of them in a whole run, else a sample."""
    steps = _steps_of(prepare(folder / "counted"), call)
    assert steps > 0
    for step in fault_cases.sample(range(steps), size=size):
        prepared = prepare(folder / f"killed-{step}")
        assert _is_killed(step, prepared, call)
        yield prepared


def _steps_of(prepared: Prepared, call: Callable[[Prepared], object]) -> int:
    """The number of steps of a call, each of which starts a program or changes a file."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        steps = _counted(None)
        try:
            call(prepared)
            os.write(writer, str(next(steps)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as found:
        counted = int(found.read() or 0)
    os.waitpid(child, 0)
    return counted


def _is_killed(step: int, prepared: Prepared, call: Callable[[Prepared], object]) -> bool:
    """Whether the call was killed before this step, in a process of its own."""
    child = os.fork()
    if not child:
        _counted(step)
        try:
            call(prepared)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _counted(last: int | None) -> Iterator[int]:
    """Count the steps of this process from now on, and kill it before the last one."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if _is_step(event, arguments):
            count += 1
            if last is not None and count > last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return iter(lambda: count, None)


def _is_step(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        path, _, flags = arguments
        return bool(flags & (os.O_WRONLY | os.O_RDWR)) and not os.fsdecode(str(path)).startswith(("/dev", "/proc"))
    return event in ("subprocess.Popen", "os.rename", "os.remove", "os.link", "os.mkdir", "os.chmod", "os.symlink")
