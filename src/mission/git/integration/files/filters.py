"""The filters of files, which are programs: which of them run here, and LFS without its program.

A filter that the repository's own configuration names never runs; one from the user's configuration works as usual.
For LFS no program is needed: the pointer is made here, and the content is stored where LFS looks for it, so that a
later `git push` of the user uploads it. That is done for the standard configuration of LFS, in any scope, and without
one. Extensions of LFS, and a store that the repository's configuration names, are not standard.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

from mission.git.command import run
from mission.git.integration.own_git_directory import OwnGitDirectory
from mission.git.safe_reading import copy, opened
from mission.git.snapshots.manifest import ManifestEntry, entry

OWN_SCOPES = ("local", "worktree")
NONE = (b"unspecified", b"unset")
LFS = "lfs"
STANDARD = {
    "clean": re.compile(r"git-lfs clean (-- )?%f"),
    "smudge": re.compile(r"git-lfs smudge (--skip )?(-- )?%f"),
    "process": re.compile(r"git-lfs filter-process( --skip)?"),
    "required": re.compile(r".*"),
}
POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(ext-\d-[^\n]+\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?"
)
MAX_POINTER_BYTES = 1024
CHUNK = 1 << 20
LARGEST = 1 << 40


class FilterKind(Enum):
    """The change of a file between the worktree and the repository."""

    NONE = "none"
    LFS = "lfs"
    USERS = "the user's"
    SILENCED = "silenced"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pointer:
    """The pointer that stands for a large file in the repository."""

    oid: str
    size: int

    @property
    def text(self) -> bytes:
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.oid}\nsize {self.size}\n".encode()


@dataclass(slots=True)
class _Driver:
    """A configured filter: its values, and the scopes that they come from."""

    values: list[tuple[str, str]] = field(default_factory=list)
    scopes: set[str] = field(default_factory=set)


class Filters:
    """The filters of one worktree."""

    def __init__(self, own: OwnGitDirectory) -> None:
        self._own = own
        self._top = own.repository.top

    def kinds(self, paths: Collection[bytes]) -> dict[bytes, FilterKind]:
        """Return the kind of filter of each of these paths that has one."""
        if not paths:
            return {}
        listed = b"".join(path + b"\0" for path in paths)
        fields = self._own.run("check-attr", "-z", "--stdin", "filter", stdin=listed).out.split(b"\0")
        named = {path: value for path, value in zip(fields[::3], fields[2::3], strict=False) if value not in NONE}
        kinds = {path: self._kind(os.fsdecode(value)) for path, value in named.items()}
        return {path: kind for path, kind in kinds.items() if kind is not FilterKind.NONE}

    @property
    def is_silenced_lfs(self) -> bool:
        """Return whether LFS works in the user's shell only through the repository's own configuration."""
        return bool(self._drivers.get(LFS, _Driver()).scopes & {*OWN_SCOPES})

    def pointer(self, path: bytes) -> Pointer | None:
        """Return the pointer for the file's content; None for one that is a pointer already, or empty."""
        digest, size = hashlib.sha256(), 0
        with opened(self._top, path) as (file, status):
            beginning = file.read(MAX_POINTER_BYTES) if status.st_size <= MAX_POINTER_BYTES else b""
            if status.st_size == 0 or POINTER.fullmatch(beginning):
                return None
            file.seek(0)
            while piece := file.read(CHUNK):
                digest.update(piece)
                size += len(piece)
        return Pointer(oid=digest.hexdigest(), size=size)

    def pointer_entry(self, path: bytes) -> ManifestEntry | None:
        """Return what git would record for a file of LFS; None if it cannot be read."""
        try:
            pointer = self.pointer(path)
            with opened(self._top, path) as (file, status):
                mode = b"100755" if status.st_mode & 0o100 else b"100644"
                text = pointer.text if pointer else file.read(MAX_POINTER_BYTES)
        except OSError:
            return None
        stored = b"blob %d\0%s" % (len(text), text)
        return entry(mode, hashlib.new(self._own.repository.object_format, stored).hexdigest())

    def store(self, path: bytes) -> Pointer | None:
        """Store the content of the file for LFS and return its pointer; None for one that is a pointer already."""
        pointer = self.pointer(path)
        if pointer is not None:
            target = self._store / "objects" / pointer.oid[:2] / pointer.oid[2:4] / pointer.oid
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                self._copy(path, target, pointer)
        return pointer

    def _copy(self, path: bytes, target: Path, pointer: Pointer) -> None:
        if copy(self._top, path, target, limit=LARGEST) != pointer.oid:
            target.unlink()
            raise OSError(errno.EAGAIN, "the file changed while it was being stored")
        target.chmod(0o644)

    def _kind(self, name: str) -> FilterKind:
        if name == LFS and self._is_standard_lfs:
            return FilterKind.LFS
        driver = self._drivers.get(name)
        if driver is None:
            return FilterKind.NONE  # as for git: an attribute without a program does nothing
        return FilterKind.SILENCED if driver.scopes & {*OWN_SCOPES} else FilterKind.USERS

    @property
    def _is_standard_lfs(self) -> bool:
        values = self._drivers.get(LFS, _Driver()).values
        usual = all(name in STANDARD and STANDARD[name].fullmatch(value) for name, value in values)
        return usual and not any(
            key.startswith("lfs.extension.") or (key == "lfs.storage" and scope in OWN_SCOPES)
            for scope, key, _ in self._rows
        )

    @property
    def _store(self) -> Path:
        chosen = [value for _, key, value in self._rows if key == "lfs.storage"]
        return self._own.repository.common_dir / (os.path.expanduser(chosen[-1]) if chosen else "lfs")  # noqa: PTH111

    @cached_property
    def _drivers(self) -> dict[str, _Driver]:
        found: dict[str, _Driver] = defaultdict(_Driver)
        for scope, key, value in self._rows:
            section, _, rest = key.partition(".")
            name, _, variable = rest.rpartition(".")
            if section == "filter":
                found[name].values.append((variable, value))
                found[name].scopes.add(scope)
        return dict(found)

    @cached_property
    def _rows(self) -> list[tuple[str, str, str]]:
        """Return the scope, key and value of every setting about filters."""
        asked = ("config", "-z", "--show-scope", "--get-regexp", r"^(filter|lfs)\.")
        words = run(*asked, cwd=self._top, allowed=(0, 1)).out.split(b"\0")[:-1]
        rows = [(scope, *row.partition(b"\n")[::2]) for scope, row in zip(words[::2], words[1::2], strict=True)]
        return [(scope.decode(), os.fsdecode(key), os.fsdecode(value)) for scope, key, value in rows]
