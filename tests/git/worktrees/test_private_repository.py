"""A repository of our own that reads another's objects."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from mission.git.snapshots.manifest import entry
from mission.git.snapshots.repository_facts import open_repository
from mission.git.worktrees.private_repository import PrivateRepository
from tests.git.real_repositories import Repo, everything


@pytest.fixture
def private(repo: Repo, tmp_path: Path) -> PrivateRepository:
    top = tmp_path / "private"
    top.mkdir()
    made = PrivateRepository(top, open_repository(repo.path), final=top)
    made.create(repo.head)
    return made


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(content), content)).hexdigest()


def test_it_has_the_history_the_branches_and_the_files_of_the_other(repo: Repo, private: PrivateRepository) -> None:
    here = repo.at(private.top)

    assert here.git("log", "--format=%s") == "first\n"
    assert here.git("rev-parse", "main").strip() == repo.head
    assert sorted(private.files_of(repo.head)) == [b"a.txt", b"b.txt", b"src/c.txt"]
    assert private.has_commit(repo.head)
    assert not private.has_commit("0" * 40)


def test_contents_are_found_there_or_stored_here(repo: Repo, private: PrivateRepository) -> None:
    before = everything(repo.path)
    known, new = blob(b"a\n"), blob(b"new\n")
    assert private.missing({known, new}) == {new}
    assert not private.add_blob(new, b"another content")
    assert private.missing({new}) == {new}

    assert private.add_blob(new, b"new\n")

    assert private.missing({known, new}) == set()
    private.check_out({b"a.txt": entry(b"100755", known), b"link": entry(b"120000", new)})
    assert os.access(private.top / "a.txt", os.X_OK)
    assert (private.top / "link").readlink() == Path("new\n")
    assert everything(repo.path) == before


def test_ignore_rules_of_tree_repository_and_user_hold_here_too(repo: Repo, tmp_path: Path, home: Path) -> None:
    repo.write(".git/info/exclude", "*.one\n")
    (home / "mine").write_text("*.two\n")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    top = tmp_path / "private"
    top.mkdir()
    private = PrivateRepository(top, open_repository(repo.path), final=top)
    private.create(repo.head)
    (top / ".gitignore").write_text("three/\n")

    asked = [b"x.one", b"x.two", b"three/", b"three", b":(top)x.one", b":!x.one", b"x.four", b"*.one"]
    assert private.ignored(asked) == {b"x.one", b"x.two", b"three/", b":(top)x.one", b":!x.one", b"*.one"}
    assert private.ignored([]) == set()


def test_it_takes_no_program_and_no_address_from_the_other(repo: Repo, tmp_path: Path) -> None:
    for key in ("filter.x.smudge", "core.sshCommand", "core.hooksPath", "remote.origin.url", "alias.x"):
        repo.git("config", key, "evil")
    repo.git("config", "core.autocrlf", "input")
    repo.git("config", "core.eol", 'l"f\\\n')
    top = tmp_path / "private"
    top.mkdir()
    private = PrivateRepository(top, open_repository(repo.path), final=top)

    private.create(repo.head)

    listed = repo.at(top).git("config", "--local", "--list")
    assert "evil" not in listed
    assert "core.autocrlf=input\n" in listed
    assert repo.at(top).git("config", "-z", "core.eol") == 'l"f\\\n\0'
