"""The command palette: anything by a few letters, and actions, with the keyboard alone."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS, CUT
from tests.browser.test_page import connected


def opened(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Jump to or do")).to_be_focused()


def test_a_task_is_found_while_typing_and_opened_with_enter(page: Page, house: House) -> None:
    house.go(page, "/settings")
    connected(page)
    opened(page)
    page.keyboard.type("payouts po")
    expect(page.get_by_role("option", name=re.compile("^Payouts post entries .* task$"))).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/tasks/{house.ids['task']}$"))

    opened(page)
    expect(page.get_by_role("option", name=re.compile("^Answer"))).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("option", name=re.compile("^Payouts post entries"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox", name="Jump to or do")).to_have_count(0)


def test_the_top_question_is_one_key_away(page: Page, house: House) -> None:
    house.go(page, "/audit")
    connected(page)
    opened(page)
    expect(page.get_by_role("option", name=re.compile("^Answer · Refund after period close"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/inbox\\?item=q_"))
    expect(page.locator(".page").get_by_text("Refund after period close").first).to_be_visible()


def test_a_mission_is_paused_and_resumed_by_typing(page: Page, house: House) -> None:
    made = house.live.call("start_mission", {"name": "Greenhouse", "objective": "o"})
    house.live.call("start_task", {"name": "Water", "goal": "g", "mission_id": made["mission_id"]})
    house.go(page, "/")
    connected(page)
    for typed, word in (("pause gree", "Paused"), ("resume gree", "In progress")):
        opened(page)
        page.keyboard.type(typed)
        expect(page.get_by_role("option").first).to_contain_text("Greenhouse")
        page.keyboard.press("Enter")
        opened(page)
        page.keyboard.type("greenhouse")
        expect(page.get_by_role("option", name=re.compile(f"^Greenhouse {word} · mission"))).to_be_visible()
        page.keyboard.press("Escape")


def test_it_starts_a_mission_and_returns_the_focus(page: Page, house: House) -> None:
    house.go(page, "/")
    connected(page)
    opened(page)
    page.keyboard.type("new mi")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="New mission")
    expect(dialog.get_by_label("Name")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_one_letter_among_a_thousand_missions_is_answered_and_limited(page: Page, house: House) -> None:
    house.go(page, "/")
    connected(page)
    opened(page)
    with page.expect_response("**/api/tools/overview_find") as answered:
        page.keyboard.type("s")
    assert len(answered.value.json()["targets"]) == 20


def test_it_has_no_barriers_and_fits_wide_and_narrow(
    wide: BrowserContext, narrow: BrowserContext, house: House, chromium: Chromium
) -> None:
    for context in (wide, narrow):
        page = context.new_page()
        page.add_init_script(chromium.axe)
        house.go(page, "/")
        connected(page)
        opened(page)
        page.keyboard.type("ledger")
        expect(page.get_by_role("option", name=re.compile("^ledger-1 "))).to_be_visible()
        assert page.evaluate(CUT) == []
        assert page.evaluate(BARRIERS) == []
        page.close()


def test_on_a_phone_it_opens_from_the_menu_and_with_a_slash(narrow: BrowserContext, house: House) -> None:
    page = narrow.new_page()
    house.go(page, "/")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Jump to…").click()
    expect(page.get_by_role("combobox", name="Jump to or do")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Jump to or do")).to_be_focused()
    page.close()
