"""List, compare, add and remove the worktrees of a repository.

Hooks never run, nor do filters from the repository's own configuration.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.command import LONG, OURS, GitResult, check_branch, run
from mission.git.errors import GitFailed, SpecialFile
from mission.git.file_names import display_name
from mission.git.safe_reading import copy, digest
from mission.git.working_tree import locate
from mission.git.worktrees.repository_programs import for_network, without_filters

HEADS = "refs/heads/"
BAD_USAGE = 129
"""git's exit code for an option that it does not know."""
MAX_INDEX_BYTES = 1 << 30
MAX_DEPTH = 8
"""How many repositories may be nested in each other before the rest is left out."""
MAX_COPY_BYTES = 1 << 30
PATIENCE = 20.0
NAMED_FILES = 20
"""The number of files that an error names before it only counts."""


class WorktreeRefused(InvalidState):
    """Git refused an operation on the worktree."""

    default_hint = "Check it with 'git worktree list' in the repository."


@dataclass(frozen=True, kw_only=True, slots=True)
class Worktree:
    """A worktree as its repository knows it; `branch` is None while no branch is checked out."""

    path: Path
    branch: str | None
    main: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Base:
    """The start of a new branch; `name` is None when it is not a branch."""

    name: str | None
    commit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeState:
    """The state of a worktree: what it has that its base has not, and the other way round."""

    exists: bool
    head: str | None = None
    branch: str | None = None
    ahead: int | None = None
    behind: int | None = None
    uncommitted: tuple[str, ...] = ()


def git(
    *arguments: str,
    cwd: Path,
    allowed: tuple[int, ...] = (0,),
    stuck_after: float | None = None,
    network: bool = False,
    **options: str | bytes | Path,
) -> GitResult:
    """Run a git command that may write the user's files; it runs no program of the repository's configuration.

    `network` allows the user's own filters to use the network, if the repository's configuration makes that safe.
    """
    variables = {"GIT_INDEX_FILE": str(options["index"])} if "index" in options else None
    stdin = options.get("stdin", b"")
    assert isinstance(stdin, bytes)
    opened = for_network(cwd) if network else None
    return run(
        *arguments,
        cwd=cwd,
        variables=variables,
        settings=(*without_filters(cwd), *(opened or ())),
        stdin=stdin,
        allowed=allowed,
        timeout=LONG,
        stuck_after=stuck_after,
        umask=OURS,
        network=opened is not None,
    )


def worktrees(top: Path) -> list[Worktree]:
    """Return every worktree of the repository, the main one first."""
    found: list[Worktree] = []
    for block in _listed(top).split(b"\0\0"):
        words = dict(line.partition(b" ")[::2] for line in block.strip(b"\0").split(b"\0") if line)
        if b"worktree" not in words:
            continue
        branch = os.fsdecode(words[b"branch"]).removeprefix(HEADS) if b"branch" in words else None
        path = Path(os.path.realpath(os.fsdecode(words[b"worktree"])))
        found.append(Worktree(path=path, branch=branch, main=not found))
    return found


def _listed(top: Path) -> bytes:
    """Return git's list of worktrees, with a NUL after each line."""
    listed = _patiently("list", "--porcelain", "-z", cwd=top, allowed=(0, BAD_USAGE))
    if listed.code == 0:
        return listed.out
    # git before 2.36 has no '-z'; without it only a path that contains a newline is misread.
    return _patiently("list", "--porcelain", cwd=top).out.replace(b"\n", b"\0")


def folder_for(top: Path) -> str:
    """Return the name of the folder in which we keep the worktrees of a repository."""
    return f"{top.name}-{hashlib.sha256(os.fsencode(top)).hexdigest()[:6]}"


def worktree_at(top: Path, path: Path) -> Worktree | None:
    """Return the worktree registered at this path, whether or not its folder exists."""
    real = Path(os.path.realpath(path))
    return next((each for each in worktrees(top) if each.path == real), None)


def tip_of(top: Path, branch: str) -> str | None:
    """Return the newest commit of a local branch."""
    return commit_of(top, f"{HEADS}{branch}")


def commit_of(top: Path, name: str) -> str | None:
    """Return the commit of a full ref name, an id or HEAD; the name is never read as an option."""
    result = run("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", cwd=top, allowed=(0, 1, 128))
    return result.line.decode() or None if result.code == 0 else None


def base_of(top: Path, name: str | None) -> Base:
    """Return the start of a new branch: the named branch or tag, or what is checked out in the tree."""
    if name is None:
        head = commit_of(top, "HEAD")
        if head is None:
            raise InvalidState("the repository has no commits yet", hint="Make a first commit.", field="branch")
        branch = run("symbolic-ref", "--quiet", "--short", "HEAD", cwd=top, allowed=(0, 1)).line.decode() or None
        return Base(name=branch, commit=head)
    check_branch(name, field="base_branch")
    for prefix in (HEADS, "refs/remotes/", "refs/tags/"):
        commit = commit_of(top, prefix + name)
        if commit is not None:
            return Base(name=name, commit=commit)
    raise InvalidInput(
        f"base_branch: there is no branch or tag '{name[:200]}' in the repository",
        hint="Omit it to use the branch that is checked out, or name one that 'git branch -a' shows.",
        field="base_branch",
    )


def add(top: Path, path: Path, *, branch: str, commit: str | None) -> None:
    """Create a worktree on a new branch that starts at the commit; without a commit the branch must exist."""
    try:
        if commit is not None:
            none = "0" * len(commit)
            git("update-ref", "-m", "branch: Created for a workspace", f"{HEADS}{branch}", commit, none, cwd=top)
        _patiently("add", "--no-checkout", "--", str(path), branch, cwd=top)
    except GitFailed as failed:
        raise WorktreeRefused(f"git could not create the worktree: {_reason(failed)}") from failed
    try:
        # In the new worktree, because conditional includes may name other filters there than in the main tree.
        # A filter of the user's may fetch from the network and wait for it, as the one of LFS does.
        git("reset", "--hard", "--quiet", cwd=path, stuck_after=LONG, network=True)
    except BaseException as error:
        with suppress(WorktreeRefused):
            remove(top, path, force=True)
        if isinstance(error, GitFailed):
            raise WorktreeRefused(f"git could not check out the worktree: {_reason(error)}") from error
        raise


def remove(top: Path, path: Path, *, force: bool = False) -> None:
    """Remove the worktree; without `force` git refuses if work would be lost."""
    try:
        _patiently("remove", *(["--force", "--force"] if force else []), "--", str(path), cwd=top)
    except GitFailed as failed:
        raise WorktreeRefused(f"git could not remove the worktree: {_reason(failed)}") from failed


def delete_branch(top: Path, branch: str, *, tip: str) -> None:
    """Delete the branch if it still ends at that commit."""
    try:
        git("update-ref", "-d", f"{HEADS}{branch}", tip, cwd=top)
    except GitFailed as failed:
        raise WorktreeRefused(f"the branch '{branch}' has new commits and was kept", hint="Try again.") from failed


def state_of(top: Path, path: Path, *, branch: str, base: str | None, copied: Mapping[str, str]) -> WorktreeState:
    """Return the state of the worktree relative to its base."""
    exists = (path / ".git").exists()
    head = commit_of(path, "HEAD") if exists else tip_of(top, branch)
    start = _any_commit(top, base) if base is not None else None
    ahead = behind = None
    if head is not None and start is not None:
        counted = run("rev-list", "--left-right", "--count", f"{start}...{head}", "--", cwd=top, timeout=LONG).line
        behind, ahead = map(int, counted.split())
    current = run("symbolic-ref", "--quiet", "--short", "HEAD", cwd=path, allowed=(0, 1)).line if exists else b""
    return WorktreeState(
        exists=exists,
        head=head,
        branch=os.fsdecode(current) or None,
        ahead=ahead,
        behind=behind,
        uncommitted=tuple(uncommitted(path, copied=copied)) if exists else (),
    )


def uncommitted(path: Path, *, copied: Mapping[str, str], seen: frozenset[Path] = frozenset()) -> list[str]:
    """Return the files that no commit holds as they are now; untouched copies do not count.

    `seen` holds the git directories around this one: a repository can be made to contain itself.
    """
    here = locate(path).git_dir
    if here in seen or len(seen) >= MAX_DEPTH:
        return []
    with open_index(path) as index:
        # Nested repositories are checked separately: git would run a status in each, with its configuration.
        asked = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
        listed = git(*asked, cwd=path, index=index).out
        inner = git("ls-files", "-s", "-z", cwd=path, index=index).out
    names = [(entry[:2], entry[3:]) for entry in listed.split(b"\0") if entry]
    found = [display_name(name) for state, name in names if not (state == b"??" and _is_copy(path, name, copied))]
    return found + [name for name in _dirty_inside(path, inner, seen | {here}) if name not in found]


@contextmanager
def open_index(path: Path) -> Iterator[Path]:
    """Yield a copy of the worktree's index in which no existing file is marked to be skipped."""
    with tempfile.TemporaryDirectory(prefix="mission-index-") as folder:
        index = Path(folder) / "index"
        try:
            copy(locate(path).git_dir, "index", index, limit=MAX_INDEX_BYTES)  # with its time: git distrusts the newest
        except FileNotFoundError:
            pass  # nothing was ever added
        except OSError as error:
            raise SpecialFile(".git/index") from error
        listed = run("ls-files", "-v", "-z", cwd=path, timeout=LONG).out.split(b"\0")
        marked = [entry[2:] for entry in listed if entry[:1].islower() or entry[:1] == b"S"]
        there = b"".join(name + b"\0" for name in marked if os.path.lexists(path / os.fsdecode(name)))
        for bit in ("--no-assume-unchanged", "--no-skip-worktree") if there else ():
            git("update-index", bit, "-z", "--stdin", cwd=path, index=index, stdin=there)
        yield index


def digest_at(path: Path) -> str | None:
    """Return a digest of the file's content; None when it cannot be read."""
    try:
        return digest(path.parent, path.name, limit=MAX_COPY_BYTES)
    except OSError:
        return None


def _is_copy(path: Path, name: bytes, copied: Mapping[str, str]) -> bool:
    known = copied.get(display_name(name))
    return known is not None and known == digest_at(path / os.fsdecode(name))


def _dirty_inside(path: Path, listed: bytes, seen: frozenset[Path]) -> list[str]:
    """Return the submodules with files that no commit of theirs holds; links to other places are not followed."""
    names = [entry.partition(b"\t")[2] for entry in listed.split(b"\0") if entry.startswith(b"160000 ")]
    there = [(name, path / os.fsdecode(name)) for name in names]
    return [
        display_name(name)
        for name, folder in there
        if (folder / ".git").exists() and _is_below(folder, path) and uncommitted(folder, copied={}, seen=seen)
    ]


def _is_below(folder: Path, top: Path) -> bool:
    """Return whether the folder is where its path says, without a link on the way."""
    return Path(os.path.realpath(folder)) == Path(os.path.realpath(top)) / folder.relative_to(top)


def named(files: list[str] | tuple[str, ...]) -> str:
    """Return a list of files for an error message."""
    more = f" and {len(files) - NAMED_FILES} more" if len(files) > NAMED_FILES else ""
    return ", ".join(files[:NAMED_FILES]) + more


def _patiently(
    *arguments: str, cwd: Path, allowed: tuple[int, ...] = (0,), stuck_after: float | None = None, network: bool = False
) -> GitResult:
    """Run a git command about worktrees; git cannot read their list while another git adds one."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return git("worktree", *arguments, cwd=cwd, allowed=allowed, stuck_after=stuck_after, network=network)
        except GitFailed as failed:
            if "failed to read" not in failed.log or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _any_commit(top: Path, name: str) -> str | None:
    prefixes = (HEADS, "refs/remotes/", "refs/tags/")
    return next((commit for prefix in prefixes if (commit := commit_of(top, prefix + name))), None)


def _reason(failed: GitFailed) -> str:
    """Return the last line of git's error output, without its label."""
    lines = [line for line in failed.log.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[-1:]
    return fatal[0].partition(": ")[2][:300] if fatal and ": " in fatal[0] else "git gave no reason"
