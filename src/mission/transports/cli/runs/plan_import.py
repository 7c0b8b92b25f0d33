"""`mission import`: a plan from a task list of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mission.domain.errors import InvalidState, TooLarge
from mission.domain.plans.importers.plan_draft import PlanDraft
from mission.domain.plans.importers.plan_import import import_plan, mission_name
from mission.domain.plans.plan_file import MAX_PLAN
from mission.domain.plans.plan_toml import format_plan
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json
from mission.transports.cli.runs.plan_sources import read_task_list
from mission.transports.cli.runs.plan_view import show_tasks


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--output", "-o", "output", type=click.Path(path_type=Path), help="Write the plan to this file.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--tag", help="The list of a task-master file to import (default: master).")
@json_option
@report_errors
def import_(file: Path, output: Path | None, force: bool, tag: str | None, as_json: bool) -> None:
    """Show another tool's task list as a plan, and write it to a file with --output.

    FILE is a spec-kit tasks.md, a task-master tasks.json, beads' issues.jsonl, a Backlog.md folder, a Symphony
    WORKFLOW.md, or a Markdown checklist. Its content decides which. Items that are done are left out.

    \b
    mission import specs/004-login/tasks.md --output plan.toml
    mission run --check plan.toml
    """
    draft = import_plan(read_task_list(file), source=str(file), name=mission_name(str(file.resolve())), tag=tag)
    text = format_plan(draft.plan, notes=[f"Imported from {file} ({draft.format}).", *draft.notes])
    if len(text) > MAX_PLAN:
        raise TooLarge(
            f"the plan would have {len(text):,} characters (limit {MAX_PLAN:,})", hint="Import only part of it."
        )
    if not as_json:
        _show(draft, file)
    if output is not None:
        _write(output, text, force=force)
    if as_json:
        show_json(_record(draft, text, output))
    else:
        _show_next(draft, output)


def _show(draft: PlanDraft, file: Path) -> None:
    say(f"{draft.plan.mission.name} ({draft.format}: {file})", bold=True)
    show_tasks(draft.plan)
    for note in draft.notes:
        say(f"- {note}")


def _show_next(draft: PlanDraft, output: Path | None) -> None:
    if output is None:
        say("Nothing was written. Add '--output plan.toml' to write the plan.")
    elif draft.plan.tasks:
        say(f"Wrote {output}. Add agents and checks, then '{own_command()} run --check {output}'.", fg="green")
    else:
        say(f"Wrote {output}. Add tasks, then '{own_command()} run --check {output}'.", fg="yellow")


def _write(output: Path, text: str, *, force: bool) -> None:
    try:
        with output.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidState(f"{output} exists", hint="Replace it with --force, or choose another name.") from None


def _record(draft: PlanDraft, text: str, output: Path | None) -> dict[str, Any]:
    return {
        "format": draft.format.value,
        "file": str(output) if output is not None else None,
        "mission": draft.plan.mission.name,
        "tasks": [{"name": task.name, "depends_on": list(task.depends_on)} for task in draft.plan.tasks],
        "notes": list(draft.notes),
        "plan": text,
    }
