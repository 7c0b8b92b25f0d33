"""Every page and dialog, wide and narrow, light and dark: no barrier that axe knows, nothing cut at the right edge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House

LEDGER = "Move billing to a double-entry ledger"
PAGES = {
    "now": ("/", "Now"),
    "missions": ("/missions?show=all", "Missions"),
    "graph": ("/missions/{mission}", LEDGER),
    "board": ("/missions/{mission}?view=board&below=timeline", LEDGER),
    "journal": ("/missions/{mission}?view=journal&below=changes&task={task}", LEDGER),
    "agents of a mission": ("/missions/{mission}?view=agents&below=plan", LEDGER),
    "checks of a mission": ("/missions/{mission}?view=checks", LEDGER),
    "large": ("/missions/{large}", "Mission 0000: split the bundle"),
    "odd names": ("/missions/{odd}", "‏مهمة ‎<b>طويلة</b>"),
    "search": ("/search?q=postings", "Search"),
    "empty search": ("/search", "Search"),
    "inbox": ("/inbox", "Inbox"),
    "answered": ("/inbox?show=answered", "Inbox"),
    "mail": ("/inbox?show=mail", "Inbox"),
    "task": ("/tasks/{task}", "Payouts post entries"),
    "odd task": ("/tasks/{odd_task}", "n" * 120),
    "runs": ("/runs", "Runs"),
    "executions": ("/executions", "Executions"),
    "agents": ("/agents?show=all", "Agents"),
    "workspaces": ("/workspaces", "Workspaces"),
    "templates": ("/templates", "Templates"),
    "audit": ("/audit?own=1", "Audit"),
    "settings": ("/settings", "Settings"),
    "welcome": ("/welcome", "Connect an agent"),
    "nowhere": ("/no/such/page", "Page not found"),
}
DIALOGS = {
    "run agents": ("/", "Run agents…", "Run agents on ready tasks"),
    "new mission": ("/", "New mission", "New mission"),
    "launch": ("/executions", "Launch", "Launch an agent"),
    "run": ("/missions/{mission}", "Run…", f"Run “{LEDGER}”"),
    "add task": ("/missions/{mission}", "Add task", "Add a task"),
}
CUT = """() => {
  const room = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth > room ? ["the page itself"] : [];
  for (const table of document.querySelectorAll("table, [role=table], .card, dialog[open]"))
    if (table.getBoundingClientRect().right > room + 1 && !table.closest("[data-scrolls]"))
      wide.push(table.className || table.tagName);
  return wide;
}"""
BARRIERS = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  const places = (each) => each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ");
  return found.violations.map((each) => `${each.id}: ${places(each)}`);
}"""
ZOOMED = {"width": 720, "height": 500}
"""What is left of a desk at 200 % zoom."""


@pytest.fixture(scope="module")
def ids(house: House) -> dict[str, str]:
    """The ids of the house, and of a mission with names that read from right to left or never break."""
    odd = house.live.mission("‏مهمة ‎<b>طويلة</b>")
    task = house.live.task(odd, "n" * 120)
    house.live.task(odd, "שלום ".strip() * 30)
    return {**house.ids, "odd": odd, "odd_task": task}


@pytest.fixture(scope="module")
def screens(wide: BrowserContext, narrow: BrowserContext, chromium: Chromium) -> Iterator[list[Page]]:
    """A page on the desk and one on the phone, for all tests: each new one would be a process more."""
    pages = [wide.new_page(), narrow.new_page()]
    for page in pages:
        page.add_init_script(chromium.axe)
    yield pages
    for page in pages:
        page.close()


def check(page: Page) -> None:
    """No barrier in light and in dark, and nothing cut."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert page.evaluate(CUT) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate(BARRIERS) == [], scheme


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_barriers_and_fits_its_screen(
    name: str, screens: list[Page], house: House, ids: dict[str, str]
) -> None:
    path, title = PAGES[name]
    for page in screens:
        house.go(page, path.format(**ids))
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        check(page)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_at_twice_the_size(name: str, screens: list[Page], house: House, ids: dict[str, str]) -> None:
    path, title = PAGES[name]
    page = screens[0]
    before = page.viewport_size
    page.set_viewport_size(ZOOMED)  # type: ignore[arg-type]
    house.go(page, path.format(**ids))
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    found = page.evaluate(CUT)
    page.set_viewport_size(before)  # type: ignore[arg-type]
    assert found == []


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_has_no_barriers_and_fits_its_screen(
    name: str, screens: list[Page], house: House, ids: dict[str, str]
) -> None:
    path, button, title = DIALOGS[name]
    for page in screens:
        house.go(page, path.format(**ids))
        page.get_by_role("button", name=button, exact=True).first.click()
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        check(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name=title)).to_have_count(0)


def test_the_list_of_keys_has_no_barriers(screens: list[Page], house: House) -> None:
    for page in screens:
        house.go(page, "/")
        expect(page.locator("[data-connection=live]")).to_be_attached()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        check(page)


def test_a_screen_reader_hears_what_changed(screens: list[Page], house: House) -> None:
    page = screens[0]
    house.go(page, "/settings")
    expect(page.locator("[data-connection=live]")).to_be_attached()
    task = house.live.task(house.live.mission("Heard"), "Speak up")
    outcome = {"status": "success", "outcome": {"summary": "done"}}
    house.live.call("complete_task", {"task_id": task, **outcome})
    expect(page.locator("[data-announcements]")).to_have_text("Task finished: Speak up")


def test_the_first_tab_skips_to_the_content(screens: list[Page], house: House) -> None:
    page = screens[0]
    house.go(page, "/missions")
    expect(page.locator("[data-connection=live]")).to_be_attached()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
