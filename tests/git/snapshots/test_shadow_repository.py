"""Our own git directory that looks at somebody else's worktree."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from mission.git.errors import GitFailed
from mission.git.snapshots.repository_facts import open_repository
from mission.git.snapshots.shadow_repository import Shadow
from tests.git.real_repositories import Repo, everything


@pytest.fixture
def shadow(repo: Repo, tmp_path: Path) -> Shadow:
    made = Shadow(tmp_path / "shadow", open_repository(repo.path))
    made.prepare()
    return made


def test_the_worktree_is_seen_through_a_copy_of_its_index(repo: Repo, shadow: Shadow) -> None:
    before = everything(repo.path)

    digest = shadow.copy_index()

    index = repo.path / ".git" / "index"
    assert digest == hashlib.sha256(index.read_bytes()).hexdigest()
    assert shadow.index.stat().st_mtime_ns == index.stat().st_mtime_ns
    assert shadow.run("ls-files").out == b"a.txt\nb.txt\nsrc/c.txt\n"
    assert everything(repo.path) == before


def test_a_repository_without_an_index_has_none_to_copy(repo: Repo, shadow: Shadow) -> None:
    shadow.copy_index()
    (repo.path / ".git" / "index").unlink()

    assert shadow.copy_index() == "none"
    assert not shadow.index.exists()


def test_objects_are_read_and_never_written_to_the_repository(repo: Repo, shadow: Shadow) -> None:
    before = everything(repo.path)

    assert shadow.run("cat-file", "-p", f"{repo.head}:a.txt").out == b"a\n"
    shadow.run("hash-object", "-w", "--stdin", stdin=b"new content")

    assert everything(repo.path) == before


def test_no_program_that_the_repository_names_is_run(repo: Repo, shadow: Shadow, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    for key in ("core.fsmonitor", "core.sshCommand", "diff.external", "filter.x.clean"):
        repo.git("config", key, f"touch {witness}; cat")
    repo.write(".gitattributes", "* filter=x\n")
    repo.write("a.txt", "changed\n")
    fresh = Shadow(shadow.path, open_repository(repo.path))
    fresh.prepare()
    fresh.copy_index()

    fresh.run("diff", "--name-only")
    fresh.run("status", "--porcelain")

    assert not witness.exists()


def test_preparing_again_keeps_the_overlay_and_clears_the_locks_of_a_killed_git(shadow: Shadow) -> None:
    shadow.overlay.write_bytes(b"kept")
    lock = shadow.overlay.with_name(f"{shadow.overlay.name}.lock")
    lock.write_bytes(b"")

    shadow.prepare()

    assert shadow.overlay.read_bytes() == b"kept"
    assert not lock.exists()


def test_a_changed_configuration_of_ours_throws_the_overlay_away(shadow: Shadow) -> None:
    shadow.overlay.write_bytes(b"of another format")
    (shadow.path / "config").write_text("[core]\n")

    shadow.prepare()

    assert not shadow.overlay.exists()


def test_the_rules_of_a_repository_that_moved_are_copied_from_its_new_place(
    repo: Repo, shadow: Shadow, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    repo.path.rename(moved)
    (moved / ".git" / "info" / "exclude").write_text("later\n")

    Shadow(shadow.path, open_repository(moved)).prepare()

    assert (shadow.path / "info" / "exclude").read_text() == "later\n"


def test_the_part_of_a_split_index_that_is_shared_is_copied_and_forgotten(repo: Repo, shadow: Shadow) -> None:
    repo.git("update-index", "--split-index")
    [shared] = (repo.path / ".git").glob("sharedindex.*")
    touched = shared.stat().st_mtime_ns
    (shadow.path / "sharedindex.old").write_bytes(b"x")

    shadow.copy_index()

    assert shadow.run("ls-files").out == b"a.txt\nb.txt\nsrc/c.txt\n"
    assert [path.name for path in shadow.path.glob("sharedindex.*")] == [shared.name]
    assert shared.stat().st_mtime_ns == touched


def test_a_command_that_fails_is_an_error_unless_its_code_is_expected(shadow: Shadow) -> None:
    with pytest.raises(GitFailed):
        shadow.run("cat-file", "-e", "0" * 40)

    assert shadow.run("cat-file", "-e", "0" * 40, allowed=(0, 1)).code == 1
