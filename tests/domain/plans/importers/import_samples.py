"""Files of other tools, imported."""

from __future__ import annotations

from pathlib import Path

from mission.domain.plans.importers.plan_draft import PlanDraft
from mission.domain.plans.importers.plan_import import import_plan

SAMPLES = Path(__file__).parents[1] / "samples"


def imported(text: str, *, source: str = "x.md", tag: str | None = None) -> PlanDraft:
    return import_plan({source: text}, source=source, tag=tag)


def sample(name: str, **options: str) -> PlanDraft:
    return imported((SAMPLES / name).read_text(), source=name, **options)


def backlog() -> PlanDraft:
    """Read the sample folder; its files have underscores where Backlog.md writes spaces."""
    folder = SAMPLES / "backlog" / "tasks"
    files = {path.name.replace("_", " "): path.read_text() for path in folder.iterdir()}
    return import_plan(files, source="shop/backlog")


def order(draft: PlanDraft) -> dict[str, list[str]]:
    """What each task waits for, by the first word of its name."""
    return {task.name.split()[0]: [name.split()[0] for name in task.depends_on] for task in draft.plan.tasks}


def names(draft: PlanDraft) -> list[str]:
    return [task.name for task in draft.plan.tasks]
