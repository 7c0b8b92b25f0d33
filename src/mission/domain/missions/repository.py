"""A repository or plain folder that missions work in. Its path is valid on one host only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.timestamps import format_time


@dataclass(frozen=True, kw_only=True, slots=True)
class Repository:
    """The top level of one working tree; all worktrees of a git repository share `common_dir`."""

    id: str
    host_id: str
    path: str
    name: str
    created_at: datetime
    common_dir: str | None = None

    def record(self) -> dict[str, Any]:
        return {"id": self.id, "path": self.path, "name": self.name, "created_at": format_time(self.created_at)}
