"""A task as a cockpit: its question, terminal, changes and attempts in one place; agents' markers in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.sample_agents import SampleAgents, plant_agents
from tests.browser.test_accessibility import BARRIERS, CUT
from tests.browser.test_page import connected


@pytest.fixture(scope="module")
def planted(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SampleAgents, dict[str, str]]]:
    agents, ids = plant_agents(house.live, tmp_path_factory.mktemp("agents"))
    yield agents, ids
    agents.stop()


@pytest.fixture
def ids(planted: tuple[SampleAgents, dict[str, str]]) -> dict[str, str]:
    return planted[1]


def test_a_task_shows_question_terminal_changes_cost_and_failed_attempts(
    page: Page, narrow: BrowserContext, house: House, ids: dict[str, str], chromium: Chromium
) -> None:
    phone = narrow.new_page()
    for screen in (page, phone):
        house.go(screen, f"/tasks/{ids['asking_task']}")
        card = screen.get_by_role("article", name="Should the export have a header line?")
        expect(card.get_by_role("radio", name="No")).to_be_visible()
        tail = screen.locator(".last-lines")
        expect(tail).to_contain_text("◇ Wrote the handler")
        expect(tail).to_contain_text("? asks: Should the export have a header line? (1 Yes · 2 No · 3 Something else)")
        expect(tail.get_by_role("link", name="Open terminal")).to_have_attribute("href", f"/executions/{ids['asking']}")
        figures = screen.locator(".task-figures")
        expect(figures).to_contain_text("$3.54")
        expect(figures).to_contain_text("2 files")
        expect(screen.locator(".last-signal")).to_contain_text("Wrote the handler")
        expect(screen.locator(".task-files")).to_contain_text("1 outside its areas: notes.txt")
        attempts = screen.locator(".attempts li")
        expect(attempts).to_have_count(2)
        expect(attempts.last).to_contain_text("The fixtures need a Redis that is not there")
        expect(screen.locator(".owner")).to_contain_text(
            re.compile("Depends on.*nothing.*Unblocks.*Document the export")
        )
        expect(screen.get_by_text("Fence", exact=True)).to_be_hidden()
        assert "agentExecutionId" not in screen.locator("main").inner_text()

        screen.get_by_text("Details", exact=True).click()
        expect(screen.get_by_text("Fence", exact=True)).to_be_visible()
        expect(screen.get_by_text("Context for agents")).to_be_visible()
        screen.evaluate(chromium.axe)
        assert screen.evaluate(CUT) == []
        assert screen.evaluate(BARRIERS) == []
    phone.close()


def test_a_waiting_task_says_what_it_waits_for_and_the_panel_is_the_task_in_short(
    page: Page, house: House, ids: dict[str, str]
) -> None:
    house.go(page, f"/tasks/{ids['waiting_task']}")
    waiting = page.locator(".not-started")
    expect(waiting).to_contain_text("Waiting for other tasks")
    expect(waiting.get_by_role("link", name="Write the exporter")).to_be_visible()

    house.go(page, f"/missions/{ids['exports']}?view=board&task={ids['asking_task']}")
    panel = page.get_by_role("complementary", name="Task Write the exporter")
    expect(panel.get_by_role("article", name="Should the export have a header line?")).to_be_visible()
    expect(panel.locator(".last-lines")).to_contain_text("? asks:")
    expect(panel).to_contain_text("The fixtures need a Redis that is not there")
    expect(panel).to_contain_text("1 outside its areas")
    expect(panel.get_by_role("heading", name="Unblocks")).to_be_visible()


def test_markers_are_words_in_tiles_terminals_and_replays(page: Page, house: House, ids: dict[str, str]) -> None:
    house.go(page, f"/executions?mission={ids['exports']}")
    tile = page.locator(".tile").filter(has_text="exporter-2")
    expect(tile.locator("pre")).to_contain_text("◇ Wrote the handler")
    expect(tile).to_contain_text("Should the export have a header line?")
    expect(page.locator(".tile")).to_have_count(2)
    expect(page.get_by_role("combobox", name="Mission")).to_have_value(ids["exports"])
    assert "@task::" not in page.locator(".tiles").inner_text()

    house.go(page, f"/executions/{ids['failed']}")
    screen = page.locator(".terminal .xterm-rows")
    expect(screen).to_contain_text("✗ reports failure: The fixtures need a Redis that is not there")
    connected(page)
    page.get_by_role("button", name="Replay").click()
    page.get_by_label("Position").press("End")
    expect(screen).to_contain_text("◇ Looking for the fixtures")
    assert "@task::" not in screen.inner_text()
    signals = page.locator(".signals").first
    expect(signals).to_contain_text("Reports failure The fixtures need a Redis that is not there")
    expect(signals).not_to_contain_text(re.compile("promoted|recorded-only|accepted"))


def test_a_question_is_answered_in_the_detail_of_its_execution(
    page: Page, house: House, planted: tuple[SampleAgents, dict[str, str]]
) -> None:
    agents, ids = planted
    house.go(page, f"/executions/{ids['asking']}")
    card = page.get_by_role("article", name="Should the export have a header line?")
    expect(card.get_by_role("radio", name="Yes")).to_be_visible()
    connected(page)
    card.locator("label").filter(has_text="Yes").click()
    card.get_by_role("button", name="Send").click()
    card.get_by_role("button", name="Send now").click()

    expect(page.locator(".terminal .xterm-rows")).to_contain_text("Yes, with a header line")
    agents.until(ids["asking"], lambda found: found["status"] == "running")
    expect(card).to_have_count(0)
