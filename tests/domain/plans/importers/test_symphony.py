"""Symphony's WORKFLOW.md."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.front_matter import read_front_matter
from mission.domain.plans.importers.plan_draft import ImportFormat
from mission.domain.plans.importers.symphony import is_symphony
from mission.domain.plans.plan_file import PlanAgent, parse_plan
from mission.domain.plans.plan_toml import format_plan
from tests.domain.plans.importers.import_samples import SAMPLES, imported, sample


def test_a_workflow_of_symphony_has_settings_but_no_tasks():
    draft = sample("WORKFLOW.md")

    assert draft.format is ImportFormat.SYMPHONY
    assert draft.plan.tasks == ()
    assert draft.plan.agents == (PlanAgent(client="codex", count=4),)
    assert draft.plan.options == {"max_parallel": 4, "stall_minutes": 5.0}
    assert draft.plan.mission.setup == "npm ci\nnpm run build"
    assert draft.plan.mission.name == "order-desk-1f2e"
    assert draft.plan.mission.objective == (
        "Reproduce the problem first. Add a test for every fix.\n\nWork only in this folder."
    )
    assert "WORKFLOW.md has no tasks: they are issues in linear." in draft.notes[0]
    assert "{{ … }}" in draft.notes[1]
    assert "'hooks.before_remove'" in draft.notes[2]
    assert "'agent.max_concurrent_agents'" not in draft.notes[2]
    with pytest.raises(InvalidInput, match="has no tasks"):
        parse_plan(format_plan(draft.plan, notes=draft.notes), source="plan.toml")


def test_a_hook_of_symphony_that_makes_the_worktree_is_no_setup():
    text = (SAMPLES / "WORKFLOW.md").read_text().replace("npm ci", "git clone git@example.org:shop .")
    draft = imported(text)

    assert draft.plan.mission.setup is None
    assert any("creates the worktree" in note for note in draft.notes)


def test_other_front_matter_is_not_taken_for_it():
    assert not is_symphony(None)
    assert not is_symphony(read_front_matter("---\ntracker: x\n---\n"))
    assert is_symphony(read_front_matter("---\ntracker:\n  kind: x\ncodex:\n  command: y\n---\n"))
