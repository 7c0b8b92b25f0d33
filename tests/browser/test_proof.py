"""Proof as a person sees it: checks run live, results are reviewed or accepted, commands are approved."""

from __future__ import annotations

import re
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS, CUT
from tests.browser.test_page import connected
from tests.transports.live_server import Answer

DONE = {"status": "success", "outcome": {"summary": "All of it"}}
READY = {"name": "ready", "run": "grep ready README.md"}


class Shop:
    """A mission with checks in a real repository."""

    def __init__(self, house: House, repository: Path) -> None:
        self._house = house
        self.repository = repository
        self._thread = ThreadPoolExecutor(max_workers=4)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self._house.live.call(tool, arguments)

    def begin(self, *checks: dict[str, Any], name: str = "Sort", **more: Any) -> tuple[str, str]:
        """Start a mission with these checks and one task; return their ids."""
        source = {"source_type": "prompt", "source_content": "Tidy up the shop", "checks": list(checks)}
        review = {"review": more.pop("review")} if "review" in more else {}
        where = {"repository_path": str(self.repository)}
        mission = self.call("workflow_create", name=f"Shop: {name}", **source, **where, **review)["id"]
        plan = {"name": name, "description": "Sort what is there.", "sequence": 1, **more}
        task = self.call("workflow_add_tasks", id=mission, tasks=[plan])["task_ids"][0]
        self.call("start_task", task_id=task, **where)
        return mission, task

    def report(self, task: str) -> Future[Answer]:
        """Report the task as done; the answer comes once its checks have said something."""
        return self._thread.submit(self._house.live.post, "complete_task", {"task_id": task, **DONE})

    def state(self, task: str) -> str:
        return str(self.call("task_get", id=task)["state"])


@pytest.fixture
def shop(house: House, repository: Path) -> Shop:
    return Shop(house, repository)


def row(page: Page, name: str) -> Locator:
    return page.locator(f"[data-check='{name}']")


def pill(page: Page) -> Locator:
    return page.locator(".page-head .pill")


def answer(card: Locator, choice: str, send: str) -> None:
    """Choose an answer on a card and send it at once."""
    card.get_by_text(choice, exact=True).click()
    card.get_by_role("button", name=send).click()
    card.get_by_role("button", name="Send now").click()


def test_a_check_is_followed_while_it_runs_and_a_proved_task_is_solid(
    page: Page, house: House, shop: Shop, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    wait = f"echo first line; while [ ! -e '{go}' ]; do sleep 0.1; done; cat README.md; ! grep -q broken README.md"
    mission, task = shop.begin({"name": "slow", "run": wait})
    (shop.repository / "README.md").write_text("broken\n")
    house.go(page, f"/tasks/{task}")
    expect(row(page, "slow")).to_contain_text("Not run")
    connected(page)

    reported = shop.report(task)
    expect(pill(page)).to_have_text("Checking")
    output = page.get_by_role("region", name="Output of slow")
    expect(output).to_have_text("first line")
    expect(row(page, "slow")).to_contain_text("Running")
    go.touch()
    expect(row(page, "slow")).to_contain_text("Failed")
    expect(output).to_contain_text("broken")
    expect(row(page, "slow")).to_contain_text("exit 1")
    assert reported.result().json["error"]["code"] == "CHECKS_FAILED"
    expect(pill(page)).to_have_text("Working")
    expect(page.locator(".evidence-card")).to_contain_text("0 of 1 passed · 1 failed")

    (shop.repository / "README.md").write_text("ready\n")
    assert shop.report(task).result().status == 200
    expect(pill(page)).to_have_text("Proved")
    expect(row(page, "slow")).to_contain_text("Passed")
    expect(output).to_have_count(0)
    page.get_by_role("button", name="Show details for slow").click()
    expect(output).to_contain_text("ready")

    unproved = shop.call("start_task", mission_id=mission, name="Sweep", goal="g")["task_id"]
    assert shop.report(unproved).result().status == 200
    house.go(page, f"/missions/{mission}?view=board")
    rows = page.locator(".column li")
    expect(rows.filter(has_text="Sort")).to_have_attribute("data-proof", "solid")
    expect(rows.filter(has_text="Sort")).to_contain_text("1 of 1 check passed")
    expect(rows.filter(has_text="Sweep")).to_have_attribute("data-proof", "dashed")
    expect(page.get_by_role("img", name="Proof for this mission: 1 proved; 1 done, unproved")).to_be_visible()
    house.go(page, f"/missions/{mission}")
    expect(page.locator(f"#node-{task}")).to_have_css("border-top-style", "solid")
    expect(page.locator(f"#node-{unproved}")).to_have_css("border-top-style", "dashed")
    house.go(page, "/")
    expect(page.get_by_role("img", name=re.compile("^Proof across all open missions: .* proved"))).to_be_visible()


def test_checks_are_run_again_and_a_failing_task_is_accepted_with_a_reason(
    page: Page, house: House, shop: Shop
) -> None:
    _, task = shop.begin({"name": "kept", "run": "test -e README.md"})
    (shop.repository / "README.md").unlink()
    assert shop.report(task).result().status == 409
    house.go(page, f"/tasks/{task}")
    expect(row(page, "kept")).to_contain_text("Failed")
    connected(page)

    page.get_by_role("button", name="Run checks again").click()
    expect(page.locator(".evidence-card")).to_contain_text("before a report")
    expect(page.get_by_role("button", name="Run checks again")).to_be_enabled()
    page.get_by_role("button", name="Accept…").click()
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text("never as Proved")
    expect(dialog.get_by_role("button", name="Accept task")).to_be_disabled()
    dialog.get_by_label("Reason").fill("The file moves to the wiki")
    dialog.get_by_role("button", name="Accept task").click()

    expect(pill(page)).to_have_text("Accepted")
    expect(page.locator(".evidence-card")).to_contain_text("The file moves to the wiki")
    assert shop.state(task) == "accepted"


def test_a_review_shows_what_to_judge_and_is_approved_or_sent_back(page: Page, house: House, shop: Shop) -> None:
    checks = [{**READY, "tests": ["README.md"]}]
    _, task = shop.begin(*checks, review="person", acceptance=["The README says ready"])
    (shop.repository / "README.md").write_text("ready\n")
    assert shop.report(task).result().status == 200
    house.go(page, "/")
    need = page.locator(".need").filter(has_text="Review: Sort").first
    expect(need.get_by_role("button")).to_have_count(0)  # nothing is approved unseen
    need.get_by_role("link", name="Review: Sort").first.click()
    card = page.get_by_role("article", name="Review: Sort")
    expect(card).to_contain_text("Sort what is there.")
    expect(card).to_contain_text("The README says ready")
    expect(card).to_contain_text("The agent changed files that its work is judged by: README.md.")
    expect(card.locator(".patch:not(.first-hunk)")).to_contain_text("ready")
    expect(row(page, "ready")).to_contain_text("Passed")
    connected(page)

    card.get_by_role("button", name="Take over…").click()
    expect(page.locator("dialog[open]")).to_contain_text(f"mission shell {task}")
    page.keyboard.press("Escape")
    card.get_by_role("button", name="Comment on README.md:1", exact=True).click()
    page.keyboard.type("Say since when")
    page.keyboard.press("Enter")
    expect(card.get_by_label("Comments on lines")).to_contain_text("README.md:1 Say since when")
    card.get_by_role("textbox", name="Send back").fill("Nearly there")
    card.get_by_role("button", name="Send back").click()
    card.get_by_role("button", name="Send now").click()
    expect(card).to_have_count(0)
    assert shop.state(task) == "ready"
    [answered] = shop.call("queue_list", task_id=task, state="answered")["items"]
    assert answered["answer"] == "Nearly there\n\nREADME.md:1 — Say since when"

    shop.call("start_task", task_id=task, repository_path=str(shop.repository))
    (shop.repository / "README.md").write_text("ready since May\n")
    assert shop.report(task).result().status == 200
    expect(card.locator(".patch:not(.first-hunk)")).to_contain_text("since May")
    answer(card, "Approve", "Approve")
    expect(card).to_have_count(0)
    house.go(page, f"/tasks/{task}")
    expect(pill(page)).to_have_text("Proved")


def test_a_proposed_command_is_shown_exactly_and_approved(page: Page, house: House, shop: Shop) -> None:
    _, task = shop.begin(name="Wash")
    agent = shop.call("agent_register", name="ada", runtime="codex", role="worker")["id"]
    shop.call("task_release", task_id=task, agent_id=agent)
    shop.call("task_claim", task_id=task, agent_id=agent)
    proposed = {"name": "wash", "run": "printf 'a  b'  && true", "env": {"SOAP": "1"}}
    shop.call("checks_set", scope="task", id=task, checks=[proposed], agent_id=agent)
    [item] = shop.call("queue_list", task_id=task)["items"]
    house.go(page, f"/inbox?item={item['id']}")
    card = page.get_by_role("article", name="Allow 1 command as a check for 'Wash'?")
    connected(page)
    command = card.get_by_role("region", name="Command for wash")
    assert command.text_content() == "SOAP=\"1\"\nprintf 'a  b'  && true"
    answer(card, "Approve", "Approve")
    expect(card).to_have_count(0)
    [check] = shop.call("checks_list", scope="task", id=task)["checks"]
    assert check["approval"] == "approved"


def test_the_checks_of_a_mission_are_suggested_edited_and_kept(page: Page, house: House, shop: Shop) -> None:
    (shop.repository / "Makefile").write_text("test:\n\t@echo tested\n")
    mission, _ = shop.begin(name="Count")
    house.go(page, f"/missions/{mission}?view=checks")
    own = page.locator(".checks").first
    connected(page)
    own.get_by_role("button", name="Suggest checks").click()
    expect(own.locator(".suggested")).to_contain_text("passes today")
    own.get_by_role("button", name="Add", exact=True).first.click()
    own.get_by_role("button", name="Add check").click()
    own.get_by_label("Command").last.fill("true")
    own.get_by_role("button", name="Save checks").click()
    expect(own.get_by_role("button", name="Save checks")).to_have_count(0)

    checks = shop.call("checks_list", scope="mission", id=mission)["checks"]
    assert [check["definition"]["run"] for check in checks] == ["make test", "true"]

    final = page.locator(".checks").nth(1)
    final.get_by_role("button", name="Add check").click()
    final.get_by_label("Command").fill("make e2e")
    final.get_by_role("button", name="Save checks").click()
    expect(final.get_by_role("button", name="Save checks")).to_have_count(0)
    kept = shop.call("checks_list", scope="mission", id=mission)
    assert [check["definition"]["run"] for check in kept["final_checks"]] == ["make e2e"]
    assert len(kept["checks"]) == 2


def test_evidence_reviews_and_checks_have_no_barriers_and_fit_every_screen(
    wide: BrowserContext, narrow: BrowserContext, house: House, shop: Shop, chromium: Chromium
) -> None:
    long = {"name": "long", "run": "echo " + "word" * 60 + "; grep -q ready README.md"}
    mission, task = shop.begin(long, READY, name="Fit", review="person", acceptance=["It fits"])
    (shop.repository / "README.md").write_text("ready\n")
    shop.report(task).result()
    [item] = shop.call("queue_list", mission_id=mission)["items"]
    for context in (wide, narrow):
        page = context.new_page()
        page.add_init_script(chromium.axe)
        for path in (f"/tasks/{task}", f"/inbox?item={item['id']}", f"/missions/{mission}?view=checks"):
            house.go(page, path)
            connected(page)
            marks = page.locator(".checks-form, [data-check=long]")
            expect(marks.first).to_be_visible()
            if page.get_by_role("button", name="Show details for long").count():
                page.get_by_role("button", name="Show details for long").click()
                expect(page.get_by_role("region", name="Output of long")).to_be_visible()
            assert page.evaluate(CUT) == []
            assert page.evaluate(BARRIERS) == []
        page.close()
