"""Content ids of files, made by git itself in an index of our own, without writing an object anywhere.

The overlay index holds only files that differ from the user's index, and it stays between calls: a file whose stat data
did not change since is not read again. Most builds of git compare times by the second, so a file that was touched only
moments ago goes through an index that is thrown away: it could change again without its times showing it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from mission.git.command import LONG
from mission.git.disk import Disk
from mission.git.errors import GitFailed, TreeBusy
from mission.git.manifest import Entry, entry, parse
from mission.git.shadow import Shadow

ATTEMPTS = 3
# When the overlay holds this many more entries than are asked for, it starts anew.
SLACK = 4
YOUNG_NS = 2_000_000_000
Seeds = Callable[[Collection[bytes]], dict[bytes, Entry]]


def hash_files(
    shadow: Shadow, disk: Disk, paths: Collection[bytes], *, seeds: Seeds | None = None
) -> tuple[dict[bytes, Entry], list[bytes]]:
    """Path → entry for each of these files that is still there, and the paths that could not be read.

    With `seeds` the entries of the user's index are put in first: whether line endings are converted, and which mode
    a file has where the filesystem keeps none, depends on them.
    """
    unreadable: set[bytes] = set()
    for attempt in range(ATTEMPTS):
        wanted = [path for path in paths if path not in unreadable]
        try:
            found = _update(shadow, disk, wanted, seeds)
        except GitFailed:
            closed = {path for path in wanted if not disk.is_readable(path)}
            unreadable |= closed
            if not closed and attempt:
                shadow.overlay.unlink(missing_ok=True)
        else:
            guesses = {path: entry(b"100644", disk.guess(path)) for path in unreadable}
            return found | guesses, sorted(unreadable)
    raise TreeBusy


def _update(shadow: Shadow, disk: Disk, paths: Collection[bytes], seeds: Seeds | None) -> dict[bytes, Entry]:
    since = time.time_ns() - YOUNG_NS
    young = {path for path in paths if disk.touched_ns(path) >= since}
    settled = [path for path in paths if path not in young]
    entries = _hashed(shadow, shadow.overlay, settled, seeds)
    if len(entries) > SLACK * len(settled) + 1000:
        shadow.overlay.unlink(missing_ok=True)
    shadow.passing.unlink(missing_ok=True)
    entries |= _hashed(shadow, shadow.passing, young, seeds)
    return {path: entries[path] for path in paths if path in entries}


def _hashed(shadow: Shadow, index: Path, paths: Collection[bytes], seeds: Seeds | None) -> dict[bytes, Entry]:
    if not paths:
        return {}
    if seeds:
        _seed(shadow, index, seeds(paths))
    names = b"".join(path + b"\0" for path in paths)
    flags = ("-z", "--add", "--remove", "--replace", "--info-only", "--stdin")
    shadow.run("update-index", *flags, index=index, stdin=names, timeout=LONG)
    return parse(shadow.run("ls-files", "-v", "-s", "-z", index=index).out)


def _seed(shadow: Shadow, index: Path, entries: dict[bytes, Entry]) -> None:
    # 'H 100644 <id> 0' without its tag is what --index-info reads.
    lines = b"".join(b"%s\t%s\0" % (value[2:], path) for path, value in entries.items())
    if lines:
        shadow.run("update-index", "-z", "--replace", "--index-info", index=index, stdin=lines)
