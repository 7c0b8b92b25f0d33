"""What an agent asks and how it fails is seen on every page, in one word, and answered where it is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS
from tests.browser.test_page import connected
from tests.runtime.conftest import STANDIN


@pytest.fixture
def task(house: House, repository: Path) -> Iterator[tuple[str, str]]:
    """A mission of its own and its first task, with one behind it; nothing of it is left open."""
    made = house.live.call("start_mission", {"name": "Orchard", "objective": "o", "repository_path": str(repository)})
    plan = [
        {"name": "Pick pears", "description": "d", "sequence": 1},
        {"name": "Bake pears", "description": "d", "sequence": 2, "depends_on": ["Pick pears"]},
    ]
    ids = house.live.call("workflow_add_tasks", {"id": made["mission_id"], "tasks": plan})["task_ids"]
    yield made["mission_id"], ids[0]
    house.live.call("complete_mission", {"mission_id": made["mission_id"], "status": "failed", "summary": "over"})


def launch(house: House, task: str, *arguments: str) -> str:
    program = {"adapter": "command", "arguments": [sys.executable, "-u", STANDIN, *arguments], "agent_name": "picker"}
    return str(house.live.call("execution_launch", {"task_id": task, **program})["id"])


def test_a_living_agents_question_is_one_word_on_every_page_and_is_answered_on_its_task(
    page: Page, house: House, task: tuple[str, str], tmp_path: Path, chromium: Chromium
) -> None:
    mission, id = task
    house.go(page, f"/missions/{mission}")
    connected(page)
    execution = launch(house, id, "linger", str(tmp_path / "never"))
    expect(page.get_by_role("button", name=re.compile("^Pick pears ?: Asks you"))).to_be_visible()
    expect(page.get_by_role("note")).to_contain_text("Which way?")

    house.go(page, f"/missions/{mission}?view=board")
    expect(page.locator(".column .row").filter(has_text="Pick pears").get_by_role("img")).to_have_accessible_name(
        "Asks you"
    )
    house.go(page, f"/missions/{mission}?view=timeline")
    expect(page.get_by_role("button", name=re.compile("^Pick pears ?: Asks you"))).to_be_visible()
    house.go(page, f"/missions/{mission}?view=agents")
    row = page.get_by_role("row").filter(has_text="picker")
    expect(row.get_by_role("img", name="Waits for you")).to_be_visible()
    expect(row.get_by_role("img", name="Asks you")).to_be_visible()
    house.go(page, "/agents")
    expect(page.locator(".rows > li").filter(has_text="Pick pears")).to_contain_text("Waits for you")
    house.go(page, "/executions")
    expect(page.locator(".tile").filter(has_text="picker").get_by_role("img", name="Waits for you")).to_be_visible()
    house.go(page, "/")
    needs = page.locator(".need").filter(has_text="Which way?")
    expect(needs).to_contain_text("blocks 2 tasks, 1 agent")
    expect(needs).to_contain_text("critical path")

    house.go(page, f"/tasks/{id}")
    expect(page.locator(".page-head .pill")).to_have_text("Asks you")
    expect(page.locator(".history")).to_contain_text("Asks you")
    card = page.get_by_role("article", name="Which way?")
    connected(page)
    page.evaluate(chromium.axe)
    assert page.evaluate(BARRIERS) == []
    page.keyboard.press("1")
    expect(card.get_by_role("radio", name="Left")).to_be_checked()
    page.keyboard.press("Enter")
    card.get_by_role("button", name="Send now").click()

    expect(page.locator(".page-head .pill")).to_have_text("Working")
    expect(card).to_have_count(0)
    house.go(page, f"/executions/{execution}")
    expect(page.locator(".execution-head")).to_contain_text("Running")


def test_a_failed_agent_is_seen_everywhere_and_tried_again_with_a_hint(
    page: Page, house: House, task: tuple[str, str], chromium: Chromium
) -> None:
    mission, id = task
    house.go(page, f"/missions/{mission}")
    connected(page)
    launch(house, id, "fail", "1")
    expect(page.get_by_role("button", name=re.compile("^Pick pears ?: Ready, 1 failed attempt"))).to_be_visible()
    expect(page.locator(".mission-figures")).to_contain_text("1 failed attempt")

    house.go(page, f"/missions/{mission}?view=board")
    expect(page.locator(".column .row").filter(has_text="Pick pears")).to_contain_text("1 failed attempt")
    house.go(page, f"/missions/{mission}?view=journal")
    entry = page.locator(".entries li").first
    expect(entry).to_contain_text("picker failed: There is no license key")
    expect(entry).to_contain_text("Mission Control")
    expect(entry).not_to_contain_text("took over")
    house.go(page, "/")
    expect(page.locator(".figure").filter(has_text="Failed")).to_contain_text("failed attempt")
    expect(page.locator(".need").filter(has_text="There is no license key").get_by_role("button")).to_contain_text(
        ["Retry", "Skip"]
    )
    house.go(page, f"/tasks/{id}")
    expect(page.locator(".task-figures")).to_contain_text("1 failed attempt")
    expect(page.locator(".attempts")).to_contain_text("There is no license key")
    expect(page.get_by_role("article", name="There is no license key")).to_be_visible()

    house.go(page, "/inbox")
    card = page.get_by_role("article", name="There is no license key")
    card.get_by_role("heading").click()
    expect(card.get_by_role("combobox", name="Give to another")).to_be_visible()
    connected(page)
    page.evaluate(chromium.axe)
    assert page.evaluate(BARRIERS) == []
    page.keyboard.press("2")
    expect(card.get_by_role("textbox", name="Retry with a hint")).to_be_focused()
    page.keyboard.type("hint: look in the vault")
    card.get_by_role("button", name="Retry with a hint").click()
    card.get_by_role("button", name="Send now").click()

    expect(page.get_by_role("article", name="Review: Pick pears")).to_be_visible()
    house.go(page, f"/tasks/{id}")
    expect(page.locator(".page-head .pill")).to_have_text("Review")
    expect(page.locator(".task-figures .figure").last).to_contain_text(re.compile("Attempts.*2.*1 failed attempt"))
    expect(page.locator(".attempts li")).to_have_count(2)
