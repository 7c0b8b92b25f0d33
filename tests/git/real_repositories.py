"""Real repositories and folders to try git functions on, and an independent look at what they hold."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.domain.tasks.changes import Changes
from mission.git.changed_files import find_changes
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.working_tree import find_tree

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_EDITOR": "true",
    "GIT_ALLOW_PROTOCOL": "file",
}


@dataclass(frozen=True)
class Folder:
    """A folder and the snapshots of it."""

    path: Path
    snapshots: Snapshots

    def write(self, name: str | bytes, content: str | bytes = "text\n") -> Path:
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def take(self) -> Snapshot:
        return self.snapshots.take(find_tree(self.path))

    def changes(self, snapshot: Snapshot) -> Changes:
        return find_changes(self.snapshots, snapshot)


@dataclass(frozen=True)
class Repo(Folder):
    """A git repository."""

    variables: Mapping[str, str] = field(default_factory=dict)

    def git(self, *arguments: str | bytes, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**os.environ, **ENVIRONMENT, **self.variables},
            check=check,
            capture_output=True,
        )
        return done.stdout.decode(errors="surrogateescape")

    def init(self, *options: str) -> Repo:
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)
        return self

    def commit(self, message: str = "work", **files: str) -> str:
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, "--allow-empty")
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def at(self, path: Path) -> Repo:
        return Repo(path=path, snapshots=self.snapshots)


def lists(changes: Changes) -> dict[str, Any]:
    """The lists of paths that are not empty, which is what most tests compare."""
    names = {"added": changes.added, "modified": changes.modified, "deleted": changes.deleted}
    return {name: list(paths) for name, paths in names.items() if paths}


def contents(top: Path) -> dict[bytes, tuple[str, str]]:
    """Path → kind and checksum of every file and link below the folder, without .git folders."""
    return dict(_contents(os.fsencode(top), b""))


def _contents(top: bytes, folder: bytes) -> Iterator[tuple[bytes, tuple[str, str]]]:
    for item in os.scandir(top + b"/" + folder):
        path = folder + item.name
        if item.name == b".git":
            continue
        if item.is_symlink():
            yield path, ("link", str(Path(os.fsdecode(item.path)).readlink()))
        elif item.is_dir():
            yield from _contents(top, path + b"/")
        elif item.is_file():
            kind = "program" if item.stat().st_mode & 0o100 else "file"
            yield path, (kind, hashlib.sha256(Path(os.fsdecode(item.path)).read_bytes()).hexdigest())


def everything(top: Path) -> dict[str, tuple[str, int]]:
    """Every file below a folder, also in .git, with its checksum and the time it was written."""
    return {
        str(path.relative_to(top)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(top.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
