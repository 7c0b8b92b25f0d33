"""The git tree id of a manifest: the id that `git write-tree` gives to exactly these files, computed without git.

Git names a folder by a hash over its entries, subfolders included. The bytes that are hashed (the folder's *body*) are
kept for the base of the last manifest, so that only folders with a path in the delta are hashed again. Every body is
checked when it is used, so a damaged cache costs time and is never believed.

A file whose content goes through a clean filter is recorded with its raw content, because the filter is a program that
must not run, and a changed submodule with a hash of its state. Such a tree has an id that no commit has; it is still
the same wherever the content is the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from binascii import unhexlify
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from mission.git.snapshots.manifest import Delta, Manifest, ManifestEntry, ManifestText, digest_of, join, records, whole
from mission.git.snapshots.snapshot_storage import SnapshotFolder, write

FOLDER = b"40000"
CACHE = "tree-bodies"
TOP = b""

Load = Callable[[str], ManifestText]
Child = tuple[bytes, bool]
"""The name of an entry in its folder, and whether it is a folder; during a change both kinds may share a name."""
Row = tuple[bytes, bytes]
"""The mode of an entry and its id in binary form."""


class Bodies(Protocol):
    """The bodies of a tree's folders, by path; the top is the empty path."""

    def body(self, folder: bytes) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class BodiesInMemory:
    """The bodies of a tree that was just hashed."""

    by_folder: Mapping[bytes, bytes]

    def body(self, folder: bytes) -> bytes | None:
        return self.by_folder.get(folder)


class StoredBodies:
    """Bodies in a file, of which only those that are asked for are read."""

    def __init__(
        self, descriptor: int, index: Mapping[str, tuple[int, int, str]], *, start: int, algorithm: str
    ) -> None:
        self._descriptor = descriptor
        self._index = index
        self._start = start
        self._algorithm = algorithm

    def body(self, folder: bytes) -> bytes | None:
        place = self._index.get(folder.decode("latin-1"))
        if place is None:
            return None
        offset, size, id = place
        found = os.pread(self._descriptor, size, self._start + offset)
        if _hash(self._algorithm, found).hex() != id:
            raise ValueError("damaged")
        return found


def git_tree_id(folder: SnapshotFolder, manifest: Manifest, *, algorithm: str, extra: Delta | None = None) -> str:
    """Return the id of the tree with the manifest's files; `extra` adds files that are not on disk.

    The base of the manifest is a listing of an index, with ids of the given algorithm.
    """
    delta = {**manifest.delta, **(extra or {})}
    with suppress(OSError, ValueError, KeyError, TypeError):
        descriptor = os.open(folder.path / CACHE, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _changed(_opened(descriptor, base=manifest.base, algorithm=algorithm), delta, algorithm).hex()
        finally:
            os.close(descriptor)
    bodies = _bodies(folder.load_base(manifest.base), algorithm)
    write(folder.path / CACHE, _packed(bodies, base=manifest.base, algorithm=algorithm))
    return _changed(BodiesInMemory(bodies), delta, algorithm).hex()


def tree_id_of(entries: Mapping[bytes, ManifestEntry], *, algorithm: str) -> str:
    """Return the id of the tree with exactly these files."""
    return _changed(BodiesInMemory({}), dict(entries), algorithm).hex()


def folder_id(manifest: Manifest, load: Load) -> str:
    """Return the id of a plain folder: a digest of its whole sorted manifest."""
    return f"sha256:{digest_of(join(whole(manifest, load(manifest.base))))}"


def _bodies(text: ManifestText, algorithm: str) -> dict[bytes, bytes]:
    """Return the body of every folder of a listing. It is sorted by path, which is the order inside bodies too."""
    digits = 2 * hashlib.new(algorithm).digest_size
    id_at, path_at = 9, 9 + digits + 3  # 'H 100644 <id> 0', a tab, the path
    bodies: dict[bytes, bytes] = {}
    current = TOP
    rows: list[bytes] = []
    outer: list[tuple[bytes, list[bytes]]] = []
    for record in records(text):
        path = record[path_at:]
        end = path.rfind(b"/") + 1
        if path[:end] != current:
            while not path.startswith(current):
                body = bodies[current[:-1]] = b"".join(rows)
                name = current[:-1].rpartition(b"/")[2]
                row = b"%s %s\0%s" % (FOLDER, name, _hash(algorithm, body))
                current, rows = outer.pop()
                rows.append(row)
            while current != path[:end]:
                outer.append((current, rows))
                current, rows = path[: path.index(b"/", len(current)) + 1], []
        rows.append(b"%s %s\0%s" % (record[2:8], path[end:], unhexlify(record[id_at : id_at + digits])))
    while outer:
        body = bodies[current[:-1]] = b"".join(rows)
        name = current[:-1].rpartition(b"/")[2]
        current, rows = outer.pop()
        rows.append(b"%s %s\0%s" % (FOLDER, name, _hash(algorithm, body)))
    bodies[TOP] = b"".join(rows)
    return bodies


def _changed(bodies: Bodies, delta: Delta, algorithm: str) -> bytes:
    """Return the id of the top folder after the delta: changed folders are hashed again, the deepest first."""
    changes: defaultdict[bytes, dict[Child, Row | None]] = defaultdict(dict)
    for path, value in delta.items():
        folder, _, name = path.rpartition(b"/")
        changes[folder][name, False] = None if value is None else _row(value, algorithm)
    levels: defaultdict[int, list[bytes]] = defaultdict(list)
    for folder in changes:
        levels[_depth(folder)].append(folder)
    for depth in range(max(levels, default=0), 0, -1):
        for folder in levels[depth]:
            body = _with(bodies.body(folder) or b"", changes[folder], algorithm)
            parent, _, name = folder.rpartition(b"/")
            if parent not in changes:
                levels[depth - 1].append(parent)
            changes[parent][name, True] = (FOLDER, _hash(algorithm, body)) if body else None
    return _hash(algorithm, _with(bodies.body(TOP) or b"", changes[TOP], algorithm))


def _with(body: bytes, changes: Mapping[Child, Row | None], algorithm: str) -> bytes:
    """Return the body with changed entries. Folders are sorted as if their names ended with a slash."""
    rows = {**_parsed(body, hashlib.new(algorithm).digest_size), **changes}
    children = sorted(rows, key=lambda child: child[0] + b"/" if child[1] else child[0])
    return b"".join(b"%s %s\0%s" % (row[0], child[0], row[1]) for child in children if (row := rows[child]))


def _parsed(body: bytes, size: int) -> dict[Child, Row]:
    rows: dict[Child, Row] = {}
    at = 0
    while at < len(body):
        name_at = body.index(b" ", at) + 1
        id_at = body.index(b"\0", name_at) + 1
        mode = body[at : name_at - 1]
        rows[body[name_at : id_at - 1], mode == FOLDER] = (mode, body[id_at : id_at + size])
        at = id_at + size
    return rows


def _row(value: ManifestEntry, algorithm: str) -> Row:
    _, mode, content, _ = value.split(b" ")
    id = unhexlify(content)
    # The state of a nested repository, or of an unreadable file, is a hash of another length in some repositories.
    return mode, id if len(id) == hashlib.new(algorithm).digest_size else hashlib.new(algorithm, id).digest()


def _hash(algorithm: str, body: bytes) -> bytes:
    return hashlib.new(algorithm, b"tree %d\0%s" % (len(body), body)).digest()


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0


def _packed(bodies: Mapping[bytes, bytes], *, base: str, algorithm: str) -> bytes:
    """Return the bodies as one file: a line that says what they belong to, an index, then the bodies."""
    index: dict[str, tuple[int, int, str]] = {}
    at = 0
    for folder, body in bodies.items():
        index[folder.decode("latin-1")] = (at, len(body), _hash(algorithm, body).hex())
        at += len(body)
    text = json.dumps(index).encode()
    head = json.dumps({"base": base, "algorithm": algorithm, "size": len(text), "digest": digest_of(text)}).encode()
    return b"".join((head, b"\n", text, *bodies.values()))


def _opened(descriptor: int, *, base: str, algorithm: str) -> StoredBodies:
    """Return the stored bodies; raise ValueError if they are damaged or belong to something else."""
    line, newline, _ = os.pread(descriptor, 1000, 0).partition(b"\n")
    head = json.loads(line)
    start = len(line) + len(newline)
    text = os.pread(descriptor, head["size"], start)
    if (head["base"], head["algorithm"], head["digest"]) != (base, algorithm, digest_of(text)):
        raise ValueError("of another tree")
    return StoredBodies(descriptor, json.loads(text), start=start + len(text), algorithm=algorithm)
