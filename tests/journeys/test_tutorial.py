"""The commands of the tutorial run as they are printed, with a scripted client instead of Claude Code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.tutorial import Tutorial

DOCS = Path(__file__).parents[2] / "docs"
CLAUDE = Path(__file__).with_name("scripted_claude.py")


@pytest.fixture
def tutorial(tmp_path: Path) -> Iterator[Tutorial]:
    made = Tutorial(page=DOCS / "start" / "first-mission.md", folder=tmp_path)
    made.program("claude", f"'{sys.executable}' '{CLAUDE}'")
    yield made
    made.mission("down", "--force")


def test_a_reader_of_the_first_mission_gets_what_the_page_promises(tutorial: Tutorial) -> None:
    check_promises(tutorial)


def check_promises(tutorial: Tutorial) -> None:
    """Run the page, and look at what is there at the end."""
    done = tutorial.run()

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Done, unproved" in done.stdout
    missions = json.loads(tutorial.mission("missions", "--json"))["workflows"]
    assert [mission["name"] for mission in missions] == ["Polite greetings", "Farewell"]
    run = tutorial.call("run_get", {"mission_id": missions[0]["id"]})
    assert (run["state"], run["counts"]["merged"]) == ("finished", 2)  # type: ignore[index]
    assert [task["proof_state"] for task in run["tasks"]] == ["proved", "proved"]  # type: ignore[attr-defined]
    landed = {path.name for path in (tutorial.folder / "greeter").iterdir()}
    assert {"languages.py", "shouting.py", "farewell.py"} <= landed
