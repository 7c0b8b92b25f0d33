"""The first visit: a client is found, connected after a look at the change, and its first call arrives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mission.settings import Settings
from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.test_accessibility import BARRIERS, CUT
from tests.fake_mission_program import use_home, write_client, write_program, write_server
from tests.transports.live_server import Live, serving


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home: Claude Code is installed and has a configuration."""
    home = tmp_path / "home"
    home.mkdir()
    program = write_server(tmp_path / "bin")
    write_client(program.parent, "claude", version="2.1.325")
    use_home(monkeypatch, home, program=program)
    (home / ".claude.json").write_text('{\n  "theme": "dark"\n}\n')
    return home


@pytest.fixture
def live(tmp_path: Path, home: Path, _sqlite_template: Path) -> Iterator[Live]:
    settings = Settings(home=tmp_path / "mission", host_id="test-host")
    settings.home.mkdir()
    shutil.copy(_sqlite_template, settings.sqlite_path)
    with serving(settings) as running:
        yield running


@pytest.fixture(params=["wide", "narrow"])
def visit(request: pytest.FixtureRequest, browser: Browser, live: Live, chromium: Chromium) -> Iterator[Page]:
    size = {"width": 1440, "height": 1000} if request.param == "wide" else {"width": 390, "height": 844}
    context = browser.new_context(
        viewport=size, permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce"
    )
    page = context.new_page()
    page.add_init_script(chromium.axe)
    House(live=live, ids={}).sign_in(page)
    page.get_by_role("link", name="Connect an agent").click()
    yield page
    context.close()


def test_a_client_is_connected_with_a_click_after_the_difference_is_shown(visit: Page, home: Path, live: Live) -> None:
    line = visit.get_by_role("list", name="Installed clients").get_by_role("listitem")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("Claude Code 2.1.325")
    expect(line).to_contain_text("Not connected")
    expect(visit.get_by_text("Not installed: Codex")).to_be_visible()

    line.get_by_role("button", name="Connect…").click()
    dialog = visit.get_by_role("dialog", name="Connect Claude Code")
    expect(dialog.locator("tr.added").first).to_be_visible()
    expect(dialog).to_contain_text('"mission": {')
    assert "mission" not in json.loads((home / ".claude.json").read_text())
    assert visit.evaluate(CUT) == []
    assert visit.evaluate(BARRIERS) == []

    dialog.get_by_role("button", name="Write this and connect").click()
    expect(visit.get_by_role("dialog", name="Claude Code is connected")).to_contain_text("listed 2 tools")
    visit.get_by_role("button", name="Done").click()
    expect(line).to_contain_text("Connected")
    written = json.loads((home / ".claude.json").read_text())
    assert written["theme"] == "dark"
    assert written["mcpServers"]["mission"]["args"] == ["mcp"]
    live.run(live.app.gateway.audit.flush())
    [entry] = live.call("audit_list", {"tool": "client_connect"})["entries"]
    assert entry["status"] == "ok"


def test_a_refusal_is_shown_and_nothing_is_left_behind(visit: Page, home: Path) -> None:
    write_program(home.parent / "bin", "mission", "#!/bin/sh\necho 'out of order' >&2\nexit 3\n")
    visit.get_by_role("button", name="Connect…").click()
    visit.get_by_role("button", name="Write this and connect").click()

    expect(visit.get_by_role("alert")).to_contain_text("out of order")
    assert json.loads((home / ".claude.json").read_text()) == {"theme": "dark"}


def test_a_prompt_is_copied_and_the_first_call_arrives_without_a_reload(visit: Page, live: Live) -> None:
    visit.get_by_role("button", name="Copy").first.click()
    assert "Mission Control" in visit.evaluate("navigator.clipboard.readText()")
    expect(visit.get_by_text("mission demo", exact=True)).to_be_visible()
    expect(visit.get_by_text("No calls yet")).to_be_visible()
    live.mission("The first one")
    expect(visit.get_by_role("status").filter(has_text="start_mission")).to_be_visible()
    assert visit.evaluate(BARRIERS) == []
