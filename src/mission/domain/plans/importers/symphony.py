"""Symphony's WORKFLOW.md: settings and a prompt for the issues of a tracker. It has no tasks of its own."""

from __future__ import annotations

import re

from mission.domain.plans.importers.front_matter import FrontMatter
from mission.domain.plans.importers.plan_draft import ImportedMission, ImportFormat, PlanDraft
from mission.domain.plans.importers.source_text import clean, listed
from mission.domain.plans.plan_file import MAX_COUNT, MAX_SETUP, PlanAgent

SECTIONS = ("tracker", "polling", "workspace", "hooks", "agent", "codex")
CLIENT = "codex"
DEFAULT_AGENTS = 10
_MAKES_TREE = re.compile(r"\bgit\s+(?:-C\s+\S+\s+)?(?:clone|worktree|init)\b|\bgh\s+repo\s+clone\b")
_BLANK = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
TAKEN = {("agent", "max_concurrent_agents"), ("codex", "stall_timeout_ms"), ("hooks", "after_create")}


def is_symphony(front: FrontMatter | None) -> bool:
    """Return whether front matter is that of a WORKFLOW.md."""
    return front is not None and front.has("tracker") and sum(map(front.has, SECTIONS)) > 1


def import_symphony(front: FrontMatter, *, source: str, name: str) -> PlanDraft:
    """Return a draft without tasks: agents, setup and limits, and the prompt as the objective."""
    count = min(max(front.number("agent", "max_concurrent_agents") or DEFAULT_AGENTS, 1), MAX_COUNT)
    setup, setup_notes = _setup(front)
    stall = front.number("codex", "stall_timeout_ms")
    minutes = min(max(round(stall / 60_000, 2), 0.01), 1440) if stall else None
    objective, prompt_notes = _objective(front.body)
    mission = ImportedMission(
        name=front.text("tracker", "project_slug") or name,
        objective=objective,
        setup=setup,
        agents=(PlanAgent(client=CLIENT, count=count),),
        options={"max_parallel": count, **({"stall_minutes": minutes} if minutes else {})},
    )
    tracker = front.text("tracker", "kind") or "a tracker"
    notes = [
        f"{source} has no tasks: they are issues in {tracker}. Add a [[tasks]] table for each before you run the plan.",
        *setup_notes,
        *prompt_notes,
        *_left_out(front),
    ]
    return PlanDraft(format=ImportFormat.SYMPHONY, plan=mission.plan(()), notes=tuple(notes))


def _setup(front: FrontMatter) -> tuple[str | None, list[str]]:
    script = clean(front.text("hooks", "after_create"))
    if not script or len(script) > MAX_SETUP:
        return None, ["hooks.after_create is too long for a setup command and was left out."] if script else []
    if _MAKES_TREE.search(script):
        return None, [
            "hooks.after_create creates the worktree, which a run does by itself; add the rest of the hook as setup."
        ]
    return script, []


def _objective(body: str) -> tuple[str, list[str]]:
    """Return the prompt without the lines that are filled in for each issue."""
    lines = clean(body).split("\n")
    kept = [line for line in lines if not _BLANK.search(line)]
    note = "Lines of the prompt with {{ … }} or {% … %} were left out: an agent gets its task's name and description."
    return "\n".join(kept), [note] if len(kept) < len(lines) else []


def _left_out(front: FrontMatter) -> list[str]:
    names = dict.fromkeys(".".join(path[:2]) for path in front.values if path[:2] not in TAKEN)
    return [f"Settings that a plan does not have: {listed(names, limit=30)}."] if names else []
