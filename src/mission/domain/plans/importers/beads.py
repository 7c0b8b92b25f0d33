"""beads' issues.jsonl: one issue on each line, with typed dependencies between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mission.domain.plans.importers.plan_draft import (
    DONE,
    ImportedItem,
    ImportedMission,
    ImportFormat,
    PlanDraft,
    build_draft,
    check_count,
)
from mission.domain.plans.importers.source_text import clean, unreadable

BLOCKING = {"blocks", "conditional-blocks", "waits-for"}
PARENT = "parent-child"
WORK = {"", "task", "bug", "feature", "chore", "epic", "story", "spike", "docs"}
_CLOSED = {"closed": DONE, "done": DONE, "tombstone": "deleted", "deferred": "deferred", "pinned": "pinned"}
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[.\]\s+)?", re.MULTILINE)


def is_beads(issues: Any) -> bool:
    """Return whether a list looks like issues of beads."""
    marks = {"issue_type", "status", "dependencies", "created_at", "priority"}
    return bool(issues) and all(
        isinstance(issue, Mapping) and {"id", "title"} <= issue.keys() and marks & issue.keys() for issue in issues
    )


def read_json_lines(text: str, *, source: str) -> list[Any]:
    """Return the document on each line; raise an error that names the first line that is not JSON."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            hint = (
                "Resolve the merge conflict first." if line.startswith(("<<<<", "====", ">>>>")) else "Repair the line."
            )
            raise unreadable(source, "this line is not JSON", line=number, hint=hint) from None
        check_count(len(found), source)
    return found


def import_beads(issues: Sequence[Mapping[str, Any]], *, source: str, name: str) -> PlanDraft:
    """Return the draft of the issues of beads."""
    items = list(_items(issues, source=source))
    notes = []
    if any(issue.get("priority") is not None for issue in issues):
        notes.append("Priorities were left out: the order comes from the dependencies.")
    epics = [clean(issue["title"]) for issue in issues if issue.get("issue_type") == "epic" and not _closed(issue)]
    mission = ImportedMission(name=epics[0] if len(epics) == 1 else name)
    return build_draft(items, format=ImportFormat.BEADS, mission=mission, source=source, notes=notes)


def _items(issues: Sequence[Mapping[str, Any]], *, source: str) -> Iterator[ImportedItem]:
    for number, issue in enumerate(issues, start=1):
        id = clean(issue.get("id"))
        if not id or not clean(issue.get("title")):
            raise unreadable(source, f"issue {number} has no id or no title", hint="Repair it with beads first.")
        edges = list(_edges(issue))
        parents = [other for kind, other in edges if kind == PARENT]
        texts = [clean(issue.get(name)) for name in ("description", "design", "notes")]
        yield ImportedItem(
            id=id,
            label=id[:40],
            title=clean(issue.get("title")),
            description="\n\n".join(filter(None, texts)),
            depends_on=tuple(dict.fromkeys(other for kind, other in edges if kind in BLOCKING)),
            parent=parents[0] if parents else _parent_in(id),
            acceptance=_criteria(clean(issue.get("acceptance_criteria"))),
            closed=_closed(issue),
        )


def _edges(issue: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the target of each dependency, in the words of the file or of `bd show --json`."""
    given = issue.get("dependencies")
    for edge in given if isinstance(given, list) else ():
        if isinstance(edge, Mapping):
            kind = clean(edge.get("type")) or clean(edge.get("dependency_type")) or "blocks"
            other = clean(edge.get("depends_on_id")) or clean(edge.get("id"))
            if other:
                yield kind, other


def _parent_in(id: str) -> str | None:
    """Return the issue that a hierarchical id such as `bd-7.2` is a part of."""
    whole, dot, number = id.rpartition(".")
    return whole if dot and number.isdigit() else None


def _closed(issue: Mapping[str, Any]) -> str | None:
    kind = clean(issue.get("issue_type")).lower()
    if kind not in WORK:
        return f"of type {kind[:40]}"
    return _CLOSED.get(clean(issue.get("status")).lower())


def _criteria(text: str) -> tuple[str, ...]:
    """Return the points of a list; a text without points is one."""
    if not _BULLET.match(text):
        return (text,) if text else ()
    return tuple(part.strip() for part in _BULLET.split(text) if part.strip())
