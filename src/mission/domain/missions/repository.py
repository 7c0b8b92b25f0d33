"""A repository, or a plain folder, that missions work in. Its path means something on one host only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.timestamps import format_time


@dataclass(frozen=True, kw_only=True, slots=True)
class Repository:
    """One working tree's top level; `common_dir` is shared by all worktrees of a git repository."""

    id: str
    host_id: str
    path: str
    name: str
    created_at: datetime
    common_dir: str | None = None

    def record(self) -> dict[str, Any]:
        return {"id": self.id, "path": self.path, "name": self.name, "created_at": format_time(self.created_at)}
