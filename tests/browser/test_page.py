"""The page as a person uses it: a real browser, a real server, a thousand missions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mission.settings import Settings
from tests.browser.conftest import PATIENCE, House
from tests.transports.live_server import serving


def connected(page: Page) -> None:
    """Wait until events reach the page."""
    expect(page.locator("[data-connection=live]")).to_be_attached()


def test_a_browser_without_session_is_told_what_to_run_and_a_code_signs_it_in_once(
    browser: Browser, house: House
) -> None:
    context = browser.new_context()
    page = context.new_page()
    house.go(page, "/missions")
    expect(page.get_by_text("mission open", exact=True)).to_be_visible()

    code = house.live.request("POST", "/api/session", b"").json["code"]
    house.go(page, f"/open#{code}")
    expect(page.get_by_role("heading", name="Now", level=1)).to_be_visible()

    context.clear_cookies()
    house.go(page, f"/open#{code}")
    expect(page.get_by_role("alert")).to_contain_text("already used")
    context.close()


def test_now_shows_what_waits_what_runs_and_takes_an_answer_on_the_row(page: Page, house: House) -> None:
    house.go(page, "/")
    row = page.locator(".need").filter(has_text="Refund after period close")
    expect(page.locator(".need").first).to_contain_text("Refund after period close")
    expect(row).to_contain_text("critical path")
    expect(row).to_contain_text("blocks 5 tasks")
    expect(page.get_by_role("link", name="Backfill 2019–2026 postings", exact=True)).to_be_visible()
    expect(page.locator(".finished li").first).to_be_visible()
    connected(page)

    row.get_by_role("button", name="Reverse").click()
    expect(row.get_by_text(re.compile(r"sent to ledger-.* in \d s"))).to_be_visible()
    row.get_by_role("button", name="Undo").click()
    row.get_by_role("button", name="Post new").click()
    row.get_by_role("button", name="Send now").click()

    expect(row).to_have_count(0)
    expect(page.get_by_text(re.compile("sent to ledger-.*not read yet"))).to_be_visible()
    answered = house.live.call("queue_list", {"state": ["answered"]})["items"]
    assert ("Post a new entry in the open month", 1) in [(item["answer"], item["choice"]) for item in answered]

    expect(page.get_by_role("img", name=re.compile("at work now.*first unanswered"))).to_be_visible()
    failed = page.locator(".need").filter(has_text="Focus trap test failed 3 times")
    failed.get_by_role("button", name="Retry").click()
    failed.get_by_role("button", name="Send now").click()
    expect(failed).to_have_count(0)
    [closed] = [
        each for each in house.live.call("queue_list", {"state": ["answered"]})["items"] if each["kind"] == "escalation"
    ]
    assert house.live.call("task_get", {"id": closed["task_id"]})["status"] == "pending"


PLACES = """row => new Promise(resolve => {
  const seen = [];
  const look = () => {
    seen.push(row.getBoundingClientRect().top);
    if (seen.length < 30) requestAnimationFrame(look);
    else resolve(seen);
  };
  look();
})"""
"""Where a row is, frame by frame."""


def test_a_row_stays_where_it_is_while_its_answer_is_held_back(page: Page, house: House) -> None:
    house.go(page, "/")
    row = page.locator(".need").filter(has_text="No replication slot left")
    connected(page)

    row.get_by_role("button", name="Resolve").click(position={"x": 5, "y": 1})
    expect(row.get_by_text(re.compile(r"in \d s"))).to_be_visible()
    pointed_at = row.evaluate(PLACES)
    page.get_by_role("heading", name="Now", level=1).hover()
    left = row.evaluate(PLACES)
    row.get_by_role("button", name="Undo").click()

    assert len({*pointed_at, *left}) == 1
    expect(row.get_by_role("button", name="Resolve")).to_be_visible()


def test_missions_are_filtered_in_the_address_opened_by_keys_and_appear_as_they_are_made(
    page: Page, house: House
) -> None:
    house.go(page, "/missions?show=all")
    rows = page.locator(".mission-row[aria-rowindex]")
    expect(rows.first).to_be_visible()
    expect(page.get_by_text(re.compile(r"1.0\d\d shown"))).to_be_visible()
    assert rows.count() < 100  # the rest is drawn when it comes into sight

    page.get_by_label("Filter missions").fill("double-entry")
    expect(page).to_have_url(re.compile(r"q=double-entry"))
    expect(rows).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Filter missions")).to_have_value("double-entry")
    expect(rows).to_have_count(1)
    connected(page)

    house.live.mission("A second double-entry mission")
    expect(rows).to_have_count(2)
    expect(rows.last).to_contain_text("A second double-entry mission")  # the other one needs a person

    page.get_by_role("heading", name="Missions", level=1).click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".mission-row[data-chosen]")).to_contain_text("A second double-entry mission")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="A second double-entry mission", level=1)).to_be_visible()


def test_a_mission_is_seen_as_graph_board_timeline_and_journal_and_saved(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['mission']}")
    expect(page.locator(".node")).to_have_count(24)
    assert page.locator(".node[data-critical]").count() > 3

    page.get_by_role("button", name=re.compile("^Payouts post entries ?: Working")).click()
    panel = page.get_by_role("complementary", name="Task Payouts post entries")
    expect(panel.get_by_text("Reconcile with bank files")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)

    views = page.get_by_role("navigation", name="Views of this mission")
    views.get_by_role("link", name="Board").click()
    expect(page.get_by_role("region", name="Board").get_by_text("Balance API reads ledger")).to_be_visible()
    page.keyboard.press("]")
    expect(page.get_by_role("button", name=re.compile("^Seed chart of accounts: Working"))).to_be_visible()
    views.get_by_role("link", name="Journal").click()
    expect(page.get_by_text("How is a half cent rounded?")).to_be_visible()
    connected(page)
    house.live.call("log_milestone", {"task_id": house.ids["task"], "message": "Settled without a rest"})
    expect(page.get_by_text("Settled without a rest")).to_be_visible()

    for name, ending, start in (("Markdown", "md", "# Move"), ("HTML", "html", "<!doctype"), ("JSON", "json", "{")):
        page.get_by_text("Export", exact=True).click()
        with page.expect_download(timeout=PATIENCE) as saving:
            page.get_by_role("button", name=name).click()
        assert saving.value.suggested_filename == f"move-billing-to-a-double-entry-ledger.{ending}"
        assert saving.value.path().read_text().startswith(start)


def test_a_graph_of_five_hundred_tasks_shows_each_as_one_glyph_and_the_critical_path(page: Page, house: House) -> None:
    house.go(page, f"/missions/{house.ids['large']}")

    expect(page.locator(".node.as-glyph")).to_have_count(500)
    expect(page.locator(".graph-scene path.critical").first).to_be_attached()
    page.get_by_role("button", name="Critical path", exact=True).click()
    expect(page.locator(".node.as-full")).to_have_count(5)


@pytest.fixture
def settings(tmp_path: Path, _sqlite_template: Path) -> Settings:
    """Of a Mission Control in which nothing has happened yet."""
    made = Settings(home=tmp_path, host_id="test-host")
    shutil.copy(_sqlite_template, made.sqlite_path)
    return made


def test_an_empty_store_says_how_to_begin_and_after_a_restart_the_page_catches_up_without_reload_or_repeats(
    browser: Browser, settings: Settings
) -> None:
    context = browser.new_context()
    page = context.new_page()
    with serving(settings) as first:
        House(live=first, ids={}).sign_in(page)
        expect(page.get_by_text("No missions yet")).to_be_visible()
        expect(page.get_by_text("mission demo")).to_be_visible()
        House(live=first, ids={}).go(page, "/welcome")
        expect(page.get_by_text("No calls yet")).to_be_visible()
        mission = first.mission("Before the restart")
        expect(page.get_by_role("status").filter(has_text="start_mission")).to_be_visible()
        task = first.task(mission)
        House(live=first, ids={}).go(page, f"/missions/{mission}?view=journal")
        expect(page.get_by_text("No entries yet")).to_be_visible()
        connected(page)
        page.evaluate("window.stayed = true")
    expect(page.get_by_text("Not connected since")).to_be_visible()

    with serving(settings, port=first.port) as second:
        second.call("log_milestone", {"task_id": task, "message": "Said while the page was away"})
        expect(page.get_by_text("Said while the page was away")).to_have_count(1)
        connected(page)
        second.call("log_milestone", {"task_id": task, "message": "Said afterwards"})
        expect(page.get_by_text("Said afterwards")).to_have_count(1)
        expect(page.locator(".entries > li")).to_have_count(2)
        assert page.evaluate("window.stayed") is True
        context.close()


def test_words_of_an_agent_are_never_markup(page: Page, house: House) -> None:
    name = "<img src=x onerror=alert(1)> <b>bold</b>"
    mission = house.live.mission(name)
    house.go(page, f"/missions/{mission}")

    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    assert page.locator("h1 img, h1 b").count() == 0


def test_keys_lead_from_place_to_place(page: Page, house: House, wide: BrowserContext) -> None:
    house.go(page, "/")
    expect(page.get_by_role("heading", name="Now", level=1)).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="Missions", level=1)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
