"""Keep the contents at a task's start that HEAD does not have, so that the task's own lines can be found later."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from mission.git.file_names import display_name
from mission.git.patches.file_contents import Contents, Wanted
from mission.git.patches.kept_contents import Packing
from mission.git.patches.patch import MAX_FILES
from mission.git.safe_reading import opened
from mission.git.snapshots.disk_entries import DiskEntryKind
from mission.git.snapshots.manifest import ManifestEntry, content_of
from mission.git.snapshots.scanner import Scanner
from mission.git.snapshots.snapshot_storage import write

MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_BYTES = 20_000_000
NAMED = 20
TOO_LARGE = "larger than 1 MB"
TOO_MANY = f"beyond {MAX_FILES:,} files for the task"
TOO_MUCH = "beyond 20 MB for the task"
UNREADABLE = "could not be read"
FAILED = "it could not be stored"
NOTHING_KEPT = (
    "the current contents of files that differ from the last commit could not be kept, so the lines that the task "
    "changes in them cannot be shown"
)

Alone = Callable[[], AbstractContextManager[Any]]


def keep_contents(scanner: Scanner, key: str, entries: Mapping[bytes, ManifestEntry], alone: Alone) -> list[str]:
    """Keep the contents of these entries for the snapshot with this key; return a warning about those not kept.

    `alone` locks the snapshot folder, which is needed to run git and to write, but not to read.
    """
    if not entries:
        return []
    chosen, left_out = _chosen(scanner, entries)
    packing, rest = Packing(), []
    for path in chosen:
        content = _on_disk(scanner, path, entries[path])
        if content is None:
            rest.append(path)
        else:
            packing.add(_id(entries[path]), content)
    with alone():
        if rest:
            left_out |= _keep_converted(scanner, {path: entries[path] for path in rest}, packing)
        write(scanner.folder.kept_file(key), packing.packed(left_out), durable=True)
    return _warnings({path: why for path, why in left_out.items() if path in scanner.seen_to_differ})


def _on_disk(scanner: Scanner, path: bytes, entry: ManifestEntry) -> bytes | None:
    """Return the content of the entry, if it is on disk unconverted."""
    kind = scanner.disk.kind(path)
    try:
        if kind is DiskEntryKind.LINK:
            content = os.readlink(scanner.disk.full(path))  # noqa: PTH115 (paths are bytes)
        elif kind is DiskEntryKind.FILE:
            with opened(scanner.repository.top, path) as (file, _):
                content = file.read(MAX_FILE_BYTES + 1)
        else:
            return None
    except OSError:
        return None
    digest = hashlib.new(scanner.repository.object_format, b"blob %d\0" % len(content) + content)
    return content if digest.hexdigest() == _id(entry) else None


def _keep_converted(scanner: Scanner, entries: Mapping[bytes, ManifestEntry], packing: Packing) -> dict[bytes, str]:
    """Keep contents that git converts, or has only in its index; return those that cannot be kept."""
    left_out = {}
    with scanner.folder.scratch() as scratch:
        wanted = [
            Wanted(target=scratch / str(number), path=path, entry=entry)
            for number, (path, entry) in enumerate(entries.items())
        ]
        found = Contents(scanner.shadow, scanner.disk, scratch).as_git_stores_it(wanted)
        for each in wanted:
            if each.target in found:
                packing.add(each.id, each.target.read_bytes())
            else:
                left_out[each.path] = UNREADABLE
    return left_out


def _id(entry: ManifestEntry) -> str:
    return content_of(entry).decode()


def _chosen(scanner: Scanner, entries: Mapping[bytes, ManifestEntry]) -> tuple[list[bytes], dict[bytes, str]]:
    """Return the paths to keep and those to leave out: the smallest first, and last those that differ from HEAD only
    because of a filter that must not run."""
    sizes = {path: _size(scanner, path) for path in entries}
    total = 0
    chosen: list[bytes] = []
    left_out: dict[bytes, str] = {}
    for path in sorted(entries, key=lambda path: (path not in scanner.seen_to_differ, sizes[path], path)):
        if sizes[path] > MAX_FILE_BYTES:
            left_out[path] = TOO_LARGE
        elif len(chosen) == MAX_FILES:
            left_out[path] = TOO_MANY
        elif total + sizes[path] > MAX_TOTAL_BYTES:
            left_out[path] = TOO_MUCH
        else:
            total += sizes[path]
            chosen.append(path)
    return chosen, left_out


def _size(scanner: Scanner, path: bytes) -> int:
    try:
        return os.lstat(scanner.disk.full(path)).st_size
    except OSError:
        return 0


def _warnings(left_out: Mapping[bytes, str]) -> list[str]:
    if not left_out:
        return []
    named = [f"{display_name(path)} ({why})" for path, why in sorted(left_out.items())[:NAMED]]
    more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
    return [
        f"the current contents of these files are not kept, so the lines changed in them by the task cannot be shown: "
        f"{', '.join(named)}{more}"
    ]
