"""A git directory of our own that looks at somebody else's worktree.

Every command that reads files runs here. The repository's own configuration is never loaded by it, so no clean filter,
fsmonitor, hook, textconv or transport of that configuration can run, whatever changes while we work; only the settings
of `repository.SAFE` are handed over. Its objects are readable as an alternate, and nothing can be written to them.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from mission.git.command import QUICK, Argument, Result, run
from mission.git.names import quoted
from mission.git.repository import Repository
from mission.git.storage import make_folder, write

CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = false
\tbigFileThreshold = 1024g
\tprotectNTFS = false
\tprotectHFS = false
[extensions]
\tobjectFormat = {format}
"""


class Shadow:
    """Runs git on the worktree of `repository` from the directory `path`."""

    def __init__(self, path: Path, repository: Repository) -> None:
        self.path = path
        self.repository = repository
        self.index = path / "copied-index"
        self.overlay = path / "overlay-index"
        self.passing = path / "passing-index"

    def prepare(self) -> None:
        """Make the directory what git accepts as a repository, looking at the present state of the real one."""
        for name in ("objects", "refs"):
            make_folder(self.path / name)
        _ensure(self.path / "HEAD", "ref: refs/heads/none\n")
        if _ensure(self.path / "config", CONFIG.format(format=self.repository.object_format)):
            self.overlay.unlink(missing_ok=True)
        for index in (self.overlay, self.passing):
            # Left by a git that was killed; our caller holds the room, so no other git is at work here.
            index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
        for name in ("info", "shallow"):
            _ensure_link(self.path / name, self.repository.common_dir / name)

    def copy_index(self) -> str:
        """Copy the index with its mtime, which git needs to tell which entries it may not trust; the copy's digest."""
        try:
            with (self.repository.git_dir / "index").open("rb") as source:
                content, status = source.read(), os.fstat(source.fileno())
        except FileNotFoundError:
            self.index.unlink(missing_ok=True)
            return "none"
        # After the index, which names the one it needs.
        self._copy_shared_indexes()
        write(self.index, content)
        os.utime(self.index, ns=(status.st_mtime_ns, status.st_mtime_ns))
        return hashlib.sha256(content).hexdigest()

    def run(
        self, *arguments: Argument, index: Path | None = None, stdin: bytes = b"", allowed: tuple[int, ...] = (0,),
        timeout: float = QUICK,
    ) -> Result:  # fmt: skip
        """One git command on the worktree, with the copied index unless another is named."""
        return run(
            *arguments,
            cwd=self.repository.top,
            variables=self._variables(index or self.index),
            settings=self.repository.settings,
            stdin=stdin,
            allowed=allowed,
            timeout=timeout,
        )

    @property
    def variables(self) -> dict[str, str]:
        """The variables of a command that reads objects and no file of the worktree."""
        return self._variables(self.index)

    def apart(self, objects: Path) -> dict[str, str]:
        """The variables of a command that writes objects to this folder, and neither sees nor touches any other."""
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
        """A split index names a file beside it; git touches that file when it reads it, so it gets a copy."""
        there = {path.name: path for path in self.repository.git_dir.glob("sharedindex.*")}
        for path in self.path.glob("sharedindex.*"):
            if path.name not in there:
                path.unlink(missing_ok=True)
        for name, path in there.items():
            with suppress(FileNotFoundError):
                if not (self.path / name).exists():
                    write(self.path / name, path.read_bytes())


def _ensure(path: Path, content: str) -> bool:
    """Write the file unless it already says so; whether it was written."""
    with suppress(OSError):
        if path.read_text() == content:
            return False
    write(path, content.encode())
    return True


def _ensure_link(path: Path, target: Path) -> None:
    with suppress(OSError):
        if path.readlink() == target:
            return
    path.unlink(missing_ok=True)
    path.symlink_to(target)
