"""Try a merge without a worktree: the result is a tree, or the paths that conflict.

Attributes such as `merge=union` apply as they are on the tip. A merge driver that is a program never runs: such a path
is merged as text.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from mission.git.command import run
from mission.git.file_names import display_name
from mission.git.integration.errors import CommitMissing, GitTooOld, UnrelatedHistory
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory, read_blobs
from mission.git.snapshots.shadow_repository import MAX_RULES_BYTES

NEEDED = (2, 38)
"""The first git whose `merge-tree` writes trees."""
RULES = b".gitattributes"
REGULAR = (b"100644", b"100755")
KIND = re.compile(r"CONFLICT \((.+?)\)")
CONTENT = "content"
FORBIDDEN = frozenset({b"", b".", b"..", b".git"})
STYLE = (("merge.conflictStyle", "zdiff3"),)
"""Shows the common ancestor too, which makes a conflict easier to resolve."""

Stage = tuple[bytes, bytes, bytes, bytes]
"""The mode, id, stage and path of one side of a conflict."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConflictedPath:
    """A path that both sides changed; `kind` is git's word: content, add/add, modify/delete, binary, …"""

    path: str
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """A merge without conflicts: the id of its tree, which is in the repository."""

    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflicted:
    """A merge with conflicts; the tree has files with markers."""

    tree: str
    paths: tuple[ConflictedPath, ...]
    stages: tuple[Stage, ...] = ()


def trial_merge(top: Path, *, tip: str, candidate: str) -> Merged | Conflicted:
    """Merge the candidate onto the tip; raise GitTooOld, CommitMissing or UnrelatedHistory."""
    with own_git_directory(top) as own:
        return merge_trees(own, ours=("tip", tip), theirs=("candidate", candidate))


def merge_trees(own: OwnGitDirectory, *, ours: tuple[str, str], theirs: tuple[str, str]) -> Merged | Conflicted:
    """Merge two commits, each given with the name that conflict markers show; attributes are those of `ours`."""
    check_version()
    for name, commit in (ours, theirs):
        (own.path / "refs" / "heads").mkdir(exist_ok=True)
        (own.path / "refs" / "heads" / name).write_text(f"{commit}\n")
    files = own.path / "tree"
    files.mkdir(exist_ok=True)
    _write_attributes(own, ours[1], files)
    result = own.run(
        "merge-tree", "--write-tree", "-z", "--messages", ours[0], theirs[0],
        work_tree=files, settings=STYLE, allowed=(0, 1, 128),
    )  # fmt: skip
    if not result.out:
        raise _failure(own, result.err, (ours[1], theirs[1]))
    tree, _, rest = result.out.partition(b"\0")
    return Merged(tree=tree.decode()) if result.code == 0 else _conflicted(tree.decode(), rest)


def check_version() -> None:
    """Raise GitTooOld unless the installed git can merge trees."""
    version = git_version()
    if version < NEEDED:
        raise GitTooOld(found=".".join(map(str, version)), needed=".".join(map(str, NEEDED)))


def git_version() -> tuple[int, ...]:
    """Return the version of the installed git."""
    text = run("version", cwd=Path("/")).line.decode(errors="replace")
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(number) for number in found.groups() if number is not None) if found else (0,)


def _failure(own: OwnGitDirectory, err: bytes, commits: tuple[str, str]) -> Exception:
    if b"unrelated histories" in err:
        return UnrelatedHistory()
    for commit in commits:
        if own.run("cat-file", "-e", f"{commit}^{{tree}}", allowed=(0, 1, 128)).code:
            return CommitMissing(commit)
    return CommitMissing(commits[1])


def _conflicted(tree: str, rest: bytes) -> Conflicted:
    listed, _, messages = rest.partition(b"\0\0")
    stages = tuple(_stage(row) for row in listed.split(b"\0"))
    kinds = _kinds(messages.split(b"\0"))
    paths = sorted({path for *_, path in stages})
    shown = (ConflictedPath(path=display_name(path), kind=kinds.get(path, CONTENT)) for path in paths)
    return Conflicted(tree=tree, paths=tuple(shown), stages=stages)


def _stage(row: bytes) -> Stage:
    facts, _, path = row.partition(b"\t")
    mode, id, stage = facts.split(b" ")
    return mode, id, stage, path


def _kinds(fields: list[bytes]) -> dict[bytes, str]:
    """Return path → kind from git's messages: for each a number of paths, the paths, a type and a text."""
    found: dict[bytes, str] = {}
    at = 0
    while at + 1 < len(fields):
        count = int(fields[at])
        kind, text = (field.decode(errors="replace") for field in fields[at + count + 1 : at + count + 3])
        if KIND.match(kind):
            # The text says more than the type 'contents', but it has no kind for binary files.
            word = KIND.match(text) or KIND.match(kind)
            for path in fields[at + 1 : at + count + 1]:
                found.setdefault(path, word[1] if word else CONTENT)  # 'binary' comes before the general one
        at += count + 3
    return found


def _write_attributes(own: OwnGitDirectory, commit: str, files: Path) -> None:
    """Write the commit's attribute files where git looks for them; git 2.38 cannot read them from a tree."""
    listed = own.run("ls-tree", "-r", "-z", "--full-tree", commit, allowed=(0, 128)).out
    rows = [row.partition(b"\t") for row in listed.split(b"\0") if row.endswith(RULES)]
    wanted = {path: facts.split(b" ")[2] for facts, _, path in rows if _is_rules(facts, path)}
    contents = read_blobs(own, set(wanted.values())) if wanted else {}
    for path, id in wanted.items():
        target = files / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents.get(id, b"")[:MAX_RULES_BYTES])


def _is_rules(facts: bytes, path: bytes) -> bool:
    """Return whether git reads the file as attributes: not through a link, and not where a tree must not have files."""
    *folders, name = path.split(b"/")
    return name == RULES and facts.split(b" ")[0] in REGULAR and not set(folders) & FORBIDDEN
