"""A git directory of our own that reads and writes the objects of a repository."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from mission.git.integration.errors import WorktreeLost
from mission.git.integration.own_git_directory import own_git_directory, read_blobs
from tests.git.integration.run_repositories import Run, make_hostile, users_state


def test_new_objects_are_in_the_repository_at_once(run: Run) -> None:
    with own_git_directory(run.repo.path) as own:
        id = own.run("hash-object", "-w", "--stdin", stdin=b"content\n").line.decode()

    assert run.repo.git("cat-file", "blob", id) == "content\n"


def test_neither_refs_nor_settings_nor_hooks_of_the_repository_are_seen(run: Run) -> None:
    trace = make_hostile(run.repo)
    before = users_state(run.repo)
    with own_git_directory(run.repo.path) as own:
        assert own.run("for-each-ref").out == b""
        assert own.run("config", "--get-regexp", r"^(filter|merge|alias|gpg)\.", allowed=(0, 1)).out.count(b"evil") == 0
        own.run("diff-index", "HEAD", allowed=(0, 128))

    assert not trace.exists()
    assert users_state(run.repo) == before


def test_it_is_gone_afterwards(run: Run) -> None:
    with own_git_directory(run.repo.path) as own:
        path = own.path
        assert path.exists()

    assert not path.exists()


def test_objects_of_a_shared_repository_are_for_the_group(run: Run) -> None:
    run.repo.git("config", "core.sharedRepository", "group")
    with own_git_directory(run.repo.path) as own:
        id = own.run("hash-object", "-w", "--stdin", stdin=b"shared\n").line.decode()

    folder = run.repo.path / ".git" / "objects" / id[:2]
    assert stat.S_IMODE(folder.stat().st_mode) & 0o020
    assert stat.S_IMODE((folder / id[2:]).stat().st_mode) & 0o040


def test_contents_are_read_by_id_and_unknown_ids_are_left_out(run: Run) -> None:
    ids = [run.repo.git("rev-parse", f"main:{name}").strip().encode() for name in ("b.txt", "src/c.txt")]
    with own_git_directory(run.repo.path) as own:
        found = read_blobs(own, [ids[0], b"1" * 40, ids[1]])

    assert found == dict(zip(ids, (b"b\n", b"c\n"), strict=True))


@pytest.mark.parametrize("name", ["src", "absent", "plain"])
def test_a_folder_at_which_no_worktree_starts_is_lost(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "plain").mkdir()
    folder = {"src": run.repo.path / "src", "absent": run.repo.path / "absent", "plain": tmp_path / "plain"}[name]

    with pytest.raises(WorktreeLost), own_git_directory(folder):
        pass
