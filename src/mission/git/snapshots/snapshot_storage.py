"""Store snapshots on disk: one folder per tree, with its bases, one delta per snapshot, and caches."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import threading
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mission.domain.errors import StorageFull, TransientError
from mission.git.errors import SnapshotLost
from mission.git.snapshots.manifest import Delta, ManifestText, digest_of, pack, unpack

EMPTY = digest_of(b"")
MIN_PAUSE = 0.001
MAX_PAUSE = 0.05
SCRATCH = ".scratch"


class SnapshotFolder:
    """The snapshot files of one tree. A writer holds `lock`."""

    def __init__(self, path: Path, *, excluded: Path | None = None) -> None:
        self.path = path
        # The root of all snapshot folders: if it is inside a tree, it is not part of that tree.
        self.excluded = excluded or path
        self._loaded: dict[str, ManifestText] = {}

    def inner(self, name: bytes) -> SnapshotFolder:
        """Return the snapshot folder of a repository nested in this tree."""
        return SnapshotFolder(self.path / "nested" / _key(name), excluded=self.excluded)

    def make(self) -> None:
        for name in ("bases", "deltas", "kept"):
            make_folder(self.path / name)

    def save_base(self, text: ManifestText) -> str:
        """Store the text under its digest, unless it is already there."""
        digest = digest_of(text)
        self._loaded[digest] = text
        if digest != EMPTY and not self.has_base(digest):
            write(self.path / "bases" / digest, zlib.compress(text, 1), durable=True)
        return digest

    def has_base(self, digest: str) -> bool:
        return digest == EMPTY or (self.path / "bases" / digest).is_file()

    def load_base(self, digest: str) -> ManifestText:
        if digest == EMPTY:
            return b""
        if digest not in self._loaded:
            path = self.path / "bases" / digest
            try:
                self._loaded[digest] = _read(path, digest)
            except SnapshotLost:
                # So that the next snapshot stores a complete text instead of building on this one.
                path.unlink(missing_ok=True)
                raise
        return self._loaded[digest]

    def save_delta(self, key: str, *, base: str, delta: Delta) -> str:
        text = pack(delta)
        write(self._delta(key, base), zlib.compress(text, 6), durable=True)
        return digest_of(text)

    def load_delta(self, key: str, *, base: str, digest: str) -> Delta:
        return unpack(_read(self._delta(key, base), digest))

    def drop_delta(self, key: str, *, base: str) -> None:
        self._delta(key, base).unlink(missing_ok=True)
        self.kept_file(key).unlink(missing_ok=True)

    def kept_file(self, key: str) -> Path:
        """Return the path of the contents kept with a snapshot."""
        return self.path / "kept" / key

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield an empty temporary folder; leftovers of a crash are removed the next time."""
        folder = self.path / SCRATCH
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def drop_deltas(self, *, keep: Collection[str], before: float) -> None:
        for path in [*_listed(self.path / "deltas"), *_listed(self.path / "kept")]:
            if path.name.split(".")[0] not in keep and path.stat().st_mtime <= before:
                path.unlink(missing_ok=True)

    def drop_bases(self, *, keep: str | None) -> None:
        """Remove the bases that no delta needs, except the one the next snapshot will build on."""
        needed = {path.name.partition(".")[2] for path in _listed(self.path / "deltas")} | {keep}
        for path in _listed(self.path / "bases"):
            if path.name not in needed:
                path.unlink(missing_ok=True)

    def drop_unfinished(self) -> None:
        """Remove files that a crash left half written; the holder of the lock is the only writer."""
        shutil.rmtree(self.path / SCRATCH, ignore_errors=True)
        for folder in (self.path, *(self.path / name for name in ("git", "bases", "deltas", "kept"))):
            for path in _listed(folder):
                if path.name.startswith("."):
                    path.unlink(missing_ok=True)

    def is_idle(self, *, before: float) -> bool:
        """Return whether this tree has no snapshots and its folder was not used recently."""
        return not _listed(self.path / "deltas") and self.path.stat().st_mtime <= before

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _delta(self, key: str, base: str) -> Path:
        # The base is in the name, so that a directory listing shows which bases are still needed.
        return self.path / "deltas" / f"{key}.{base}"


class Storage:
    """All snapshot folders below one root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, tree: bytes) -> SnapshotFolder:
        return SnapshotFolder(self.root / "trees" / _key(tree), excluded=self.root)

    def folders(self) -> list[SnapshotFolder]:
        return [SnapshotFolder(path, excluded=self.root) for path in _listed(self.root / "trees")]

    @contextmanager
    def locked(self, folder: SnapshotFolder, *, wait: bool = True) -> Iterator[bool]:
        """Lock the snapshot folder across threads and processes; yield False if it is taken and `wait` is false."""
        locks = self.root / "locks"
        make_folder(locks)
        # Lock files outlive their folder: removing one would let two holders in.
        descriptor = os.open(locks / folder.path.name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield _lock(descriptor, wait=wait)
        finally:
            os.close(descriptor)


def end_waits() -> None:
    """End every wait for a snapshot folder; it is no longer needed."""
    for ended in list(_waiting):
        ended.set()


_waiting: set[threading.Event] = set()


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Return whether the lock is held now. It polls, because a blocked thread could not be ended."""
    ended = threading.Event()
    _waiting.add(ended)
    pause = MIN_PAUSE
    try:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if not wait:
                return False
            if ended.wait(pause):
                raise TransientError("Mission Control is stopping")
            pause = min(2 * pause, MAX_PAUSE)
    finally:
        _waiting.discard(ended)


def make_folder(path: Path) -> None:
    """Create the folder and its parents, closed to other users (mkdir would leave the parents open)."""
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)


def write(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write the content atomically: readers see the old file or the new one, never a part."""
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(6)}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
        if durable:
            _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull from error
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path, digest: str) -> bytes:
    try:
        content = zlib.decompress(path.read_bytes())
    except (OSError, zlib.error) as error:
        raise SnapshotLost from error
    if digest_of(content) != digest:
        raise SnapshotLost
    return content


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def _key(name: bytes) -> str:
    return hashlib.sha256(name).hexdigest()[:32]


def moments_ago(seconds: float) -> float:
    return time.time() - seconds
