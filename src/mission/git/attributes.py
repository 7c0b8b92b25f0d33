"""Which attributes of a repository change how a file's content becomes an object id."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mission.git.manifest import Text, records
from mission.git.shadow import Shadow
from mission.git.storage import Room, write

CONVERSIONS = re.compile(rb"\b(text|crlf|eol|ident|working-tree-encoding|binary)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Attributes:
    """What the attribute files mention; a tracked one that is missing may mention anything."""

    filters: bool
    conversions: bool
    digest: str


def read_attributes(shadow: Shadow, paths: Collection[bytes]) -> Attributes:
    """Read the attribute files: those of the tree at these paths, the repository's and the user's."""
    top = os.fsencode(shadow.repository.top)
    inside = [_content(Path(os.fsdecode(top + b"/" + path))) for path in paths]
    outside = [_content(path) or b"" for path in _outside(shadow)]
    text = b"\n".join([*(content or b"" for content in inside), *outside])
    unknown = None in inside
    return Attributes(
        filters=unknown or b"filter" in text,
        conversions=unknown or bool(CONVERSIONS.search(text)),
        digest=hashlib.sha256(text).hexdigest() + ("?" if unknown else ""),
    )


def filtered_paths(
    room: Room, shadow: Shadow, attributes: Attributes, *, index: str, tracked: Callable[[], Text]
) -> list[bytes]:
    """The tracked paths that go through a clean filter, remembered until the index or an attribute changes.

    The filter is a program that must not run, so the id in the index (of the filtered content) cannot be compared with
    the file; these files are always compared by their raw content.
    """
    if not attributes.filters:
        return []
    key = f"{index} {attributes.digest}"
    with suppress(OSError, ValueError, KeyError):
        stored = json.loads((room.path / "filtered").read_bytes())
        if stored["key"] == key and not attributes.digest.endswith("?"):
            return [path.encode("latin-1") for path in stored["paths"]]
    paths = _ask(shadow, tracked())
    content = {"key": key, "paths": [path.decode("latin-1") for path in paths]}
    write(room.path / "filtered", json.dumps(content).encode())
    return paths


def _ask(shadow: Shadow, text: Text) -> list[bytes]:
    names = b"".join(record.partition(b"\t")[2] + b"\0" for record in records(text))
    fields = shadow.run("check-attr", "-z", "--stdin", "filter", stdin=names).out.split(b"\0")
    return [
        path for path, value in zip(fields[0::3], fields[2::3], strict=False) if value not in (b"unspecified", b"unset")
    ]


def _outside(shadow: Shadow) -> list[Path]:
    configured = shadow.repository.setting("attributesfile")
    home = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "git" / "attributes"
    users = Path(configured) if configured else home
    return [
        shadow.repository.common_dir / "info" / "attributes",
        Path(os.path.expanduser(users)),  # noqa: PTH111 (an unknown user must not raise)
        Path("/etc/gitattributes"),
    ]


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
