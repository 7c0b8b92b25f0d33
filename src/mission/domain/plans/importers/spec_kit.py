"""spec-kit's tasks.md: numbered tasks in phases, `[P]` for those that may be done at the same time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mission.domain.plans.importers.markdown_lists import Checkbox, first_heading, read_checkboxes
from mission.domain.plans.importers.plan_draft import (
    DONE,
    ImportedItem,
    ImportedMission,
    ImportFormat,
    PlanDraft,
    build_draft,
    check_count,
)
from mission.domain.plans.importers.source_text import listed, mentioned_files, plain_title

TASK = re.compile(r"\*{0,2}(T\d{3,6}[a-z]?)\*{0,2}:?\s+((?:\[[^\[\]]{1,20}\]\s*)*)(.*)", re.DOTALL)
_PHASE = re.compile(r"phase\s+[\w.]+\s*[:.—–-]?\s*(.*)", re.IGNORECASE)
_TITLE = re.compile(r"tasks?\s*[:—–-]\s*(.+)", re.IGNORECASE)
_AFTER = re.compile(r"\bdepend(?:s|ing)?\s+on:?\s+((?:T\d{3,6}[a-z]?|and|to|&|[\s,–-])+)", re.IGNORECASE)
_STATED = re.compile(r"\s*\(depends on [^()]*\)", re.IGNORECASE)
_RANGE = re.compile(r"(T\d{3,6}[a-z]?)(?:\s*(?:-|–|to)\s*(T\d{3,6}))?")
_ORDER = "Tasks marked [P] may be worked on at the same time, others in order; user stories in parallel."


@dataclass(slots=True)
class _Phase:
    """The open tasks below one heading, in steps; tasks of one step may be done at once."""

    is_story: bool
    items: list[ImportedItem] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)
    last_is_parallel: bool = False

    def add(self, item: ImportedItem, *, parallel: bool) -> None:
        if not (parallel and self.last_is_parallel):
            self.steps.append([])
        self.steps[-1].append(item.id)
        self.last_is_parallel = parallel
        self.items.append(item)

    def ordered(self, after: Sequence[str], *, sequence: int) -> Iterator[ImportedItem]:
        """Yield the items with their dependencies: those that they state, or the step before them."""
        previous = {id: before for before, step in zip([after, *self.steps], self.steps, strict=False) for id in step}
        for item in self.items:
            wanted = item.depends_on or previous[item.id]
            is_inside = any(each in previous for each in wanted)
            yield replace(
                item, depends_on=tuple(dict.fromkeys([*wanted, *(() if is_inside else after)])), sequence=sequence
            )


def import_spec_kit(text: str, *, source: str, name: str) -> PlanDraft:
    """Return the draft of a tasks.md."""
    boxes = read_checkboxes(text)
    check_count(len(boxes), source)
    tasks = [box for box in boxes if TASK.match(box.text)]
    others = [box.text for box in boxes if not (TASK.match(box.text) or box.is_done or _is_step(box))]
    done = [_item(box) for box in tasks if box.is_done]
    heading = first_heading(text)
    title = _TITLE.match(heading)
    notes = [_ORDER]
    if others:
        notes.append(f"Left out because they have no task number: {listed(map(plain_title, others))}.")
    return build_draft(
        [*done, *_in_order(_phases(tasks))],
        format=ImportFormat.SPEC_KIT,
        mission=ImportedMission(name=title[1] if title else heading or name),
        source=source,
        notes=notes,
    )


def _phases(tasks: Sequence[Checkbox]) -> list[_Phase]:
    found: dict[str, _Phase] = {}
    for box in tasks:
        heading = next((each.text for each in box.headings if _PHASE.match(each.text)), "")
        phase = found.setdefault(heading, _Phase(is_story="user story" in heading.lower()))
        if not box.is_done:
            marks = TASK.match(box.text)
            phase.add(_item(box), parallel="[P]" in (marks[2].upper() if marks else ""))
    return [phase for phase in found.values() if phase.items]


def _in_order(phases: Sequence[_Phase]) -> Iterator[ImportedItem]:
    """Yield all tasks: stories wait for the phase before them, and what follows waits for all stories."""
    base: list[str] = []
    stories: list[str] = []
    for sequence, phase in enumerate(phases, start=1):
        items = list(phase.ordered(base if phase.is_story else stories or base, sequence=sequence))
        yield from items
        awaited = {wanted for item in items for wanted in item.depends_on}
        ends = [item.id for item in items if item.id not in awaited]
        if phase.is_story:
            stories += ends
        else:
            base, stories = ends, []


def _is_step(box: Checkbox) -> bool:
    return box.parent is not None and (TASK.match(box.parent.text) is not None or _is_step(box.parent))


def _item(box: Checkbox) -> ImportedItem:
    match = TASK.match(box.text)
    assert match is not None  # the caller has looked
    steps = [part for part in box.steps() if not TASK.match(part.removeprefix("- [ ] "))]
    description = "\n".join([box.description.removeprefix(box.text[: match.start(3)]), *steps])
    stated = _stated(description)
    return ImportedItem(
        id=match[1].upper(),
        label=match[1].upper(),
        title=_STATED.sub("", match[3]),
        description=description,
        depends_on=tuple(each for each in stated if each != match[1].upper()),
        files=mentioned_files(description),
        closed=DONE if box.is_done else None,
    )


def _stated(description: str) -> list[str]:
    """Return the tasks that a description says it depends on; `T001-T003` names three."""
    found: list[str] = []
    for stated in _AFTER.finditer(description):
        for first, last in _RANGE.findall(stated[1]):
            found += _span(first.upper(), last.upper()) if last else [first.upper()]
    return list(dict.fromkeys(found))


def _span(first: str, last: str) -> list[str]:
    low, high = int(re.sub(r"\D", "", first)), int(last[1:])
    if not low <= high <= low + 200:
        return [first, last]
    return [f"T{number:0{len(last) - 1}}" for number in range(low, high + 1)]
