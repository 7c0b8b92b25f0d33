"""Take the pictures of the documentation from the real page: `make pictures`, after the page has changed.

The pictures of the tutorial come from a daemon on which its commands have just run, with a scripted client.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from mission.settings import Settings
from tests.browser.chromium import FLAGS, obtain
from tests.browser.sample_data import fill
from tests.journeys.test_tutorial import CLAUDE, DOCS
from tests.journeys.tutorial import Tutorial
from tests.transports.live_server import serving

PICTURES = DOCS / "pictures"
SETTLED = 800
"""How many milliseconds a page gets to finish its transitions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """One picture: its file, the address it shows, and how it is taken."""

    name: str
    address: str
    scheme: str = "light"
    width: int = 1280
    height: int = 600


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with _browser() as browser:
        _take_sample_pictures(browser)
        _take_tutorial_pictures(browser)


@contextmanager
def _browser() -> Iterator[Browser]:
    chromium = obtain()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium.program, args=list(FLAGS), env=dict(chromium.environment)
        )
        yield started
        started.close()


def _take_sample_pictures(browser: Browser) -> None:
    """Take the pictures of a daemon with a night of work in it."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), host_id="test-host")
        ids = _in_own_loop(settings)
        with serving(settings) as live:
            code = live.request("POST", "/api/session", b"").json["code"]
            wanted = [
                Picture(name="mission-light", address=f"/missions/{ids['mission']}", width=1440, height=1000),
                Picture(name="inbox-dark", address="/inbox", scheme="dark", width=1440, height=1000),
            ]
            _take(browser, f"{live.url}/open#{code}", wanted)


def _take_tutorial_pictures(browser: Browser) -> None:
    """Follow the tutorial, then take pictures of what its reader sees."""
    with tempfile.TemporaryDirectory() as folder:
        tutorial = Tutorial(page=DOCS / "start" / "first-mission.md", folder=Path(folder))
        tutorial.program("claude", f"'{sys.executable}' '{CLAUDE}'")
        try:
            done = tutorial.run()
            assert done.returncode == 0, done.stdout + done.stderr
            run, mission = json.loads(tutorial.mission("missions", "--json"))["workflows"]
            wanted = [
                Picture(name="first-mission", address=f"/missions/{mission['id']}?view=board"),
                Picture(name="first-run", address=f"/missions/{run['id']}?view=board"),
            ]
            _take(browser, json.loads(tutorial.mission("open", "--json"))["url"], wanted)
        finally:
            tutorial.mission("down", "--force")


def _take(browser: Browser, link: str, pictures: list[Picture]) -> None:
    """Sign in with the link, and take each picture."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(link)
    start = link.partition("/open#")[0]
    page.wait_for_url(f"{start}/")
    for each in pictures:
        page.set_viewport_size({"width": each.width, "height": each.height})
        page.emulate_media(color_scheme="dark" if each.scheme == "dark" else "light")
        page.goto(f"{start}{each.address}")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(SETTLED)
        page.screenshot(path=PICTURES / f"{each.name}.png")
        sys.stdout.write(f"docs/pictures/{each.name}.png\n")
    context.close()


def _in_own_loop(settings: Settings) -> dict[str, str]:
    """Fill the database outside of Playwright's loop."""
    with ThreadPoolExecutor() as thread:
        return thread.submit(lambda: asyncio.run(fill(settings))).result()


if __name__ == "__main__":
    main()
