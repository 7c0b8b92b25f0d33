"""A person steps in: answers, writes, types into a terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from mission.services.inbox import items as inbox
from mission.store.transaction import Tx
from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS
from tests.browser.test_page import connected
from tests.runtime.conftest import STANDIN

CHOICES = [
    {"kind": "fixed", "label": "Keep them", "value": "Keep the old keys"},
    {"kind": "manual", "label": "Something else", "placeholder": "Say what"},
]


def ask(house: House, subject: str, **more: Any) -> str:
    """A question of the agent at work on a task, as its signal opens it; its id."""

    def asked(tx: Tx) -> str:
        return inbox.open_item(tx, kind="question", subject=subject, choices=CHOICES, **more).id

    return str(house.live.run(house.live.app.database.write(asked)))


def test_a_question_is_answered_by_keys_alone_by_choice_and_in_words(page: Page, house: House) -> None:
    first = ask(house, "Keep the old keys?", task_id=house.ids["task"])
    second = ask(house, "Which locale do the tests use?", task_id=house.ids["task"])
    house.go(page, f"/inbox?item={first}")
    card = page.get_by_role("article", name="Keep the old keys?")
    expect(card.get_by_role("radio", name="Keep them")).to_be_visible()
    expect(page.locator(".holds-up").get_by_role("link", name="Reconcile with bank files: Waiting")).to_be_visible()
    connected(page)

    card.get_by_role("heading").hover()  # while the pointer is on it, an answer can be taken back
    page.keyboard.press("1")
    expect(card.get_by_role("radio", name="Keep them")).to_be_checked()
    page.keyboard.press("Enter")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    page.keyboard.press(".")
    expect(card.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card.get_by_role("radio", name="Keep them")).to_be_checked()
    card.get_by_role("heading").click()
    page.keyboard.press("Enter")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    page.keyboard.press(".")
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="Send now")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_have_count(0)

    house.go(page, f"/inbox?item={second}")
    card = page.get_by_role("article", name="Which locale do the tests use?")
    card.get_by_role("heading").hover()
    page.keyboard.press("e")
    expect(card.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("de-CH, as in 1 of 3")
    page.keyboard.press("Enter")
    card.get_by_role("button", name="Send now").click()
    expect(card).to_have_count(0)

    answers = {item["id"]: item for item in house.live.call("queue_list", {"state": ["answered"]})["items"]}
    assert (answers[first]["answer"], answers[first]["choice"]) == ("Keep the old keys", 1)
    assert (answers[second]["answer"], answers[second]["choice"]) == ("de-CH, as in 1 of 3", 2)
    page.get_by_role("button", name="Answered", exact=True).click()
    expect(page).to_have_url(re.compile("show=answered"))
    answered = page.get_by_role("region", name="Answered", exact=True)
    expect(answered.get_by_text("de-CH, as in 1 of 3").first).to_be_visible()


def test_a_task_is_added_given_to_an_agent_taken_back_tried_again_and_skipped(page: Page, house: House) -> None:
    house.go(page, "/missions")
    page.get_by_role("button", name="New mission").click()
    page.get_by_label("Name").fill("Tidy the shed")
    page.get_by_role("dialog").get_by_role("button", name="Start mission").click()
    expect(page.get_by_role("heading", name="Tidy the shed", level=1)).to_be_visible()
    page.get_by_role("button", name="Add task").click()
    page.get_by_label("Name").fill("Sort tools")
    page.get_by_role("dialog").get_by_role("button", name="Add task").click()
    page.get_by_role("button", name=re.compile("^Sort tools")).first.click()
    page.get_by_role("link", name="Open task").click()
    expect(page.get_by_role("heading", name="Sort tools", level=1)).to_be_visible()
    connected(page)
    task = page.url.rpartition("/")[2]
    agent = house.live.call("agent_register", {"name": "ivy", "runtime": "codex", "role": "worker"})["id"]
    owner = page.locator(".owner")

    page.get_by_role("button", name="Assign").click()
    page.locator("dialog[open] select").select_option(agent)
    page.locator("dialog[open]").get_by_role("button", name="Assign").click()
    expect(owner.get_by_role("link", name="ivy")).to_be_visible()
    page.get_by_role("button", name="Release").click()
    expect(owner).to_contain_text("none yet")

    house.live.call("task_claim", {"task_id": task, "agent_id": agent})
    for status in ("in_progress", "failed"):
        house.live.call("task_update_status", {"id": task, "status": status, "error": "It jams", "agent_id": agent})
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".page-head .pill")).to_have_text("Skipped")
    assert house.live.call("task_get", {"id": task})["status"] == "skipped"


def test_mail_to_the_person_is_read_as_a_thread_and_replied_to(page: Page, house: House) -> None:
    house.go(page, "/inbox?show=mail")
    connected(page)
    agent = house.live.call("agent_list", {})["agents"][0]
    letter = {"sender_id": agent["id"], "recipient_id": "human", "message_type": "query", "subject": "Night run?"}
    house.live.call("message_send", {**letter, "body": "<b>May it go on?</b>"})

    expect(page.locator(".letter").get_by_text("<b>May it go on?</b>")).to_be_visible()
    page.get_by_label(re.compile("^Message to")).fill("It may.")
    page.keyboard.press("Enter")

    expect(page.locator(".letter").filter(has_text="You").get_by_text("It may.")).to_be_visible()


def test_a_terminal_is_typed_into_stopped_and_shown_again_afterwards(
    page: Page, house: House, repository: Path, chromium: Chromium
) -> None:
    started = house.live.call("start_mission", {"name": "Shop", "objective": "o", "repository_path": str(repository)})
    plan = {"id": started["mission_id"], "tasks": [{"name": "Sort", "description": "d", "sequence": 1}]}
    task = house.live.call("workflow_add_tasks", plan)["task_ids"][0]
    program = {"adapter": "command", "arguments": [sys.executable, "-u", STANDIN, "echo"], "interactive": True}
    execution = house.live.call("execution_launch", {"task_id": task, **program})["id"]
    house.go(page, f"/executions/{execution}")
    terminal = page.locator(".terminal")
    expect(page.locator(".terminal[data-state=typing]")).to_be_visible()
    expect(terminal.locator(".xterm-rows")).to_contain_text("size")
    connected(page)
    expect(page.locator(f".fleet-strip a[href='/executions/{execution}']")).to_be_attached()

    page.evaluate(chromium.axe)
    assert page.evaluate(BARRIERS) == []

    terminal.locator(".xterm-helper-textarea").focus()
    page.keyboard.type("hello")
    page.keyboard.press("Enter")
    expect(terminal.locator(".xterm-rows")).to_contain_text("you said hello")
    expect(page.locator(".tile[data-chosen] pre")).to_contain_text("you said hello")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop now").click()
    expect(page.locator(".terminal[data-state=ended]")).to_be_visible()
    expect(page.locator(".execution-head")).to_contain_text("Stopped")

    page.reload()
    expect(page.locator(".terminal[data-state=ended]")).to_be_visible()
    expect(terminal.locator(".xterm-rows")).to_contain_text("you said hello")
