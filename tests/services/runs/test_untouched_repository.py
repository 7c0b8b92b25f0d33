"""A whole run in a hostile repository: nothing of the user's changes before the landing, and no program of it runs."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mission.settings import Settings
from tests.driven_runs import DrivenRun, does, driven

OURS = ("objects", "worktrees", "refs/heads/mission", "logs/refs/heads/mission")
"""What a run adds to: objects, its worktrees and its own branches."""
HOOKS = ("post-checkout", "pre-commit", "commit-msg", "post-commit", "post-merge", "reference-transaction", "update")


@pytest.fixture
async def run(settings: Settings, repository: Path) -> AsyncIterator[DrivenRun]:
    async with driven(settings, repository) as made:
        yield made


@pytest.fixture
def mark(repository: Path, git, tmp_path: Path) -> Path:
    """A file that every program of the repository would write; the user has work of every kind in the checkout."""
    mark = tmp_path / "a program of the repository ran"
    (repository / ".gitattributes").write_text("*.md merge=evil diff=evil\n*.raw filter=evil\n*.list merge=union\n")
    (repository / "file.raw").write_text("raw\n")
    (repository / "all.list").write_text("base\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "attributes")
    git(repository, "tag", "v1")
    git(repository, "branch", "other")
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    (repository / "README.md").write_text("stashed\n")
    git(repository, "stash")
    (repository / "README.md").write_text("staged\n")
    git(repository, "add", "README.md")
    (repository / "README.md").write_text("edited\n")
    (repository / "mine.md").write_text("untracked\n")
    git(repository, "worktree", "add", "-q", str(tmp_path / "of the user"), "other")
    evil = f"sh -c 'touch \"{mark}\"; cat'"
    (repository / ".git" / "included").write_text(
        f'[filter "evil"]\n\tclean = "{_quoted(evil)}"\n\tsmudge = "{_quoted(evil)}"\n\trequired = true\n'
    )
    for name in HOOKS:
        hook = repository / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        hook.chmod(0o755)
    for key, value in {
        "merge.evil.driver": evil,
        "diff.evil.textconv": evil,
        "core.fsmonitor": evil,
        "commit.gpgSign": "true",
        "gpg.program": evil,
        "core.pager": evil,
        "core.editor": evil,
        "include.path": "included",
    }.items():
        git(repository, "config", key, value)
    mark.unlink(missing_ok=True)
    return mark


async def test_a_run_with_a_lie_a_crash_and_a_conflict_touches_nothing_of_the_users_until_it_lands(
    run: DrivenRun, repository: Path, mark: Path
):
    before = state_of(repository)
    await run.start(
        does("liar", "lie-once lie.md", checks=[{"name": "there", "run": "test -f lie.md"}]),
        does("crashes", "crash-once", "write crashed.md text", "write all.list base two"),
        does("one", "write same.md first"),
        does("two", "write same.md second"),
        checks=["test -f README.md"],
        final_checks=["test -f same.md"],
        count=4,
    )

    found = await run.finished()

    assert {each["name"]: each["stage"] for each in found["tasks"]} == dict.fromkeys(
        ("liar", "crashes", "one", "two"), "merged"
    )
    assert sum(each["revisions"] for each in found["tasks"]) == 2
    after = state_of(repository)
    assert changed(before, after) == []
    assert lost(before, after) == []
    assert not mark.exists()

    landed = await run.call("run_land", {"run_id": run.id})

    final = state_of(repository)
    assert landed["kept"] == []
    expected = {".git/index", ".git/refs/heads/main", ".git/logs/refs/heads/main", ".git/logs/HEAD"}
    added = {"lie.md", "crashed.md", "same.md"}
    assert set(changed(before, final)) == expected | added | {"all.list"}
    assert {name for name in final if name.startswith(".git/refs/heads/mission")} == set()
    assert (repository / "README.md").read_text() == "edited\n"
    assert quiet(repository, "diff", "--cached", "--name-only") == "README.md"
    assert quiet(repository, "show", ":README.md") == "staged"
    assert quiet(repository, "stash", "list").count("\n") == 0
    assert not mark.exists()
    assert quiet(repository, "fsck", "--no-dangling", "--no-progress") == ""


def state_of(repository: Path) -> dict[str, str]:
    """Return a digest of each file of the checkout and of the git directory, with its time and mode."""
    found = {}
    for path in sorted(repository.rglob("*")):
        name = str(path.relative_to(repository))
        inside = name.removeprefix(".git/") if name.startswith(".git/") else None
        if path.is_dir() or (inside and inside.startswith(OURS[1:])):
            continue
        status = path.stat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[name] = digest if inside else f"{digest} {status.st_mode:o} {status.st_mtime_ns}"
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the files that differ, except new objects."""
    names = (name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return sorted(name for name in names if not (name.startswith(".git/objects/") and name not in before))


def lost(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the objects that are gone or have changed."""
    return [name for name in before if name.startswith(".git/objects/") and before[name] != after.get(name)]


def quiet(repository: Path, *arguments: str) -> str:
    """Run git without the programs of the repository."""
    safe = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "include.path=/dev/null")
    plain = ("-c", "filter.evil.clean=cat", "-c", "filter.evil.smudge=cat", "-c", "diff.evil.textconv=cat")
    done = subprocess.run(
        ["git", "--no-pager", *safe, *plain, *arguments], cwd=repository, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
