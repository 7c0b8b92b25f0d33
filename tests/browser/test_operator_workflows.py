"""A person runs the house: launches, steers and replays agents, applies a plan, clears up, goes away and comes back."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE, House, open_page
from tests.browser.tcp_proxy import line_to
from tests.browser.test_answering import ask
from tests.browser.test_page import connected

HOSTILE = r"""
import re
import signal, sys
signal.signal(signal.SIGINT, lambda *_: say("interrupted\r\n"))
say = lambda text: (sys.stdout.write(text), sys.stdout.flush())
say("\x1b]0;<b>Owned</b>\x07\x1b]52;c;aGVsbG8=\x07\x1b]8;;https://example.org/there\x07over here\x1b]8;;\x07\r\n")
say("\x1b[38;2;255;150;0morange\x1b[0m <img src=x onerror=alert(1)> \u2028\x85 \x1b[6n")
for line in sys.stdin:
    say("heard " + repr(line.strip()) + "\r\n")
"""
LOADED = "name => performance.getEntriesByType('resource').some(each => each.name.includes(name))"
TOLD = """
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, options) { document.body.dataset.told = options.body; }
};
"""


@pytest.fixture
def complaining(wide: BrowserContext) -> Iterator[Page]:
    """A page of which no part may be refused by its policy."""
    page = wide.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: "Security Policy" in said.text and complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert complaints == []


def press_link(page: Page, words: str) -> None:
    """The emulator's screen lies over its words, and knows a link only once the pointer is on it."""
    page.locator(".terminal .xterm-rows").get_by_text(words).hover(force=True)
    expect(page.locator(".xterm-cursor-pointer")).to_be_attached()
    page.mouse.down()
    page.mouse.up()


def test_an_agent_is_launched_steered_stopped_and_played_again_whatever_it_writes_to_its_terminal(
    complaining: Page, house: House, repository: Path
) -> None:
    page = complaining
    made = house.live.call("start_mission", {"name": "Nursery", "objective": "o", "repository_path": str(repository)})
    plan = {"id": made["mission_id"], "tasks": [{"name": "Sow", "description": "d", "sequence": 1}]}
    house.live.call("workflow_add_tasks", plan)
    program = repository.parent / "hostile.py"
    program.write_text(HOSTILE)
    house.go(page, "/executions")
    connected(page)

    page.get_by_role("button", name="Launch").click()
    form = page.get_by_role("dialog")
    form.get_by_role("combobox", name="Mission").select_option(label="Nursery")
    form.get_by_role("combobox", name="Ready task").select_option(label="Sow")
    form.get_by_role("combobox", name="Client").select_option("command")
    page.get_by_label("Program and arguments").fill(f"{sys.executable} -u {program}")
    form.get_by_role("button", name="Launch", exact=True).click()
    screen = page.locator(".terminal .xterm-rows")
    expect(screen).to_contain_text("<img src=x onerror=alert(1)>")
    expect(screen.get_by_text("orange")).to_have_css("color", "rgb(255, 150, 0)")
    expect(page.locator(".tile[data-chosen] pre").get_by_text("orange")).to_have_css("color", "rgb(255, 150, 0)")
    expect(page).to_have_title("Executions · Mission Control")
    assert page.locator(".terminal img").count() == 0

    there = "https://example.org/there"
    page.context.route(there, lambda asked: asked.fulfill(body="It leads here", content_type="text/plain"))
    told: list[str] = []
    page.on("dialog", lambda asked: (told.append(asked.message), asked.dismiss() if len(told) == 1 else asked.accept()))
    press_link(page, "over here")
    with page.expect_popup() as opening:
        press_link(page, "over here")
    expect(opening.value.get_by_text("It leads here")).to_be_visible()
    assert opening.value.evaluate("window.opener") is None
    opening.value.close()
    assert [there in each for each in told] == [True, True]

    steps = (("Nudge", "Report your progress"), ("Checkpoint", "Save a checkpoint"), ("Interrupt", "interrupted"))
    for button, seen in steps:
        page.get_by_role("button", name=button).click()
        expect(screen).to_contain_text(seen)
        expect(page.locator(".sent li").filter(has_text=button)).to_contain_text("delivered")
    page.get_by_label("Message to command").fill("Water them")
    page.get_by_role("button", name="Send").click()
    expect(screen).to_contain_text("heard 'Water them'")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop now").click()
    expect(page.locator(".terminal[data-state=ended]")).to_be_visible()
    page.get_by_role("button", name="Replay").click()
    page.get_by_label("Position").press("End")
    expect(screen).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.get_by_role("button", name="Replay")).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save", exact=True).click()
    assert saving.value.suggested_filename.endswith(".cast")
    assert saving.value.path().read_bytes().startswith(b'{"version": 2')


def test_a_template_becomes_a_mission_by_its_form_and_says_what_is_missing(page: Page, house: House) -> None:
    task = {"name": "Fix {{place}}", "description": "d", "sequence": 1}
    variables = [{"name": "place", "description": "Where it fails", "required": True}]
    template = {"tasks": [task], "variables": variables}
    made = house.live.call("template_create", {"name": "Mend", "description": "d", "template": template})
    house.go(page, f"/templates?template={made['id']}")
    connected(page)
    start = page.get_by_role("button", name="Start mission")

    page.get_by_label("Mission name").fill("Fix the gate")
    expect(start).to_be_disabled()
    page.get_by_label("place Where it fails").fill("the gate")
    expect(page.get_by_text("Fix the gate")).to_be_visible()
    page.get_by_label("Repository folder").fill("nowhere")
    start.click()
    expect(page.get_by_role("alert")).to_contain_text("repository_path")
    page.get_by_label("Repository folder").fill("")
    start.click()

    expect(page.get_by_role("heading", name="Fix the gate", level=1)).to_be_visible()


def test_a_workspace_is_removed_after_a_second_thought_and_its_work_is_kept(
    page: Page, house: House, repository: Path
) -> None:
    asked = {"name": "Paths", "source_type": "prompt", "source_content": "x", "repository_path": str(repository)}
    mission = house.live.call("workflow_create", asked)["id"]
    place = {"workflow_id": mission, "path": str(repository.parent / "paths"), "branch": "paths", "create": True}
    made = house.live.call("workspace_create", place)
    (Path(made["path"]) / "new.txt").write_text("not yet committed")
    house.go(page, "/workspaces")
    row = page.locator(".spaces > li").filter(has_text="paths")
    expect(row).to_contain_text("Uncommitted · 1 file")
    connected(page)
    expect(row.get_by_role("button", name="Remove", exact=True)).to_have_count(0)

    row.get_by_role("button", name="More about paths").click()
    expect(row).to_contain_text(made["path"])
    row.get_by_role("button", name="Remove", exact=True).click()
    row.get_by_role("button", name="Save work and remove").click()

    expect(row).to_have_count(0)
    page.get_by_role("button", name="Include removed").click()
    expect(row).to_contain_text("kept")
    assert not Path(made["path"]).exists()


def test_a_page_out_of_sight_notifies_of_what_waits_and_signing_out_ends_the_session_under_other_tabs_too(
    browser: Browser, house: House
) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.add_init_script(TOLD)
    house.sign_in(page)
    house.go(page, "/settings")
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notifications are on")).to_be_visible()
    connected(page)

    page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })")
    ask(house, "Shall the pumps run at night?", task_id=house.ids["task"])
    expect(page.locator("body")).to_have_attribute("data-told", "Shall the pumps run at night?")
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("^data:image/svg"))

    other = context.new_page()
    house.go(other, f"/missions/{house.ids['mission']}?view=journal")
    connected(other)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("This browser is not signed in")).to_be_visible()
    expect(other.get_by_text("mission open", exact=True)).to_be_visible()
    expect(other).to_have_url(re.compile("view=journal"))
    house.sign_in(page)  # the other tab hears of it
    expect(other.get_by_text("How is a half cent rounded?")).to_be_visible()
    context.close()


def test_a_cut_line_and_one_that_died_in_a_sleep_are_noticed_and_caught_up_on_without_reload_or_repeats(
    browser: Browser, house: House
) -> None:
    mission = house.live.mission("Far away")
    task = house.live.task(mission)

    def say(words: str) -> None:
        house.live.call("log_milestone", {"task_id": task, "message": words})

    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    with line_to(house.live.port) as line:
        page = context.new_page()
        page.clock.install()
        open_page(page, house.live, port=line.port)
        page.goto(f"http://127.0.0.1:{line.port}/missions/{mission}?view=journal")
        expect(page.get_by_text("No entries yet")).to_be_visible()
        connected(page)
        page.evaluate("window.stayed = true")

        line.cut()
        expect(page.get_by_text("Not connected since")).to_be_visible()
        say("Said while the line was cut")
        line.restore()
        connected(page)
        expect(page.get_by_text("Said while the line was cut")).to_have_count(1)

        line.hold()
        say("Said in its sleep")
        page.clock.fast_forward(20_000)  # quiet for long: it asks
        page.clock.fast_forward(10_000)  # and nothing answers
        expect(page.get_by_text("Not connected since")).to_be_visible()
        line.restore()
        connected(page)
        expect(page.get_by_text("Said in its sleep")).to_have_count(1)
        say("Said afterwards")
        expect(page.get_by_text("Said afterwards")).to_have_count(1)
        expect(page.locator(".entries > li")).to_have_count(3)
        assert page.evaluate("window.stayed") is True
        context.close()


def test_a_page_opens_without_a_connection_because_it_was_loaded_before_and_otherwise_says_so(
    browser: Browser, house: House
) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    context.route("**/templates-page-*", lambda asked: asked.abort())
    with line_to(house.live.port) as line:
        page = context.new_page()
        open_page(page, house.live, port=line.port)
        connected(page)
        page.wait_for_function(LOADED, arg="settings-page")  # the last but two; none after it is visited here

        line.cut()
        expect(page.get_by_text("Not connected since")).to_be_visible()
        menu = page.get_by_role("navigation", name="Main")
        menu.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
        menu.get_by_role("link", name="Templates").click()
        expect(page.get_by_role("heading", name="Not connected", level=1)).to_be_visible()
        expect(page.get_by_text("templates-page")).to_have_count(0)

        context.unroute("**/templates-page-*")
        line.restore()
        expect(page.get_by_role("heading", name="Templates", level=1)).to_be_visible()
        context.close()
