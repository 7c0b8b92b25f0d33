"""Template files that a repository carries: JSON and TOML under .mission/templates."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mission.domain.ids import ALPHABET, LENGTH, PREFIXES

FOLDER = Path(".mission", "templates")
LARGEST_FILE = 1_000_000
MOST_FILES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Carrier:
    """A tree to look in; `identity` is the same for all worktrees of a repository."""

    top: Path
    identity: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Carried:
    """One file: what it holds, or why it cannot be read."""

    id: str
    source: str
    stem: str
    changed_at: datetime
    document: Any = None
    fault: str | None = None


def carried(carriers: Sequence[Carrier]) -> list[Carried]:
    """Every template file, by name; of several worktrees of one repository the first counts."""
    found: dict[str, Carried] = {}
    for carrier in carriers:
        for path in _files(carrier.top):
            name = str(path.relative_to(carrier.top))
            id = _id(carrier.identity, name)
            if id not in found:
                found[id] = _read(carrier.top, path, id=id)
    return list(found.values())


def _files(top: Path) -> list[Path]:
    """Plain files that really lie in the tree: a link that leads out of it is not followed."""
    folder = top / FOLDER
    try:
        listed = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".toml"))
    except OSError:
        return []
    real = Path(os.path.realpath(top))
    return [path for path in listed if path.is_file() and _inside(path, real)][:MOST_FILES]


def _inside(path: Path, top: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(top)


def _read(top: Path, path: Path, *, id: str) -> Carried:
    document, fault = None, None
    changed_at = datetime.fromtimestamp(0, UTC)
    try:
        changed_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        if path.stat().st_size > LARGEST_FILE:
            fault = f"it has more than {LARGEST_FILE:,} bytes"
        else:
            document = _parsed(path)
    except (OSError, ValueError, RecursionError) as error:
        fault = f"it is no valid {path.suffix[1:].upper()}: {str(error)[:200]}"
    return Carried(
        id=id,
        source=str(path.relative_to(top)),
        stem=path.stem,
        changed_at=changed_at,
        document=document,
        fault=fault,
    )


def _parsed(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def _id(identity: str, name: str) -> str:
    """An id that stays the same as long as the file stays where it is."""
    number = int.from_bytes(hashlib.sha256(f"{identity}\0{name}".encode(errors="surrogateescape")).digest()[:8])
    letters = ""
    for _ in range(LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters += ALPHABET[letter]
    return f"{PREFIXES['template']}_{letters}"
