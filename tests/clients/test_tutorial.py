"""The tutorial with the real Claude Code: it finds the server that `mission setup` wrote, and the page's commands run.

`make test-clients` installs the client and runs this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.install import PROGRAMS
from tests.clients.room import CLAUDE_KEY, NEEDS_CLIENTS
from tests.clients.scripted_model import Model, Say, Step, Use, model
from tests.journeys.test_tutorial import DOCS, check_promises
from tests.journeys.tutorial import Tutorial
from tests.journeys.tutorial_model import ToolCall, WriteFile, next_step

pytestmark = NEEDS_CLIENTS


@pytest.fixture
def tutorial(tmp_path: Path) -> Iterator[Tutorial]:
    with model() as scripted:
        scripted.step = lambda turns, body: _step(turns, body)  # type: ignore[method-assign]
        made = Tutorial(page=DOCS / "start" / "first-mission.md", folder=tmp_path, environment=_user(scripted))
        made.program("claude", f"'{PROGRAMS / 'claude'}'")
        approved = {"approved": [CLAUDE_KEY[-20:]], "rejected": []}
        settings = {"hasCompletedOnboarding": True, "customApiKeyResponses": approved}
        (tmp_path / ".claude.json").write_text(json.dumps(settings))
        yield made
        made.mission("down", "--force")


def test_the_real_claude_code_does_what_the_tutorial_says(tutorial: Tutorial) -> None:
    check_promises(tutorial)


def _user(scripted: Model) -> dict[str, str]:
    """The variables of somebody who uses Claude Code with a key."""
    return {
        "ANTHROPIC_BASE_URL": scripted.url,
        "ANTHROPIC_API_KEY": CLAUDE_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _step(turns: int, body: dict[str, Any]) -> Step:
    """The next step of the tutorial's model, with the tools of Claude Code; small requests of its own get words."""
    if not body.get("tools"):
        return Say(lambda _: "Greetings")
    seen = json.dumps(body["messages"], ensure_ascii=False)
    step = next_step(seen, turns)
    if isinstance(step, ToolCall):
        return Use(step.tool, step.arguments)
    if isinstance(step, WriteFile):
        [folder] = re.findall(r"orking directory: ([^\s\\\"]+)", json.dumps(body, ensure_ascii=False))[:1]
        return Use("Write", {"file_path": f"{folder}/{step.name}", "content": step.text})
    return Say(lambda _: step.text)
