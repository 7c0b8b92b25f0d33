"""Find the attributes of a repository that change how a file's content becomes an object id."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mission.git.safe_reading import NotOrdinary, read
from mission.git.snapshots.manifest import ManifestText, records
from mission.git.snapshots.shadow_repository import Shadow, chosen_rules
from mission.git.snapshots.snapshot_storage import SnapshotFolder, write

CONVERSIONS = re.compile(rb"\b(text|crlf|eol|ident|working-tree-encoding|binary)\b")

MAX_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Attributes:
    """The attributes that the attribute files mention; a tracked file that is missing may mention any."""

    filters: bool
    conversions: bool
    digest: str


def read_attributes(shadow: Shadow, paths: Collection[bytes]) -> Attributes:
    """Read the attribute files: those of the tree at these paths, the repository's and the user's."""
    digest = hashlib.sha256()
    filters = conversions = unknown = False
    inside = (_content(shadow.repository.top, path) for path in paths)
    for content in chain(inside, _outside(shadow)):  # one after the other: together they may be large
        unknown = unknown or content is None
        filters = filters or content is None or b"filter" in content
        conversions = conversions or content is None or bool(CONVERSIONS.search(content))
        digest.update((content or b"") + b"\n")
    return Attributes(filters=filters, conversions=conversions, digest=digest.hexdigest() + ("?" if unknown else ""))


def filtered_paths(
    folder: SnapshotFolder, shadow: Shadow, attributes: Attributes, *, index: str, tracked: Callable[[], ManifestText]
) -> list[bytes]:
    """Return the tracked paths that go through a clean filter, cached until the index or an attribute changes.

    The filter is a program that must not run, so the id in the index (of the filtered content) cannot be compared with
    the file; these files are always compared by their raw content.
    """
    if not attributes.filters:
        return []
    key = f"{index} {attributes.digest}"
    with suppress(OSError, ValueError, KeyError):
        stored = json.loads((folder.path / "filtered").read_bytes())
        if stored["key"] == key and not attributes.digest.endswith("?"):
            return [path.encode("latin-1") for path in stored["paths"]]
    paths = _ask(shadow, tracked())
    content = {"key": key, "paths": [path.decode("latin-1") for path in paths]}
    write(folder.path / "filtered", json.dumps(content).encode())
    return paths


def _ask(shadow: Shadow, text: ManifestText) -> list[bytes]:
    names = b"".join(record.partition(b"\t")[2] + b"\0" for record in records(text))
    fields = shadow.run("check-attr", "-z", "--stdin", "filter", stdin=names).out.split(b"\0")
    return [
        path for path, value in zip(fields[0::3], fields[2::3], strict=False) if value not in (b"unspecified", b"unset")
    ]


def _outside(shadow: Shadow) -> Iterator[bytes]:
    """Return the attribute files of the repository (as the shadow has them), the user and the system."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "git" / "attributes"
    chosen = shadow.repository.setting("attributesfile")
    yield chosen_rules(shadow.repository, "/etc/gitattributes")
    yield chosen_rules(shadow.repository, str(home) if chosen is None else chosen)
    yield chosen_rules(shadow.repository, str(shadow.path / "info" / "attributes"))


def _content(top: Path, path: bytes) -> bytes | None:
    """Return the file's content; None for one that is missing, so that git asks the index, or that is too large."""
    try:
        return read(top, path, limit=MAX_BYTES)
    except NotOrdinary:
        return b""  # git does not follow links to attributes
    except OSError:
        return None
