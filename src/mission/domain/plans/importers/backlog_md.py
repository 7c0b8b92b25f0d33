"""Tasks of Backlog.md: one Markdown file each, with front matter and a list of acceptance criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mission.domain.plans.importers.front_matter import FrontMatter, read_front_matter
from mission.domain.plans.importers.markdown_lists import read_checkboxes, read_sections
from mission.domain.plans.importers.plan_draft import (
    DONE,
    ImportedItem,
    ImportedMission,
    ImportFormat,
    PlanDraft,
    build_draft,
)
from mission.domain.plans.importers.source_text import listed, unreadable

DONE_WORDS = {"done", "complete", "completed", "closed", "finished"}
LEFT_OUT = {"draft": "drafts", "archived": "archived", "cancelled": "canceled", "canceled": "canceled"}
DESCRIBING = ("description", "implementation plan")
CRITERIA = ("acceptance criteria", "definition of done")
_NUMBER = re.compile(r"#\d+\s+")


def is_backlog_task(front: FrontMatter | None) -> bool:
    """Return whether front matter is that of a task."""
    return front is not None and all(front.text(name) for name in ("id", "title", "status"))


def import_backlog_md(files: Mapping[str, str], *, source: str, name: str) -> PlanDraft:
    """Return the draft of a folder of tasks: the texts of its files by their name."""
    fronts = {
        file: read_front_matter(text) for file, text in sorted(files.items(), key=lambda each: _in_order(each[0]))
    }
    tasks = [front for front in fronts.values() if front is not None and is_backlog_task(front)]
    if not tasks:
        raise unreadable(source, "no file has id, title and status in its front matter", hint="Give the tasks folder.")
    others = [file for file, front in fronts.items() if not is_backlog_task(front)]
    return build_draft(
        [_item(front) for front in tasks],
        format=ImportFormat.BACKLOG_MD,
        mission=ImportedMission(name=name),
        source=source,
        notes=[f"Left out because they are not tasks: {listed(others)}."] if others else [],
    )


def _in_order(file: str) -> tuple[list[int], str]:
    """Return a key that sorts task-2 before task-10."""
    return [int(number) for number in re.findall(r"\d{1,9}", file)[:3]], file


def _item(front: FrontMatter) -> ImportedItem:
    sections = read_sections(front.body)
    status = front.text("status").lower()
    described = [sections.get(name, "") for name in DESCRIBING] if "description" in sections else [sections[""]]
    return ImportedItem(
        id=_id(front.text("id")),
        label=front.text("id")[:40],
        title=front.text("title"),
        description="\n\n".join(filter(None, described)),
        depends_on=tuple(map(_id, front.texts("dependencies"))),
        parent=_id(front.text("parent_task_id") or front.text("parent")) or _parent_in(_id(front.text("id"))),
        acceptance=_acceptance(sections),
        closed=DONE if status in DONE_WORDS else LEFT_OUT.get(status),
    )


def _id(text: str) -> str:
    """Return an id as it is compared: the files write task-7 and TASK-7 for the same task."""
    return text.lower()


def _parent_in(id: str) -> str | None:
    """Return the task that a subtask such as `task-4.1` is a part of."""
    whole, dot, _ = id.rpartition(".")
    return whole if dot else None


def _acceptance(sections: Mapping[str, str]) -> tuple[str, ...]:
    boxes: Sequence[str] = [
        box.text for heading, text in sections.items() if heading.startswith(CRITERIA) for box in read_checkboxes(text)
    ]
    return tuple(_NUMBER.sub("", text, count=1) for text in boxes if text)
