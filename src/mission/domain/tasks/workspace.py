"""A workspace: a git worktree in which tasks of a mission are done in isolation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.actions import Action
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.legal_moves import check_move
from mission.domain.timestamps import format_time


class WorkspaceStatus(StrEnum):
    ACTIVE = "active"
    MERGED = "merged"
    ABANDONED = "abandoned"


MOVES: Mapping[WorkspaceStatus, frozenset[WorkspaceStatus]] = {
    WorkspaceStatus.ACTIVE: frozenset({WorkspaceStatus.MERGED, WorkspaceStatus.ABANDONED}),
    WorkspaceStatus.ABANDONED: frozenset({WorkspaceStatus.ACTIVE, WorkspaceStatus.MERGED}),
    WorkspaceStatus.MERGED: frozenset(),
}

MAX_SLUG_LENGTH = 40
FORBIDDEN_PARTS = frozenset({"..", ".", ".git"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Workspace:
    """One workspace. Its path is valid on its host only; `repository_path` is the tree it branched from."""

    id: str
    mission_id: str
    host_id: str
    repository_path: str
    path: str
    branch: str
    created_at: datetime
    updated_at: datetime
    base_branch: str | None = None
    status: WorkspaceStatus = WorkspaceStatus.ACTIVE
    merge_commit: str | None = None
    kept_branch: str | None = None
    """Where uncommitted work was saved."""
    copied: Mapping[str, str] | None = None
    """Files that were copied when the worktree was created, and their digests: not work."""
    removed_at: datetime | None = None

    def move_to(self, status: WorkspaceStatus, *, at: datetime) -> Workspace:
        """Return the workspace in that state; unchanged if it is already."""
        if status is self.status:
            return self
        check_move("workspace", self.id, MOVES, self.status, status)
        if status is WorkspaceStatus.ACTIVE and self.removed_at is not None:
            raise InvalidState(f"workspace {self.id} was removed", action=Action.MAKE_WORKSPACE, current="removed")
        return replace(self, status=status, updated_at=at)

    def check_usable(self) -> None:
        """Raise InvalidState unless tasks may use the workspace."""
        if self.status is not WorkspaceStatus.ACTIVE or self.removed_at is not None:
            word = "removed" if self.removed_at is not None else str(self.status)
            raise InvalidState(
                f"workspace {self.id} is {word}: tasks cannot use it",
                action=Action.FIND_WORKSPACE,
                current=word,
            )

    def record(self) -> dict[str, Any]:
        """Return the workspace as events show it."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "host_id": self.host_id,
            "path": self.path,
            "branch": self.branch,
            "base_branch": self.base_branch,
            "status": str(self.status),
            "merge_commit": self.merge_commit,
            "kept_branch": self.kept_branch,
            "removed_at": format_time(self.removed_at),
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
        }


def check_place(path: str, *, field: str = "path") -> str:
    """Return the path; raise InvalidInput unless it is absolute, plain and without a .git part."""
    if not path.startswith("/"):
        raise _refused(path, field, "is not an absolute path", "Give the full path, starting with '/'.")
    _check_parts(path, field, path.rstrip("/")[1:].split("/"))
    return path.rstrip("/")


def check_inner(path: str, *, field: str) -> str:
    """Return the path; raise InvalidInput unless it is the name of a file inside a tree."""
    if path.startswith(("/", "~")):
        raise _refused(path, field, "is not relative to the repository", "Name a file inside the repository: '.env'.")
    _check_parts(path, field, path.split("/"))
    return path


def slug(text: str) -> str:
    """Return a text as part of a branch name: lowercase letters, digits and single dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:MAX_SLUG_LENGTH].strip("-")


def _check_parts(path: str, field: str, parts: list[str]) -> None:
    if not path.isprintable():
        raise _refused(path, field, "contains characters that cannot be printed", "Remove control characters.")
    if any(part.lower() in FORBIDDEN_PARTS or not part for part in parts):
        raise _refused(path, field, "contains an empty segment, '.', '..' or '.git'", "Give the plain path.")


def _refused(path: str, field: str, why: str, hint: str) -> InvalidInput:
    return InvalidInput(f"{field}: {path[:200]!r} {why}", hint=hint, field=field)
