"""The changes a task made to its working tree, and whether they stayed inside its announced areas."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from mission.domain.plural import counted
from mission.domain.tasks.patch import StoredPatch


@dataclass(frozen=True, kw_only=True, slots=True)
class Rename:
    """A file that moved from one path to another with the same content."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """A commit made in the tree while the task ran."""

    id: str
    subject: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The net difference of a tree between two moments; each path is in exactly one of the three lists."""

    added: Sequence[str] = ()
    modified: Sequence[str] = ()
    deleted: Sequence[str] = ()
    renamed: Sequence[Rename] = ()
    commits: Sequence[Commit] = ()
    warnings: Sequence[str] = ()
    patch: StoredPatch | None = None
    """The changed lines, if requested; stored separately."""

    @property
    def paths(self) -> list[str]:
        return [*self.added, *self.modified, *self.deleted]

    def only(self, paths: Collection[str]) -> Changes:
        """Return the changes of these paths, with all commits."""
        wanted = frozenset(paths)
        return replace(
            self,
            added=[path for path in self.added if path in wanted],
            modified=[path for path in self.modified if path in wanted],
            deleted=[path for path in self.deleted if path in wanted],
            renamed=[each for each in self.renamed if each.target in wanted or each.source in wanted],
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "added": list(self.added),
            "modified": list(self.modified),
            "deleted": list(self.deleted),
            "renamed": [{"from": rename.source, "to": rename.target} for rename in self.renamed],
            "commits": [{"id": commit.id, "subject": commit.subject} for commit in self.commits],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Changes:
        return cls(
            added=data["added"],
            modified=data["modified"],
            deleted=data["deleted"],
            renamed=[Rename(source=row["from"], target=row["to"]) for row in data["renamed"]],
            commits=[Commit(id=row["id"], subject=row["subject"]) for row in data["commits"]],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """The comparison of the changed files with the areas that the task announced."""

    scope_match: bool
    unexpected_files: Sequence[str] = ()
    warnings: Sequence[str] = ()


def verify_scope(changes: Changes | None, areas: Sequence[str]) -> Verification:
    """Compare the changed paths with the announced areas; no areas means everything was expected."""
    if changes is None or not areas:
        return Verification(scope_match=True, warnings=list(changes.warnings) if changes else [])
    unexpected = [path for path in changes.paths if not any(_in_area(path, area) for area in areas)]
    warnings = list(changes.warnings)
    if unexpected:
        files = counted(len(unexpected), "changed file is", "changed files are")
        warnings.append(f"{files} outside the announced areas: {', '.join(areas)}")
    return Verification(scope_match=not unexpected, unexpected_files=unexpected, warnings=warnings)


def _in_area(path: str, area: str) -> bool:
    """Return whether the path is in the area: consecutive path segments anywhere in it, or a glob over all of it."""
    path, area = path.casefold(), area.casefold().removeprefix("./").strip("/")
    if any(sign in area for sign in "*?["):
        return fnmatchcase(path, area) or fnmatchcase(path, f"*/{area}")
    return f"/{area}/" in f"/{path}/"
