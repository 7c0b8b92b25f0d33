"""Read the template files of a repository: JSON and TOML in .mission/templates."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from mission.domain.ids import ALPHABET, LENGTH, PREFIXES
from mission.git.safe_reading import TooMuch, opened, read

FOLDER = Path(".mission", "templates")
MAX_FILE_BYTES = 1_000_000
MAX_FILES = 200
MAX_ENTRIES = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateFolder:
    """A tree to search; `identity` is the same for all worktrees of a repository."""

    top: Path
    identity: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateFiles:
    """One file: its content, or why it cannot be read."""

    id: str
    source: str
    stem: str
    changed_at: datetime
    document: Any = None
    fault: str | None = None


def read_template_files(folder: TemplateFolder) -> list[TemplateFiles]:
    """Return every template file of a tree, by name; an unreadable folder is one entry with its error."""
    try:
        paths = _files(folder.top)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        return [_unreadable(folder, error)]
    return [_read(folder.top, path, id=_id(folder.identity, str(path.relative_to(folder.top)))) for path in paths]


def _files(top: Path) -> list[Path]:
    """Return regular files that are really in the tree: links are not followed."""
    folder = top / FOLDER
    if any(stat.S_ISLNK(path.lstat().st_mode) for path in (folder.parent, folder)):
        return []
    with os.scandir(folder) as listing:
        found = [item.name for item in islice(listing, MAX_ENTRIES) if item.is_file(follow_symlinks=False)]
    return sorted(folder / name for name in found if Path(name).suffix in (".json", ".toml"))[:MAX_FILES]


def _unreadable(folder: TemplateFolder, error: OSError) -> TemplateFiles:
    return TemplateFiles(
        id=_id(folder.identity, str(FOLDER)),
        source=str(folder.top / FOLDER),
        stem=FOLDER.name,
        changed_at=datetime.fromtimestamp(0, UTC),
        fault=f"the folder cannot be read: {error.strerror or 'the system gives no reason'}",
    )


def _read(top: Path, path: Path, *, id: str) -> TemplateFiles:
    document, fault = None, None
    changed_at = datetime.fromtimestamp(0, UTC)
    try:
        with opened(top, str(path.relative_to(top))) as (_, status):
            changed_at = datetime.fromtimestamp(status.st_mtime, UTC)
        document = _parsed(path, read(top, str(path.relative_to(top)), limit=MAX_FILE_BYTES).decode())
    except TooMuch:
        fault = f"it is larger than {MAX_FILE_BYTES:,} bytes"
    except (OSError, ValueError, RecursionError) as error:
        fault = f"it is not valid {path.suffix[1:].upper()}: {str(error)[:200]}"
    return TemplateFiles(
        id=id,
        source=str(path.relative_to(top)),
        stem=path.stem,
        changed_at=changed_at,
        document=document,
        fault=fault,
    )


def _parsed(path: Path, text: str) -> Any:
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def _id(identity: str, name: str) -> str:
    """Return an id that stays the same while the file keeps its path."""
    number = int.from_bytes(hashlib.sha256(f"{identity}\0{name}".encode(errors="surrogateescape")).digest()[:8])
    letters = ""
    for _ in range(LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters += ALPHABET[letter]
    return f"{PREFIXES['template']}_{letters}"
