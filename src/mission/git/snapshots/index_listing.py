"""Read a repository's index and separate the entries that can be trusted from those that must be checked."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mission.git.errors import SnapshotLost
from mission.git.snapshots.manifest import Delta, ManifestText, drift, pack, records, unpack
from mission.git.snapshots.snapshot_storage import SnapshotFolder, write

PLAIN = (b"\0H 100644 ", b"\0H 100755 ", b"\0H 120000 ")
# A base is replaced when more than this part of it changed; below that, a delta costs less space and time.
REBASE = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Special:
    """Paths of the index whose entries are not reliable for the worktree."""

    links: dict[bytes, bytes] = field(default_factory=dict)
    """Submodules → the commit the index has."""
    sparse: list[bytes] = field(default_factory=list)
    """Marked skip-worktree: may be absent, and git does not check whether they changed."""
    unsure: list[bytes] = field(default_factory=list)
    """Assume-unchanged or in conflict."""
    attributes: list[bytes] = field(default_factory=list)
    """Every .gitattributes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The trusted entries as a base plus a delta, and the special paths."""

    index: str
    base: str
    drift: Delta
    special: Special


def split(text: ManifestText) -> tuple[ManifestText, Special]:
    """Take the special entries out of `ls-files -v -s` output."""
    attributes = re.findall(rb"\t((?:[^\0]*/)?\.gitattributes)\0", text) if b".gitattributes\0" in text else []
    if sum((b"\0" + text[:10]).count(tag) + text.count(tag) for tag in PLAIN) == text.count(b"\0"):
        return text, Special(attributes=attributes)
    plain, special = [], Special(attributes=attributes)
    for record in records(text):
        if record.startswith((b"H 100", b"H 120")):
            plain.append(record + b"\0")
        else:
            _sort_in(record, special)
    return b"".join(plain), special


def _sort_in(record: bytes, special: Special) -> None:
    entry, _, path = record.partition(b"\t")
    tag, mode, content, _ = entry.split(b" ")
    if mode == b"160000":
        special.links[path] = content
    elif tag in (b"S", b"s"):
        special.sparse.append(path)
    else:
        special.unsure.append(path)


def recall(folder: SnapshotFolder, *, index: str) -> Listing | None:
    """Return the stored listing, if it belongs to the index with this digest."""
    known = _load(folder)
    return known if known and known.index == index else None


def renew(folder: SnapshotFolder, text: ManifestText, *, index: str) -> Listing:
    """Return the listing of this `ls-files -v -s` output, and store it for the next time."""
    plain, special = split(text)
    listing = _based(folder, index, plain, special, _load(folder))
    write(folder.path / "listing", zlib.compress(_encode(listing), 1))
    return listing


def _based(folder: SnapshotFolder, index: str, text: ManifestText, special: Special, known: Listing | None) -> Listing:
    if known:
        with suppress(SnapshotLost):
            drifted = drift(folder.load_base(known.base), text)
            if len(drifted) <= REBASE * text.count(b"\0"):
                return Listing(index=index, base=known.base, drift=drifted, special=special)
    return Listing(index=index, base=folder.save_base(text), drift={}, special=special)


def known_base(folder: SnapshotFolder) -> str | None:
    """Return the base that the next snapshot will build on."""
    known = _load(folder)
    return known.base if known else None


def _load(folder: SnapshotFolder) -> Listing | None:
    """Return the stored listing; None if there is none, it is damaged, or its base is not available."""
    try:
        listing = _decode(zlib.decompress((folder.path / "listing").read_bytes()))
    except (OSError, zlib.error, ValueError, KeyError, TypeError):
        return None
    return listing if folder.has_base(listing.base) else None


def _encode(listing: Listing) -> bytes:
    head = {"index": listing.index, "base": listing.base, "special": _stored(listing.special)}
    return json.dumps(head).encode() + b"\n" + pack(listing.drift)


def _decode(stored: bytes) -> Listing:
    line, _, drifted = stored.partition(b"\n")
    head = json.loads(line)
    special = head["special"]
    return Listing(
        index=head["index"],
        base=head["base"],
        drift=unpack(drifted),
        special=Special(
            links={_bytes(path): _bytes(commit) for path, commit in special["links"].items()},
            sparse=[_bytes(path) for path in special["sparse"]],
            unsure=[_bytes(path) for path in special["unsure"]],
            attributes=[_bytes(path) for path in special["attributes"]],
        ),
    )


def _stored(special: Special) -> dict[str, Any]:
    """Return the bytes as text for JSON, which has no bytes: latin-1 maps each byte to one character."""
    return {
        "links": {_text(path): _text(commit) for path, commit in special.links.items()},
        "sparse": [_text(path) for path in special.sparse],
        "unsure": [_text(path) for path in special.unsure],
        "attributes": [_text(path) for path in special.attributes],
    }


def _text(name: bytes) -> str:
    return name.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
