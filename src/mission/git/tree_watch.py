"""Sees cheaply that a tree has not changed since it was identified.

A scan by git is right but takes several processes. Most checks change nothing, and then the times of files, folders
and the index show it. A file that looks different, is too new for its times to be trusted, or cannot be compared here
is left to the scan: a watch says "unchanged" or nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mission.git.file_names import original
from mission.git.snapshot import Snapshots
from mission.git.snapshots.manifest import ManifestEntry, whole
from mission.git.tree_identity import LeftBehind, TreeIdentity

MAX_WATCHED = 20_000
MAX_HASHED = 500
MAX_HASHED_BYTES = 20_000_000
SCAN_NS = 60_000_000_000
"""Files changed this shortly before the tree was identified may have changed during the scan: their content is read."""
YOUNG_NS = 2_000_000_000
"""What was changed this recently could change again without its times showing it."""
_ALGORITHMS = {40: "sha1", 64: "sha256"}
_PLAIN_MODES = {b"100644": 0, b"100755": stat.S_IXUSR}
_LINK_MODE = b"120000"
_WATCHABLE = tuple(b"H %s " % mode for mode in (*_PLAIN_MODES, _LINK_MODE))
"""How the entries of files begin that are stored as they are."""

Stamp = tuple[int, int, int, int, int]
"""Mode, size, inode and times of a file or folder."""


class _NotWatchable(Exception):
    """Only a scan can tell whether this tree changes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeWatch:
    """A tree right after it was identified."""

    stamps: Mapping[bytes, Stamp]
    """Files, folders and the index whose times can be trusted."""
    young_files: Mapping[bytes, ManifestEntry]
    """Files of the tree that were changed just now: their content is compared."""
    young_others: Mapping[bytes, bytes]
    """The index and files that checks left behind, if they were changed just now, with digests of their content."""
    young_folders: Mapping[bytes, frozenset[bytes]]
    """Folders that were changed just now, with the names in them."""

    def is_unchanged(self) -> bool:
        """Return whether nothing in the tree has changed; False if something has or may have."""
        try:
            return (
                all(_stamp(path) == stamp for path, stamp in self.stamps.items())
                and all(_has_content(path, value) for path, value in self.young_files.items())
                and all(_digest(path) == digest for path, digest in self.young_others.items())
                and all(frozenset(os.listdir(path)) == names for path, names in self.young_folders.items())
            )
        except (OSError, _NotWatchable):
            return False


def watch_tree(snapshots: Snapshots, identity: TreeIdentity, *, left: LeftBehind) -> TreeWatch | None:
    """Return a watch on the tree; None if it has changed since it was identified, or only a scan can tell.

    `left` are the files that earlier checks left behind: a check that writes them again must be seen too.
    """
    snapshot = identity.snapshot
    if snapshot.kind != "git":
        return None
    with snapshots.recorded(snapshot) as (folder, manifest):
        entries = whole(manifest, folder.load_base(manifest.base))
    if len(entries) > MAX_WATCHED:
        return None
    try:
        taken = int(datetime.fromisoformat(snapshot.taken_at).timestamp() * 1_000_000_000)
        return _watched(os.fsencode(snapshot.path), entries, [original(name) for name in left], since=taken - SCAN_NS)
    except (OSError, _NotWatchable):
        return None


def _watched(top: bytes, entries: Mapping[bytes, ManifestEntry], left: Iterable[bytes], *, since: int) -> TreeWatch:
    young = time.time_ns() - YOUNG_NS
    stamps: dict[bytes, Stamp] = {}
    young_files: dict[bytes, ManifestEntry] = {}
    hashed = 0
    for name, value in entries.items():
        path = b"%s/%s" % (top, name)
        stamp = _stamp(path)
        changed = _changed_ns(stamp)
        if changed >= since:
            hashed += stamp[1]
            if len(young_files) > MAX_HASHED or hashed > MAX_HASHED_BYTES or not _has_content(path, value):
                raise _NotWatchable
        elif not value.startswith(_WATCHABLE):
            raise _NotWatchable
        if changed >= young:
            young_files[path] = value
        else:
            stamps[path] = stamp
    young_others: dict[bytes, bytes] = {}
    for path in (*(os.path.join(top, name) for name in left), _index_of(top)):
        stamp = _stamp(path)
        if _changed_ns(stamp) >= young:
            young_others[path] = _digest(path)
        else:
            stamps[path] = stamp
    young_folders: dict[bytes, frozenset[bytes]] = {}
    for path in _folders(top, entries):
        stamp = _stamp(path)
        if _changed_ns(stamp) >= young:
            young_folders[path] = frozenset(os.listdir(path))
        else:
            stamps[path] = stamp
    return TreeWatch(stamps=stamps, young_files=young_files, young_others=young_others, young_folders=young_folders)


def _stamp(path: bytes) -> Stamp:
    found = os.lstat(path)
    return found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def _changed_ns(stamp: Stamp) -> int:
    return max(stamp[3], stamp[4])


def _has_content(path: bytes, value: ManifestEntry) -> bool:
    """Return whether the file has the recorded mode and content, stored as it is; a filter makes it differ."""
    tag, mode, id, *_ = value.split(b" ", 3)
    algorithm = _ALGORITHMS.get(len(id))
    if tag != b"H" or algorithm is None:
        raise _NotWatchable
    found = os.lstat(path)
    if mode == _LINK_MODE:
        if not stat.S_ISLNK(found.st_mode):
            return False
        content = os.readlink(path)
    elif mode in _PLAIN_MODES:
        if not stat.S_ISREG(found.st_mode) or (found.st_mode & stat.S_IXUSR) != _PLAIN_MODES[mode]:
            return False
        content = _read(path)
    else:
        raise _NotWatchable
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest().encode() == id


def _digest(path: bytes) -> bytes:
    return hashlib.sha256(_read(path)).digest()


def _read(path: bytes) -> bytes:
    """Return the content of a regular file; raise if it is another kind of file, or too large."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_HASHED_BYTES:
            raise _NotWatchable
        content = os.read(descriptor, found.st_size + 1)
    finally:
        os.close(descriptor)
    if len(content) != found.st_size:  # it is being written
        raise _NotWatchable
    return content


def _index_of(top: bytes) -> bytes:
    """Return the path of the index: of the repository itself, or of a worktree that only points to it."""
    git = os.path.join(top, b".git")
    if os.path.isdir(git):
        return os.path.join(git, b"index")
    prefix, _, place = _read(git).partition(b"gitdir: ")
    if prefix or not place:
        raise _NotWatchable
    return os.path.join(top, place.rstrip(b"\n"), b"index")


def _folders(top: bytes, entries: Iterable[bytes]) -> set[bytes]:
    """Return the folders that contain files of the tree: a new file or folder in one changes its times."""
    names = {name.rpartition(b"/")[0] for name in entries}
    names |= {parent for name in names for parent in _parents(name)}
    return {os.path.join(top, name) if name else top for name in {*names, b""}}


def _parents(name: bytes) -> Iterable[bytes]:
    while name := os.path.dirname(name):
        yield name
