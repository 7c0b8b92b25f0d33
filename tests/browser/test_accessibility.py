"""Every page, on a desk in light and on a phone in dark: no barrier that axe knows, nothing cut at the right edge."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House

PAGES = {
    "now": ("/", "Now"),
    "missions": ("/missions?show=all", "Missions"),
    "graph": ("/missions/{mission}", "Move billing to a double-entry ledger"),
    "board": ("/missions/{mission}?view=board&below=timeline", "Move billing to a double-entry ledger"),
    "journal": ("/missions/{mission}?view=journal&below=changes&task={task}", "Move billing to a double-entry ledger"),
    "agents of a mission": ("/missions/{mission}?view=agents&below=plan", "Move billing to a double-entry ledger"),
    "large": ("/missions/{large}", "Mission 0000: split the bundle"),
    "search": ("/search?q=postings", "Search"),
    "inbox": ("/inbox", "Inbox"),
    "answered": ("/inbox?show=answered", "Inbox"),
    "mail": ("/inbox?show=mail", "Inbox"),
    "task": ("/tasks/{task}", "Payouts post entries"),
    "executions": ("/executions", "Executions"),
    "agents": ("/agents?show=all", "Agents"),
    "workspaces": ("/workspaces", "Workspaces"),
    "templates": ("/templates", "Templates"),
    "audit": ("/audit?own=1", "Audit"),
    "settings": ("/settings", "Settings"),
    "welcome": ("/welcome", "Connect an agent"),
    "nowhere": ("/no/such/page", "Page not found"),
}
CUT = """() => {
  const room = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth > room ? ["the page itself"] : [];
  for (const table of document.querySelectorAll("table, [role=table], .card"))
    if (table.getBoundingClientRect().right > room + 1 && !table.closest("[data-scrolls]"))
      wide.push(table.className || table.tagName);
  return wide;
}"""
BARRIERS = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  const places = (each) => each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ");
  return found.violations.map((each) => `${each.id}: ${places(each)}`);
}"""


@pytest.fixture(scope="module")
def screens(wide: BrowserContext, narrow: BrowserContext, chromium: Chromium) -> list[Page]:
    """A page on the desk and one on the phone, for all tests: each new one would be a process more."""
    pages = [wide.new_page(), narrow.new_page()]
    for page in pages:
        page.add_init_script(chromium.axe)
    return pages


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_barriers_and_fits_its_screen(name: str, screens: list[Page], house: House) -> None:
    path, title = PAGES[name]
    for page in screens:
        house.go(page, path.format(**house.ids))
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)

        assert page.evaluate(CUT) == []
        assert page.evaluate(BARRIERS) == []
