"""The content of a tree at one moment: for every path its mode and the id of its content.

An entry looks as `git ls-files -v -s` prints it (`H 100644 <id> 0`), a record is the entry, a tab and the path, and a
text is a series of records that each end with NUL. A text of 100,000 files stays one bytes object wherever possible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

ManifestEntry = bytes
ManifestText = bytes
Delta = dict[bytes, ManifestEntry | None]

GONE = b"-"
# Above this many lookups one pass over the whole text is cheaper than a search for each.
MAX_LOOKUPS = 40
MIN_STEP = 1024
# Above this many differences sets are cheaper than stepping from one to the next.
SCATTERED = 5000


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """A stored text, named by its digest, and the paths whose entry differs from it (None: not there)."""

    base: str
    delta: Delta = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return digest_of(self.base.encode() + b"\0" + pack(self.delta))


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A path whose entry differs between two manifests."""

    path: bytes
    old: ManifestEntry | None
    new: ManifestEntry | None


def entry(mode: bytes, content: bytes | str) -> ManifestEntry:
    """Return the entry of one file."""
    return b"H %s %s 0" % (mode, content.encode() if isinstance(content, str) else content)


def content_of(value: ManifestEntry) -> bytes:
    """Return the id of the content, without the mode."""
    return value.split(b" ", 3)[2]


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def records(text: ManifestText) -> list[bytes]:
    return text.split(b"\0")[:-1]


def parse(text: ManifestText) -> dict[bytes, ManifestEntry]:
    """Return path → entry."""
    return {path: value for value, _, path in (record.partition(b"\t") for record in records(text))}


def join(entries: Mapping[bytes, ManifestEntry]) -> ManifestText:
    """Return the text of these entries, sorted by path, so that equal content makes equal bytes."""
    return b"".join(b"%s\t%s\0" % (entries[path], path) for path in sorted(entries))


def pack(delta: Delta) -> ManifestText:
    return b"".join(b"%s\t%s\0" % (value or GONE, path) for path, value in sorted(delta.items()))


def unpack(text: ManifestText) -> Delta:
    return {path: None if value == GONE else value for path, value in parse(text).items()}


def drift(base: ManifestText, text: ManifestText) -> Delta:
    """Return the delta from the first text to the second; both are sorted by path."""
    delta: Delta = {}
    at, to = _skip_equal(base, text, 0, 0)
    while at < len(base) and to < len(text):
        if len(delta) > SCATTERED:
            return _drift_by_sets(base, text)
        (_, gone), next_at = _record(base, at)
        (value, path), next_to = _record(text, to)
        if path <= gone:
            delta[path] = value
        else:
            delta[gone] = None
        at, to = _skip_equal(base, text, next_at if gone <= path else at, next_to if path <= gone else to)
    delta |= dict.fromkeys(parse(base[at:]))
    return delta | parse(text[to:])


def _drift_by_sets(base: ManifestText, text: ManifestText) -> Delta:
    before, after = set(records(base)), set(records(text))
    gone: Delta = {record.partition(b"\t")[2]: None for record in before - after}
    return gone | {path: value for value, _, path in (record.partition(b"\t") for record in after - before)}


def _record(text: ManifestText, at: int) -> tuple[tuple[ManifestEntry, bytes], int]:
    end = text.index(b"\0", at)
    value, _, path = text[at:end].partition(b"\t")
    return (value, path), end + 1


def _skip_equal(base: ManifestText, text: ManifestText, at: int, to: int) -> tuple[int, int]:
    """Return the starts of the first records that differ: equal parts are skipped in growing, then shrinking steps."""
    start, step = at, MIN_STEP
    while step >= MIN_STEP:
        if at + step <= len(base) and base[at : at + step] == text[to : to + step]:
            at, to, step = at + step, to + step, step * 2
        else:
            step //= 2
    back = at - (base.rfind(b"\0", start, at) + 1 or start)
    at, to = at - back, to - back
    while at < len(base) and to < len(text):
        end = base.index(b"\0", at) + 1
        if base[at:end] != text[to : to + end - at]:
            break
        at, to = end, to + end - at
    return at, to


def look_up(text: ManifestText, paths: Collection[bytes]) -> dict[bytes, ManifestEntry]:
    """Return the entries that the text has for these paths."""
    if len(paths) > MAX_LOOKUPS:
        entries = parse(text)
        return {path: entries[path] for path in paths if path in entries}
    found = ((path, _find(text, path)) for path in paths)
    return {path: value for path, value in found if value is not None}


def _find(text: ManifestText, path: bytes) -> ManifestEntry | None:
    needle = b"\t" + path + b"\0"
    at = text.find(needle)
    while at >= 0:
        start = text.rfind(b"\0", 0, at) + 1
        # A path may also contain a tab: only the first one of a record ends its entry.
        if b"\t" not in text[start:at]:
            return text[start:at]
        at = text.find(needle, at + 1)
    return None


def whole(manifest: Manifest, text: ManifestText) -> dict[bytes, ManifestEntry]:
    """Return every path with its entry; `text` is the manifest's base."""
    entries = parse(text)
    for path, value in manifest.delta.items():
        if value is None:
            entries.pop(path, None)
        else:
            entries[path] = value
    return entries


def compare(old: Manifest, new: Manifest, load: Callable[[str], ManifestText]) -> list[Difference]:
    """Return every path whose entry differs; read the bases only if something can differ."""
    paths = set(old.delta) | set(new.delta)
    if old.base != new.base:
        paths |= drift(load(old.base), load(new.base)).keys()
    before, after = entries_of(old, paths, load), entries_of(new, paths, load)
    return [
        Difference(path=path, old=before.get(path), new=after.get(path))
        for path in paths
        if before.get(path) != after.get(path)
    ]


def entries_of(
    manifest: Manifest, paths: Iterable[bytes], load: Callable[[str], ManifestText]
) -> dict[bytes, ManifestEntry | None]:
    """Return the entries of the manifest for these paths, and those of its delta for others."""
    unnamed = {path for path in paths if path not in manifest.delta}
    from_base = look_up(load(manifest.base), unnamed) if unnamed else {}
    return {**from_base, **manifest.delta}
