"""The graph of a mission: readable at any size, whole after Fit, walked by keys, and the same as a list."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import House
from tests.browser.test_page import connected

VERBS = (
    "Map the writers of",
    "Design the entries for",
    "Backfill the history of every customer account with",
    "Compare old and new totals of",
    "Write property tests for",
    "Switch reads to the new ledger for",
    "Remove the legacy columns of",
    "Tell finance about",
)
NOUNS = ("invoices", "refunds", "payouts", "fees", "taxes", "credits", "dunning", "balances")
INSIDE = """() => {
  const frame = document.querySelector(".graph-frame").getBoundingClientRect();
  return [...document.querySelectorAll(".node")]
    .map((node) => node.getBoundingClientRect())
    .filter((box) => box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1).length;
}"""
TEXT_HEIGHT = """() => {
  const node = document.querySelector(".node .name");
  return 12 * node.getBoundingClientRect().height / node.offsetHeight;
}"""
CUT_NAMES = """() => [...document.querySelectorAll(".node .name")]
  .filter((name) => name.scrollHeight > name.clientHeight + 1).map((name) => name.textContent)"""


@pytest.fixture(scope="module")
def sixty(house: House) -> str:
    """A mission of 64 tasks in 8 phases; the first phase is done."""
    tasks: list[dict[str, Any]] = [
        {
            "name": f"{verb} {noun}",
            "description": "d",
            "sequence": phase + 1,
            "depends_on": [] if phase == 0 else [f"{VERBS[phase - 1]} {noun}"],
        }
        for phase, verb in enumerate(VERBS)
        for noun in NOUNS
    ]
    source = {"source_type": "prompt", "source_content": "Books"}
    mission = str(house.live.call("workflow_create", {"name": "Ledger in sixty steps", **source})["id"])
    plan = {"summary": "s", "approach": "a", "tasks": tasks}
    house.live.call("workflow_set_plan", {"id": mission, "plan": plan})
    agent = house.live.call("agent_register", {"name": "walker", "runtime": "codex", "role": "worker"})["id"]
    for task in house.live.call("workflow_get", {"id": mission, "include_tasks": True})["tasks"][:8]:
        house.live.call("task_claim", {"task_id": task["id"], "agent_id": agent})
        house.live.call("task_update_status", {"task_id": task["id"], "status": "in_progress", "agent_id": agent})
        outcome = {"status": "success", "outcome": {"summary": "d"}, "agent_id": agent}
        house.live.call("complete_task", {"task_id": task["id"], **outcome})
    return mission


def test_sixty_tasks_can_be_read_and_told_apart(page: Page, house: House, sixty: str) -> None:
    house.go(page, f"/missions/{sixty}")
    expect(page.get_by_role("button", name=re.compile("^Design the entries for invoices: Ready"))).to_be_visible()

    names = page.locator(".node .name").all_inner_texts()
    assert len(names) == len(set(names)) + len([name for name in names if name == "8 waiting"]) - 1
    assert page.evaluate(CUT_NAMES) == []
    assert page.evaluate(TEXT_HEIGHT) >= 8.9


def test_a_fold_opens_and_fit_shows_everything(page: Page, house: House, sixty: str) -> None:
    house.go(page, f"/missions/{sixty}")
    page.get_by_role("button", name=re.compile("^8 done, 0 proved: folded")).click()
    expect(page.get_by_role("button", name=re.compile("^Map the writers of taxes: Done, unproved"))).to_be_visible()
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate(INSIDE) > 0

    page.keyboard.press("f")
    page.wait_for_function(f"({INSIDE})() === 0")


def test_all_of_five_hundred_tasks_fits(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['large']}")
    expect(page.locator(".node.as-glyph")).to_have_count(500)
    page.wait_for_function(f"({INSIDE})() === 0")
    page.locator(".node").nth(7).hover()
    expect(page.locator(".graph-tip strong")).not_to_be_empty()


def test_arrow_keys_follow_the_edges_and_enter_opens_the_task(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['mission']}")
    first = page.get_by_role("button", name=re.compile("^Map today's balance writes:"))
    expect(first).to_have_attribute("tabindex", "0")
    first.focus()
    page.keyboard.press("ArrowRight")
    focused = page.locator(".node:focus")
    expect(focused).to_have_accessible_name(
        re.compile("^Accounts and entries tables: Done, unproved.* depends on Map .* and Choose .*, unblocks Trial"),
    )
    page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_accessible_name(re.compile("^Choose the posting model"))
    expect(page.locator(".node[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Task Choose the posting model")).to_be_visible()


def test_the_list_says_the_same_as_the_graph(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['mission']}")
    expect(page.locator(".node")).to_have_count(24)
    page.get_by_role("button", name="List", exact=True).click()
    rows = page.get_by_role("region", name="Task list").locator("li")
    expect(rows).to_have_count(24)
    row = rows.filter(has=page.get_by_role("button", name="Reconcile with bank files"))
    expect(row).to_contain_text("Waiting")
    expect(row).to_contain_text("critical path")
    expect(row).to_contain_text("Depends on Refunds post entries, Payouts post entries, Fees and taxes post entries")


def test_the_journal_is_hidden_and_stays_so(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['mission']}")
    connected(page)
    expect(page.get_by_role("heading", name=re.compile("^Journal"))).to_be_visible()
    page.get_by_role("button", name="Hide journal").click()
    expect(page.get_by_role("heading", name=re.compile("^Journal"))).to_have_count(0)
    page.reload()
    page.get_by_role("button", name="Show journal").click()
    expect(page.get_by_role("heading", name=re.compile("^Journal"))).to_be_visible()
