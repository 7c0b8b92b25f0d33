"""Keep what a task's start has and HEAD has not, so that the task's own lines can be told from it later."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mission.git.file_names import shown
from mission.git.patches.file_contents import Contents, Wanted
from mission.git.patches.kept_contents import packed
from mission.git.snapshots.manifest import ManifestEntry
from mission.git.snapshots.scanner import Scanner
from mission.git.snapshots.snapshot_storage import write

LARGEST_FILE = 1_000_000
MOST = 20_000_000
NAMED = 20
TOO_LARGE = "larger than 1 MB"
TOO_MUCH = "beyond 20 MB for the task"
UNREADABLE = "could not be read"


def keep(scanner: Scanner, key: str) -> list[str]:
    """Keep the contents for the snapshot with this key; what to say about those that are not kept."""
    entries = scanner.not_in_head()
    if not entries:
        return []
    chosen, left_out = _chosen(scanner, entries)
    with scanner.room.scratch() as scratch:
        wanted = [
            Wanted(target=scratch / str(number), path=path, entry=entries[path]) for number, path in enumerate(chosen)
        ]
        found = Contents(scanner.shadow, scanner.disk, scratch).on_disk(wanted)
        left_out |= {each.path: UNREADABLE for each in wanted if each.target not in found}
        contents = {each.id: each.target for each in wanted if each.target in found}
        write(scanner.room.kept(key), packed(contents, left_out), durable=True)
    return _said({path: why for path, why in left_out.items() if path in scanner.seen_to_differ})


def _chosen(scanner: Scanner, entries: Mapping[bytes, ManifestEntry]) -> tuple[list[bytes], dict[bytes, str]]:
    """The paths to keep and those to leave out: the smallest first, and last what differs from HEAD only because of a
    filter that must not run."""
    sizes = {path: _size(scanner, path) for path in entries}
    total, chosen, left_out = 0, [], {}
    for path in sorted(entries, key=lambda path: (path not in scanner.seen_to_differ, sizes[path], path)):
        if sizes[path] > LARGEST_FILE:
            left_out[path] = TOO_LARGE
        elif total + sizes[path] > MOST:
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


def _said(left_out: Mapping[bytes, str]) -> list[str]:
    if not left_out:
        return []
    named = [f"{shown(path)} ({why})" for path, why in sorted(left_out.items())[:NAMED]]
    more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
    return [
        f"what these files hold now is not kept, so the lines that the task changes in them cannot be shown: "
        f"{', '.join(named)}{more}"
    ]
