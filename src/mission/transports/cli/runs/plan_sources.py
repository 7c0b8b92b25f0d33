"""Plan files and task lists of other tools, read from disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.plans.importers.source_text import MAX_SOURCE, decode_source
from mission.domain.plans.plan_file import MAX_TASKS, PlanFile, parse_plan
from mission.git.safe_reading import NotOrdinary, TooMuch, read_chosen

TASK_LISTS = (
    *("issues.jsonl", "beads.jsonl", "tasks/tasks.json", "tasks.json", "tasks.md", "WORKFLOW.md"),
    *(".beads/issues.jsonl", ".taskmaster/tasks/tasks.json"),
)
"""Files that hold a task list, in a folder that a person may name."""
TASK_FOLDERS = ("tasks", "backlog/tasks", ".")
"""Folders with a Markdown file for each task."""


def read_plan(path: Path) -> PlanFile:
    """Return the plan in a file; raise InvalidInput with every problem and its line."""
    from mission.runtime.adapters.launch_adapter import launches  # deferred: --example does not need the clients

    return parse_plan(
        _read(path, hint="'mission run --example > plan.toml' writes one."), source=str(path), clients=launches()
    )


def read_task_list(path: Path) -> dict[str, str]:
    """Return the text of a file by its name, or of each file of a folder with tasks."""
    if not path.is_dir():
        return {path.name: _read(path, hint="Name a task list, or a folder that has one.")}
    lists = [path / name for name in TASK_LISTS if (path / name).is_file()]
    if len(lists) > 1:
        raise InvalidInput(
            f"{path} has more than one task list: {', '.join(str(each.relative_to(path)) for each in lists)}",
            hint="Name one of them.",
        )
    if lists:
        return {lists[0].name: _read(lists[0], hint="Name another file.")}
    return _read_all(_task_files(path), folder=path)


def _task_files(path: Path) -> list[Path]:
    """Return the Markdown files of the first folder that has some."""
    for name in TASK_FOLDERS:
        found = sorted(each for each in (path / name).glob("*.md") if each.is_file())
        if found:
            return found
    raise InvalidInput(f"no task list was found in {path}", hint="Name the file, or the folder with the tasks.")


def _read_all(files: Iterable[Path], *, folder: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    total = 0
    for file in files:
        texts[file.name] = _read(file, hint="Remove it, or name one file.")
        total += len(texts[file.name])
        if total > MAX_SOURCE or len(texts) > MAX_TASKS:
            raise TooLarge(f"{folder} has too many files, or files that are too large", hint="Import only part of it.")
    return texts


def _read(path: Path, *, hint: str) -> str:
    try:
        data = read_chosen(path, limit=MAX_SOURCE)
    except FileNotFoundError:
        raise InvalidInput(f"{path} does not exist", hint=hint) from None
    except (NotOrdinary, IsADirectoryError):
        raise InvalidInput(f"{path} is not a regular file", hint=hint) from None
    except TooMuch:
        raise TooLarge(f"{path} is larger than {MAX_SOURCE:,} bytes", hint="Import only part of it.") from None
    return decode_source(data, source=str(path))
