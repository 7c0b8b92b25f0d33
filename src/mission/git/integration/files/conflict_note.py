"""Our note about a merge that we started in a worktree, kept in its git directory until the merge is concluded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mission.git.safe_reading import read
from mission.git.snapshots.snapshot_storage import write

NAME = "mission-merge"
MAX_BYTES = 1 << 24
STATE = ("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", NAME)
"""Files of a merge in progress; without the first one, git knows of none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConflictNote:
    """The merge of `tip` into `head`; `complete` says that all of its files were written."""

    tip: str
    head: str
    tree: str
    conflicts: tuple[tuple[str, str], ...]
    """Path and kind of each conflict."""
    decisions: tuple[str, ...] = ()
    """Files of ours that say what to decide; the agent deletes each one when it has decided."""
    set_aside: tuple[tuple[str, str], ...] = ()
    """Files that were in the way, and where they are now."""
    complete: bool = False

    def store(self, git_dir: Path) -> None:
        write(git_dir / NAME, json.dumps(asdict(self)).encode(), durable=True)


def load_note(git_dir: Path) -> ConflictNote | None:
    """Return the note, if there is one that can be read."""
    try:
        stored: Mapping[str, Any] = json.loads(read(git_dir, NAME, limit=MAX_BYTES))
        pairs = {name: tuple((str(a), str(b)) for a, b in stored[name]) for name in ("conflicts", "set_aside")}
        return ConflictNote(**{**stored, **pairs, "decisions": tuple(stored["decisions"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def clear_merge(git_dir: Path) -> None:
    """Forget a merge that is concluded."""
    for name in STATE:
        (git_dir / name).unlink(missing_ok=True)
