"""Fixtures of the git tests: repositories and folders under the test's own home."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.snapshot import Snapshots
from tests.git.real_repositories import Folder, Repo


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings, so that no test depends on who runs it."""
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return path


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "snapshots")


@pytest.fixture
def repo(tmp_path: Path, snapshots: Snapshots) -> Repo:
    """A repository with one commit: a.txt, b.txt and src/c.txt."""
    repo = Repo(path=tmp_path / "repo", snapshots=snapshots).init()
    repo.commit("first", **{"a.txt": "a\n", "b.txt": "b\n", "src/c.txt": "c\n"})
    return repo


@pytest.fixture
def empty(tmp_path: Path, snapshots: Snapshots) -> Repo:
    """A repository without a commit."""
    return Repo(path=tmp_path / "empty", snapshots=snapshots).init()


@pytest.fixture
def folder(tmp_path: Path, snapshots: Snapshots) -> Folder:
    """A folder that no repository knows."""
    folder = Folder(path=tmp_path / "folder", snapshots=snapshots)
    folder.write("a.txt", "a\n")
    folder.write("src/c.txt", "c\n")
    return folder
