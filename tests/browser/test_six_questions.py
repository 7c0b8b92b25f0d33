"""Now answers six questions at a glance: what needs me, is stuck, cost, changed, is proved, and is next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from mission.domain.checks.evidence import ProofState
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.patch import Lines, Patch
from mission.domain.tasks.states import TaskStatus
from mission.store.transaction import Tx
from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS
from tests.browser.test_page import connected

NAMES = ("Plough", "Sow", "Water", "Weed", "Reap")


@pytest.fixture
def field(house: House) -> Iterator[dict[str, str]]:
    """A mission with an answer to each question; nothing of it is left open."""
    made = house.live.call("start_mission", {"name": "Wheat field", "objective": "Bread"})["mission_id"]
    plan = [{"name": name, "description": "d", "sequence": 1} for name in NAMES]
    ids = house.live.call("workflow_add_tasks", {"id": made, "tasks": plan})["task_ids"]
    tasks = dict(zip(NAMES, ids, strict=True))
    agent = house.live.call("agent_register", {"name": "farmer", "runtime": "custom", "role": "worker"})["id"]
    house.live.call("start_task", {"task_id": tasks["Plough"], "agent_id": agent})
    report = {"status": "success", "outcome": {"summary": "Done"}}
    house.live.call("complete_task", {"task_id": tasks["Plough"], "agent_id": agent, **report})
    house.live.run(house.live.app.database.write(_age, tasks=tasks))
    yield {"mission": made, **tasks}
    house.live.call("complete_mission", {"mission_id": made, "status": "failed", "summary": "over"})


def _age(tx: Tx, *, tasks: dict[str, str]) -> None:
    """Let one task be proved with lines, one fail three times, and the others be ready for an hour."""
    hour = tx.now - timedelta(hours=1)
    for name, id in tasks.items():
        task = tx.tasks.get(id)
        if name == "Plough":
            changes = Changes(modified=["src/field.py"]).as_dict()
            task = replace(task, proof_state=ProofState.PROVED, changes=changes)
            lines = {"src/field.py": Lines(text="@@ -1 +1,2 @@\n-three\n+one\n+two\n")}
            tx.patches.put(id, Patch(files=lines).stored())
        elif name == "Sow":
            task = replace(task, failed_attempts=3)
        if task.status is TaskStatus.PENDING:
            task = replace(task, updated_at=hour)
        tx.tasks.save(task)


def test_now_says_what_needs_me_and_takes_the_answer_in_place(page: Page, house: House) -> None:
    house.go(page, "/")
    connected(page)
    needs = page.locator(".needs .need").first

    expect(page.locator(".figure").filter(has_text="Needs you").locator(".value")).not_to_have_text("0")
    expect(needs).to_contain_text("Refund after period close")
    expect(needs.get_by_role("button", name="Post new")).to_be_enabled()
    assert needs.bounding_box()["height"] <= 46
    title = needs.locator(".subject").bounding_box()
    assert title["height"] <= 22


def test_now_says_what_is_stuck_and_where_to_move_it_on(page: Page, house: House, field: dict[str, str]) -> None:
    house.go(page, "/")
    stuck = page.locator(".stuck")

    sow = stuck.locator(".row").filter(has_text="Sow")
    expect(sow).to_contain_text("3 failed attempts")
    untouched = stuck.locator(".row").filter(has_text="3 ready tasks").filter(has_text="Wheat field")
    expect(untouched).to_contain_text("nobody takes them")
    expect(untouched).to_contain_text("1 h")
    untouched.get_by_role("link", name="Open mission").click()
    expect(page.get_by_role("heading", name="Wheat field")).to_be_visible()


def test_now_says_what_it_cost_and_unknown_is_not_nothing(page: Page, house: House, field: dict[str, str]) -> None:
    house.go(page, "/")
    spent = page.locator(".figure").filter(has_text="Spent today")

    expect(spent.locator(".value")).to_contain_text(re.compile(r"^≥ \$\d"))
    expect(page.locator(".cost-card")).to_contain_text("Move billing to a double-entry ledger")
    spent.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/costs$"))
    table = page.locator(".cost-table").filter(has_text="By mission")
    row = table.get_by_role("row")
    expect(row.filter(has_text="Move billing")).to_contain_text("$27.75")
    if (more := table.get_by_role("button", name=re.compile("more$"))).count():  # other tests add missions too
        more.click()
    expect(row.filter(has_text="Wheat field").first).to_contain_text("unknown")
    for title in ("By day", "By mission", "By agent", "By task"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()


def test_now_says_what_changed_and_the_mission_shows_the_lines(page: Page, house: House, field: dict[str, str]) -> None:
    house.go(page, "/")
    expect(page.locator(".figure").filter(has_text="Changed today")).to_contain_text("+")
    finished = page.locator(".finished .row").filter(has_text="Plough").first
    expect(finished).to_contain_text("+2 −1")

    house.go(page, f"/missions/{field['mission']}?view=changes")
    changes = page.locator(".changes")
    expect(changes.locator(".changed-file")).to_contain_text(["+2 −1"])
    changes.get_by_role("button", name="field.py").click()
    expect(changes.get_by_role("region", name="Changes in src/field.py")).to_contain_text("two")
    changes.get_by_role("combobox", name="Task").select_option(label="Plough")
    expect(changes.locator(".changed-file")).to_have_count(1)
    expect(page.locator(".mission-figures .figure").filter(has_text="Changes")).to_contain_text("+2 −1")


def test_now_says_whether_done_can_be_trusted(page: Page, house: House, field: dict[str, str]) -> None:
    house.go(page, "/")
    bar = page.get_by_role("region", name="Proof across all open missions")

    for word in ("Proved", "Done, unproved", "Accepted", "Failing"):
        expect(bar).to_contain_text(word)
    expect(page.locator(".figure").filter(has_text="Proved").locator(".value").first).to_contain_text("of")


def test_now_says_what_is_next(page: Page, house: House, field: dict[str, str]) -> None:
    house.go(page, "/")
    upcoming = page.locator(".next-up")

    expect(upcoming.get_by_role("link").first).to_be_visible()
    expect(upcoming).to_contain_text(re.compile("est\\. |no estimate yet"))


def test_now_begins_with_what_happened_since_you_left(
    page: Page, house: House, field: dict[str, str], chromium: Chromium
) -> None:
    house.go(page, "/")
    news = page.locator(".since-left li")

    expect(news.first).to_contain_text("waiting for you")
    assert news.count() <= 5
    expect(page.locator(".since-left")).to_contain_text("finished:")
    connected(page)
    page.evaluate(chromium.axe)
    assert page.evaluate(BARRIERS) == []
    house.go(page, "/costs")
    expect(page.get_by_role("heading", name="By mission")).to_be_visible()
    page.evaluate(chromium.axe)
    assert page.evaluate(BARRIERS) == []
