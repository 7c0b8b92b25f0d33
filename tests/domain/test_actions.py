"""Next steps are sentences that every reader of an error understands."""

from __future__ import annotations

import re

import pytest

from mission.domain.actions import Action
from mission.domain.errors import InvalidState


@pytest.mark.parametrize("action", Action)
def test_a_next_step_is_one_sentence_without_a_tool_or_a_command(action):
    assert re.fullmatch(r"[A-Z].+\.", action.value)
    assert not re.search(r"'mission |mcp__|\b(task|workflow|agent|queue|workspace)_(?!id)\w+", action.value)


def test_each_step_is_another_one():
    assert len({action.value for action in Action}) == len(list(Action.__members__))


def test_an_error_tells_its_hint_and_then_its_step():
    error = InvalidState("no", hint="Look first.", action=Action.CLAIM_FIRST)

    assert error.hint == "Look first. Claim the task first."
    assert error.with_step("Call task_claim.").hint == "Look first. Call task_claim."
