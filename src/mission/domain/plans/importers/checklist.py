"""A Markdown checklist: open checkboxes become tasks, and the items of a numbered list wait for each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
from mission.domain.plans.importers.source_text import mentioned_files, unreadable

_SIBLINGS = "Bulleted items may be worked on at the same time; number them, or add depends_on, to set an order."


def import_checklist(text: str, *, source: str, name: str) -> PlanDraft:
    """Return the draft of a Markdown text with checkboxes."""
    boxes = [box for box in read_checkboxes(text) if box.text]
    if not boxes:
        raise unreadable(source, "no checklist was found", hint="Write items as '- [ ] Do this'.")
    check_count(len(boxes), source)
    items = list(_in_order(boxes))
    notes = [_SIBLINGS] if any(not box.is_numbered for box in boxes) else []
    mission = ImportedMission(name=first_heading(text) or name)
    return build_draft(items, format=ImportFormat.CHECKLIST, mission=mission, source=source, notes=notes)


def _in_order(boxes: Sequence[Checkbox]) -> Iterator[ImportedItem]:
    """Yield the items; an item of a numbered list waits for the open one before it."""
    last: dict[Any, Checkbox] = {}
    for box in boxes:
        place = (box.parent, box.headings)
        yield _item(box, before=last.get(place) if box.is_numbered else None)
        if box.is_numbered and not box.is_done:
            last[place] = box


def _item(box: Checkbox, *, before: Checkbox | None) -> ImportedItem:
    return ImportedItem(
        id=_id(box),
        title=box.text,
        description=box.description,
        depends_on=(_id(before),) if before is not None else (),
        parent=_id(box.parent) if box.parent is not None else None,
        files=mentioned_files(box.description),
        closed=DONE if box.is_done else None,
    )


def _id(box: Checkbox) -> str:
    return f"line {box.line}"
