"""A git directory of our own that reads a user's worktree.

Every command that reads files runs here. It never loads the repository's own configuration, so no clean filter,
fsmonitor, hook, textconv or transport of that configuration can run, even if it changes while we work; only the
settings of `repository_facts.SAFE` are passed on. The repository's excludes and attributes are copied, so that git
opens only objects in its git directory. Those are readable as an alternate, and nothing can be written to them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from mission.git.command import QUICK, Argument, GitResult, Settings, run
from mission.git.errors import SpecialFile
from mission.git.file_names import quoted
from mission.git.safe_reading import copy, read, read_chosen
from mission.git.snapshots.repository_facts import RepositoryFacts
from mission.git.snapshots.snapshot_storage import make_folder, write

CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = false
\tbigFileThreshold = 1024g
\tprotectNTFS = false
\tprotectHFS = false
[extensions]
\tobjectFormat = {format}
"""
COPIED = ("info/attributes", "info/exclude", "info/grafts", "shallow")
CHOSEN = ("attributesfile", "excludesfile")
"""Settings that name a file."""
MAX_RULES_BYTES = 16 << 20
MAX_INDEX_BYTES = 1 << 30


class Shadow:
    """Runs git on the worktree of `repository` from the directory `path`."""

    def __init__(self, path: Path, repository: RepositoryFacts) -> None:
        self.path = path
        self.repository = repository
        self.index = path / "copied-index"
        self.overlay = path / "overlay-index"
        self.passing = path / "passing-index"
        self.settings: Settings = ()

    def prepare(self) -> None:
        """Prepare the directory so that git accepts it as a repository, with the current state of the real one."""
        for name in ("objects", "refs"):
            make_folder(self.path / name)
        _ensure(self.path / "HEAD", b"ref: refs/heads/none\n")
        if _ensure(self.path / "config", CONFIG.format(format=self.repository.object_format).encode()):
            self.overlay.unlink(missing_ok=True)
        for index in (self.overlay, self.passing):
            # Left by a git that was killed; the caller holds the snapshot folder's lock, so no other git runs here.
            index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
        if (self.path / "info").is_symlink():  # as an earlier version stored it
            (self.path / "info").unlink()
        make_folder(self.path / "info")
        for name in COPIED:
            self._ensure_copy(name)
        self.settings = self._own_settings()

    def copy_index(self) -> str:
        """Copy the index with its mtime, which shows git which entries not to trust; return the copy's digest."""
        try:
            digest = copy(self.repository.git_dir, "index", self.index, limit=MAX_INDEX_BYTES)
        except FileNotFoundError:
            self.index.unlink(missing_ok=True)
            return "none"
        except OSError as error:
            raise SpecialFile(".git/index") from error
        # After the index, which names the shared index it needs.
        self._copy_shared_indexes()
        return digest

    def run(
        self, *arguments: Argument, index: Path | None = None, stdin: bytes = b"", allowed: tuple[int, ...] = (0,),
        timeout: float = QUICK,
    ) -> GitResult:  # fmt: skip
        """Run one git command on the worktree, with the copied index unless another is named."""
        return run(
            *arguments,
            cwd=self.repository.top,
            variables=self._variables(index or self.index),
            settings=self.settings,
            stdin=stdin,
            allowed=allowed,
            timeout=timeout,
        )

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables of a command that reads objects and no file of the worktree."""
        return self._variables(self.index)

    def apart(self, objects: Path) -> dict[str, str]:
        """Return the variables of a command that writes objects to this folder, without access to any other."""
        variables = {**self.variables, "GIT_OBJECT_DIRECTORY": str(objects)}
        return {name: value for name, value in variables.items() if name != "GIT_ALTERNATE_OBJECT_DIRECTORIES"}

    def _variables(self, index: Path) -> dict[str, str]:
        return {
            "GIT_DIR": str(self.path),
            "GIT_WORK_TREE": str(self.repository.top),
            "GIT_INDEX_FILE": str(index),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(os.fsencode(self.repository.common_dir / "objects")),
        }

    def _copy_shared_indexes(self) -> None:
        """Copy the shared file of a split index; git touches that file when it reads it, so it must be a copy."""
        there = {path.name: path for path in self.repository.git_dir.glob("sharedindex.*")}
        for path in self.path.glob("sharedindex.*"):
            if path.name not in there:
                path.unlink(missing_ok=True)
        for name, path in there.items():
            with suppress(OSError):
                if not (self.path / name).exists():
                    copy(path.parent, name, self.path / name, limit=MAX_INDEX_BYTES)

    def _ensure_copy(self, name: str) -> None:
        try:
            content = read(self.repository.common_dir, name, limit=MAX_RULES_BYTES)
        except OSError:
            (self.path / name).unlink(missing_ok=True)
        else:
            _ensure(self.path / name, content)

    def _own_settings(self) -> Settings:
        """Return the repository's settings, with copies in place of the files that they name."""
        own = dict(self.repository.settings)
        for name in CHOSEN:
            chosen = self.repository.setting(name)
            if chosen is not None:
                _ensure(self.path / name, chosen_rules(self.repository, chosen))
                own[f"core.{name}"] = str(self.path / name)
        return tuple(own.items())


def chosen_rules(repository: RepositoryFacts, chosen: str) -> bytes:
    """Return the content of the file that a setting names; empty if it cannot be read."""
    expanded = Path(os.path.expanduser(chosen))  # noqa: PTH111 (an unknown user must not raise)
    try:
        return read_chosen(repository.top / expanded, limit=MAX_RULES_BYTES)
    except (OSError, ValueError):
        return b""


def _ensure(path: Path, content: bytes) -> bool:
    """Write the file unless it already has this content; return whether it was written."""
    with suppress(OSError):
        if path.read_bytes() == content:
            return False
    write(path, content)
    return True
