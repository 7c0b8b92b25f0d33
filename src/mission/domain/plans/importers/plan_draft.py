"""A draft of a plan from another tool's items: what is open becomes tasks, and notes say what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.missions.plan_graph import NAMED, find_cycle
from mission.domain.plans.field_values import MAX_LIST, MAX_TEXT
from mission.domain.plans.importers.source_text import clean, cut, listed, plain_title, unique_name
from mission.domain.plans.plan_file import MAX_TASKS, PlanAgent, PlanFile, PlanMission, PlanTask
from mission.domain.plural import counted

MAX_DEPENDENCIES = 200_000
DONE = "done"
MAX_CONTEXT = 2_000
"""How much of an item's description is repeated in each of its parts."""
MAX_LEVELS = 50
"""How many items can be inside each other."""
MAX_SHOWN = 3
"""How many notes of one kind are given one by one."""


class ImportFormat(StrEnum):
    SPEC_KIT = "spec-kit tasks.md"
    TASK_MASTER = "task-master tasks.json"
    BEADS = "beads issues.jsonl"
    BACKLOG_MD = "Backlog.md tasks"
    SYMPHONY = "Symphony WORKFLOW.md"
    CHECKLIST = "Markdown checklist"


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedItem:
    """One item of another tool. `id` is how others refer to it."""

    id: str
    title: str
    label: str = ""
    """Short form of the id at the start of the task's name."""
    description: str = ""
    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    acceptance: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    sequence: int | None = None
    closed: str | None = None
    """Why it is not work any more: done, deferred, canceled …"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanDraft:
    """A plan from another tool, and what its reader must know."""

    format: ImportFormat
    plan: PlanFile
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMission:
    """The work as a whole, as another tool describes it."""

    name: str
    objective: str = ""
    setup: str | None = None
    agents: tuple[PlanAgent, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def plan(self, tasks: Sequence[PlanTask]) -> PlanFile:
        """Return a plan with these tasks."""
        name = plain_title(clean(self.name)) or "Imported plan"
        return PlanFile(
            mission=PlanMission(name=name, objective=cut(clean(self.objective)) or name, setup=self.setup),
            agents=self.agents,
            tasks=tuple(tasks),
            options=self.options,
        )


def build_draft(
    items: Sequence[ImportedItem],
    *,
    format: ImportFormat,
    mission: ImportedMission,
    source: str,
    notes: Iterable[str] = (),
) -> PlanDraft:
    """Return the open items as tasks.

    An item with open parts is replaced by its parts: they wait for what it waits for, and what waits for it waits for
    them. Raise InvalidInput if nothing is open, an id is used twice, or the dependencies form a cycle.
    """
    check_count(len(items), source)
    _check_ids(items, source)
    outline = _Outline(items)
    tasks = outline.tasks()
    _check_dependencies((task.depends_on for task in tasks), source)
    if not tasks:
        raise InvalidInput(
            f"{source}: nothing is left to do: {counted(len(items), 'item')}, all closed",
            hint="Import a list with open items.",
        )
    _check_cycle(tasks, source)
    return PlanDraft(format=format, plan=mission.plan(tasks), notes=(*notes, *outline.notes()))


class _Outline:
    """The items with their parts, closed ones set apart."""

    def __init__(self, items: Sequence[ImportedItem]) -> None:
        self.by_id = {item.id: item for item in items}
        self.closed = {item.id: reason for item in items if (reason := self._closed(item))}
        self.open = [item for item in items if item.id not in self.closed]
        self.parts: dict[str, list[str]] = {}
        for item in self.open:
            for ancestor in self._ancestors(item):
                self.parts.setdefault(ancestor.id, []).append(item.id)
        self.leaves = [item for item in self.open if item.id not in self.parts]
        self.names = _unique_names(self.leaves)
        self.remarks: dict[str, None] = {}
        self._last: dict[str, list[str]] = {}

    def tasks(self) -> list[PlanTask]:
        return [self._task(item) for item in self.leaves]

    def notes(self) -> list[str]:
        """Return what was left out."""
        found = []
        for reason in dict.fromkeys(self.closed.values()):
            titles = [_full_title(self.by_id[id]) for id, each in self.closed.items() if each == reason]
            found.append(f"Left out ({reason}): {listed(titles)}.")
        groups = [_full_title(item) for item in self.open if item.id in self.parts]
        if groups:
            found.append(f"Replaced by their open parts: {listed(groups)}.")
        found += list(self.remarks)[:MAX_SHOWN]
        if len(self.remarks) > MAX_SHOWN:
            found.append(f"{len(self.remarks) - MAX_SHOWN} more remarks like these.")
        return found

    def _closed(self, item: ImportedItem) -> str | None:
        """Return why an item is closed: by itself, or with what it is a part of."""
        return next((each.closed for each in (item, *self._ancestors(item)) if each.closed), None)

    def _ancestors(self, item: ImportedItem) -> list[ImportedItem]:
        found: list[ImportedItem] = []
        known = {item.id}
        while item.parent in self.by_id and item.parent not in known and len(found) < MAX_LEVELS:
            item = self.by_id[item.parent]
            known.add(item.id)
            found.append(item)
        return found

    def _task(self, item: ImportedItem) -> PlanTask:
        parents = self._ancestors(item)
        own = clean(item.description) or clean(item.title) or "Untitled"
        context = [_context(parent) for parent in parents]
        described = "\n\n".join([own, *context])
        if len(described) > MAX_TEXT:
            self.remarks[f"The description of '{self.names[item.id]}' was cut after {MAX_TEXT:,} characters."] = None
        acceptance = [*item.acceptance]
        for parent in parents:
            acceptance += parent.acceptance if item.id in self._last_parts(parent.id) else ()
        return PlanTask(
            name=self.names[item.id],
            description=cut(described),
            depends_on=self._dependencies(item, parents),
            acceptance=tuple(cut(text) for each in acceptance if (text := clean(each)))[:MAX_LIST],
            files_likely_affected=item.files,
            sequence=item.sequence,
        )

    def _dependencies(self, item: ImportedItem, parents: list[ImportedItem]) -> tuple[str, ...]:
        own = {item.id, *(parent.id for parent in parents)}
        found: dict[str, None] = {}
        for holder in (item, *parents):
            inside = {holder.id, *self.parts.get(holder.id, ())}
            for wanted in holder.depends_on:
                if holder is not item and wanted in inside:
                    continue  # a whole that waits for its parts
                if wanted in own:
                    self._remark(item, wanted, "is the task itself or contains it")
                    continue
                found.update(dict.fromkeys(self._resolve(item, wanted)))
        return tuple(self.names[id] for id in found if id not in own)

    def _resolve(self, item: ImportedItem, wanted: str) -> list[str]:
        """Return the open items that a dependency means."""
        if wanted in self.closed:
            if self.closed[wanted] != DONE:
                self._remark(item, wanted, f"was left out ({self.closed[wanted]})")
            return []
        if wanted not in self.by_id:
            self._remark(item, wanted, "is not in the file")
            return []
        return self._last_parts(wanted) if wanted in self.parts else [wanted]

    def _last_parts(self, id: str) -> list[str]:
        """Return the open parts of an item for which none of its other parts waits."""
        if id not in self._last:
            parts = [part for part in self.parts[id] if part in self.names]
            awaited = {wanted for part in parts for wanted in self.by_id[part].depends_on if wanted != part}
            self._last[id] = [part for part in parts if part not in awaited] or parts
        return self._last[id]

    def _remark(self, item: ImportedItem, wanted: str, why: str) -> None:
        self.remarks[f"'{self.names[item.id]}' does not wait for '{plain_title(wanted)}', which {why}."] = None


def _unique_names(items: Sequence[ImportedItem]) -> dict[str, str]:
    """Return a name for each item by its id."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        name = unique_name(_full_title(item), taken)
        names[item.id] = name
        taken.add(name)
    return names


def _context(whole: ImportedItem) -> str:
    """Return what a part says about the item that it is a part of."""
    said = clean(whole.description)
    more = f" {cut(said, limit=MAX_CONTEXT)}" if said not in ("", clean(whole.title)) else ""
    return f"Part of '{_full_title(whole)}'.{more}"


def _full_title(item: ImportedItem) -> str:
    return plain_title(f"{item.label} {clean(item.title) or 'Untitled'}".strip())


def check_count(number: int, source: str) -> None:
    """Raise TooLarge if there are more items than a plan can have tasks."""
    if number > MAX_TASKS:
        raise TooLarge(f"{source} has {number:,} items (limit {MAX_TASKS:,})", hint="Import only part of it.")


def _check_ids(items: Sequence[ImportedItem], source: str) -> None:
    counts = Counter(item.id for item in items)
    doubled = [id for id, count in counts.items() if count > 1]
    if doubled:
        raise InvalidInput(
            f"{source}: more than one item has the id {listed(doubled)}", hint="Give each item its own id there."
        )
    _check_dependencies((item.depends_on for item in items), source)


def _check_dependencies(dependencies: Iterable[Sequence[str]], source: str) -> None:
    total = 0
    for wanted in dependencies:
        total += len(wanted)
        if total > MAX_DEPENDENCIES or len(wanted) > MAX_LIST:
            raise TooLarge(
                f"{source} has too many dependencies (limit {MAX_DEPENDENCIES:,}, and {MAX_LIST:,} for one task)",
                hint="Import only part of it.",
            )


def _check_cycle(tasks: Sequence[PlanTask], source: str) -> None:
    cycle = find_cycle({task.name: task.depends_on for task in tasks})
    if cycle:
        shown = " → ".join(cycle[:NAMED]) + (" → …" if len(cycle) > NAMED else "")
        raise InvalidInput(
            f"{source}: the dependencies form a cycle: {shown}",
            hint="Remove one of these dependencies there, then import it again.",
            tasks=cycle[: NAMED * 10],
        )
