"""task-master's tasks.json: tasks with subtasks, in one list or in a list for each tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.plan_draft import (
    DONE,
    ImportedItem,
    ImportedMission,
    ImportFormat,
    PlanDraft,
    build_draft,
)
from mission.domain.plans.importers.source_text import clean, listed, unreadable
from mission.spelling import nearest

DEFAULT_TAG = "master"
_CLOSED = {"done": DONE, "completed": DONE, "cancelled": "canceled", "canceled": "canceled", "deferred": "deferred"}


def is_task_master(document: Any) -> bool:
    """Return whether a JSON document has the form of tasks.json."""
    return bool(_lists(document))


def import_task_master(document: Any, *, source: str, name: str, tag: str | None = None) -> PlanDraft:
    """Return the draft of one tag of a tasks.json."""
    lists = _lists(document)
    chosen = _chosen(list(lists), tag, source=source)
    tasks = lists[chosen]["tasks"]
    notes = []
    if len(lists) > 1:
        others = [each for each in lists if each != chosen]
        notes.append(f"Only the tag '{chosen}' was imported; --tag chooses another: {listed(others)}.")
    if any(isinstance(task, Mapping) and task.get("priority") for task in tasks):
        notes.append("Priorities were left out: the order comes from the dependencies.")
    metadata = lists[chosen].get("metadata")
    about = metadata if isinstance(metadata, Mapping) else {}
    return build_draft(
        list(_items(tasks, source=source)),
        format=ImportFormat.TASK_MASTER,
        mission=ImportedMission(
            name=clean(about.get("projectName")) or (chosen if chosen not in ("", DEFAULT_TAG) else name),
            objective=clean(about.get("description")),
        ),
        source=source,
        notes=notes,
    )


def _lists(document: Any) -> dict[str, Mapping[str, Any]]:
    """Return the lists of tasks by their tag; without tags, the only list is under ''."""
    if not isinstance(document, Mapping):
        return {}
    if isinstance(document.get("tasks"), list):
        return {"": document}
    tagged = {str(tag): each for tag, each in document.items() if isinstance(each, Mapping)}
    return {tag: each for tag, each in tagged.items() if isinstance(each.get("tasks"), list)}


def _chosen(tags: Sequence[str], tag: str | None, *, source: str) -> str:
    if tag is None and len(tags) == 1:
        return tags[0]
    if tag is None and DEFAULT_TAG not in tags:
        raise InvalidInput(f"{source} has several tags: {listed(tags, limit=20)}", hint="Choose one with --tag.")
    tag = tag or DEFAULT_TAG
    if tag not in tags:
        close = nearest(tag, tags)
        hint = f"Did you mean '{close}'?" if close else f"It has: {listed(filter(None, tags), limit=20) or 'no tags'}."
        raise InvalidInput(f"{source} has no tag '{tag[:60]}'", hint=hint)
    return tag


def _items(tasks: Sequence[Any], *, source: str) -> Iterator[ImportedItem]:
    for number, task in enumerate(tasks):
        _check(task, f"tasks[{number}]", source=source)
        id = _id(task["id"])
        yield _item(task, id=id, depends_on=tuple(map(_id, _list(task.get("dependencies")))))
        subtasks = _list(task.get("subtasks"))
        for position, each in enumerate(subtasks):
            _check(each, f"tasks[{number}].subtasks[{position}]", source=source)
        own = {_id(each["id"]) for each in subtasks}
        for each in subtasks:
            wanted = tuple(_of_sibling(_id(other), own, parent=id) for other in _list(each.get("dependencies")))
            yield _item(each, id=f"{id}.{_id(each['id'])}", depends_on=wanted, parent=id)


def _of_sibling(wanted: str, siblings: set[str], *, parent: str) -> str:
    """Return the id of what a subtask depends on: a plain number is one of its siblings, if there is such a one."""
    return f"{parent}.{wanted}" if wanted in siblings else wanted


def _item(task: Mapping[str, Any], *, id: str, depends_on: tuple[str, ...], parent: str | None = None) -> ImportedItem:
    texts = [clean(task.get("description")), clean(task.get("details"))]
    strategy = clean(task.get("testStrategy"))
    status = clean(task.get("status")).lower()
    return ImportedItem(
        id=id,
        label=id,
        title=clean(task.get("title")),
        description="\n\n".join(filter(None, texts)),
        depends_on=depends_on,
        parent=parent,
        acceptance=(strategy,) if strategy else (),
        closed=_CLOSED.get(status),
    )


def _check(task: Any, field: str, *, source: str) -> None:
    if not isinstance(task, Mapping) or not isinstance(task.get("id"), int | str) or not clean(task.get("title")):
        raise unreadable(source, f"{field} has no id or no title", hint="Repair the file with task-master first.")


def _id(value: Any) -> str:
    return clean(str(value))[:100]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
