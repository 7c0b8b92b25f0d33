"""Import of a plan from another tool: finds out by the content which tool it is from."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from mission.domain.errors import InvalidInput, MissionError
from mission.domain.plans.importers.backlog_md import import_backlog_md, is_backlog_task
from mission.domain.plans.importers.beads import import_beads, is_beads, read_json_lines
from mission.domain.plans.importers.checklist import import_checklist
from mission.domain.plans.importers.front_matter import read_front_matter
from mission.domain.plans.importers.markdown_lists import read_checkboxes
from mission.domain.plans.importers.plan_draft import ImportFormat, PlanDraft
from mission.domain.plans.importers.source_text import unreadable
from mission.domain.plans.importers.spec_kit import TASK, import_spec_kit
from mission.domain.plans.importers.symphony import import_symphony, is_symphony
from mission.domain.plans.importers.task_master import import_task_master, is_task_master

FORMATS = f"It can import: {', '.join(ImportFormat)}."
GENERIC = {
    "tasks",
    "todo",
    "issues",
    "workflow",
    "readme",
    "plan",
    "backlog",
    ".beads",
    ".taskmaster",
    "docs",
    "master",
}
"""Names of files and folders that say nothing about the work."""


def import_plan(files: Mapping[str, str], *, source: str, name: str | None = None, tag: str | None = None) -> PlanDraft:
    """Return a draft of a plan from the texts of one file, or of a folder's files by their names.

    `source` is the path that the person gave, and `name` what the mission is called if the files do not say it; `tag`
    chooses a list of a task-master file.
    """
    name = name or mission_name(source)
    if tag is not None and len(files) != 1:
        raise _no_tags(source)
    if len(files) != 1:
        return import_backlog_md(files, source=source, name=name)
    [text] = files.values()
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    draft = _import_json(text, source=source, name=name, tag=tag) if text.lstrip()[:1] in ("{", "[") else None
    if draft is None and tag is not None:
        raise _no_tags(source)
    return draft if draft is not None else _import_markdown(text, source=source, name=name)


def mission_name(source: str) -> str:
    """Return a name for the mission from a path: its file, or the first folder above it that says something."""
    path = PurePath(source)
    candidates = [path.stem, *(parent.name for parent in path.parents)]
    word = next((each for each in candidates if each and each.lower() not in GENERIC and each != ".."), "")
    return re.sub(r"[-_]+", " ", word).strip() or "Imported plan"


def _import_json(text: str, *, source: str, name: str, tag: str | None) -> PlanDraft | None:
    """Return the draft of a JSON text, or None for a Markdown text that starts with a bracket."""
    document = _document(text)
    if is_task_master(document):
        return import_task_master(document, source=source, name=name, tag=tag)
    if tag is not None:
        raise _no_tags(source)
    issues = document if isinstance(document, list) else None
    if document is None and text.lstrip()[:1] == "{":
        issues = read_json_lines(text, source=source)
    if isinstance(document, dict):
        issues = [document]
    if is_beads(issues):
        return import_beads(issues or [], source=source, name=name)
    if document is not None or issues:
        raise unreadable(source, "this JSON is not a known kind of task list", hint=FORMATS)
    return None


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _import_markdown(text: str, *, source: str, name: str) -> PlanDraft:
    front = read_front_matter(text)
    if front is not None and is_symphony(front):
        return import_symphony(front, source=source, name=name)
    if is_backlog_task(front):
        return import_backlog_md({source: text}, source=source, name=name)
    boxes = read_checkboxes(text)
    if any(TASK.match(box.text) for box in boxes):
        return import_spec_kit(text, source=source, name=name)
    if boxes:
        return import_checklist(text, source=source, name=name)
    raise _unknown(text, source=source)


def _unknown(text: str, *, source: str) -> MissionError:
    if not text.strip():
        return unreadable(source, "the file is empty", hint=FORMATS)
    try:
        is_plan = "mission" in tomllib.loads(text)
    except (ValueError, RecursionError):
        is_plan = False
    if is_plan:
        return unreadable(source, "this is already a plan", hint="Check it with 'mission run --check'.")
    return unreadable(
        source, "no task list was found in it", hint=f"{FORMATS} A checklist has items like '- [ ] Do it'."
    )


def _no_tags(source: str) -> InvalidInput:
    return InvalidInput(f"{source} has no tags", hint="Only task-master files have tags; leave out --tag.")
