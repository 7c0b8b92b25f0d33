"""One browser and one server for all browser tests of a worker."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from bench.crowd import plant_crowd
from mission.settings import Settings
from mission.transports.web.page_files import FILES
from tests.browser.chromium import FLAGS, Chromium, NoBrowser, obtain
from tests.browser.sample_data import fill
from tests.transports.live_server import Live, serving

PATIENCE = 60_000
WIDE = {"width": 1440, "height": 1000}
NARROW = {"width": 390, "height": 844}


@dataclass(frozen=True, kw_only=True, slots=True)
class House:
    """A running server with a night of work in it, and the ids that tests ask for."""

    live: Live
    ids: dict[str, str]

    def sign_in(self, page: Page) -> None:
        open_page(page, self.live)

    def go(self, page: Page, path: str) -> None:
        page.goto(f"{self.live.url}{path}")


def open_page(page: Page, live: Live, *, port: int | None = None) -> None:
    """Sign in as `mission open` does, and wait until the page has gone on; `port` is another that leads there."""
    code = live.request("POST", "/api/session", b"").json["code"]
    url = f"http://{live.host}:{port or live.port}"
    page.goto(f"{url}/open#{code}")
    page.wait_for_url(f"{url}/")


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    if not (FILES / "index.html").is_file():
        pytest.skip("the page is not built: run 'make test', or python web/build.py")
    try:
        return obtain()
    except NoBrowser as error:
        pytest.skip(f"no browser for the tests: {error}")


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """Per module and not for ever: Playwright's loop would be in the way of other tests of this worker."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium.program, args=list(FLAGS), env=dict(chromium.environment), timeout=PATIENCE
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[House]:
    """A night of work, and beside it a thousand missions from before."""
    home = tmp_path_factory.mktemp("house")
    settings = Settings(home=home, host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    with ThreadPoolExecutor() as thread:  # this one may have Playwright's loop already
        ids = thread.submit(lambda: asyncio.run(fill(settings))).result()
    with serving(settings) as live:
        crowd = live.run(live.app.database.write(plant_crowd, many=1_000, tasks_each=5))
        large = live.run(live.app.database.write(plant_crowd, many=1, tasks_each=500))
        yield House(live=live, ids={**ids, "crowd": crowd[0], "large": large[0]})


@pytest.fixture(scope="module")
def wide(browser: Browser, house: House) -> Iterator[BrowserContext]:
    """A signed-in browser on a desk, in light."""
    with _context(browser, house, width="wide", scheme="light") as context:
        yield context


@pytest.fixture(scope="module")
def narrow(browser: Browser, house: House) -> Iterator[BrowserContext]:
    """A signed-in browser on a phone, in dark."""
    with _context(browser, house, width="narrow", scheme="dark") as context:
        yield context


@pytest.fixture
def page(wide: BrowserContext) -> Iterator[Page]:
    """A new page of the signed-in browser; whatever it complains about fails the test."""
    opened = wide.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    opened.close()
    assert complaints == []


class _context:  # noqa: N801 - used like a function
    def __init__(self, browser: Browser, house: House, *, width: str, scheme: str) -> None:
        size = WIDE if width == "wide" else NARROW
        self._context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        self._context.set_default_timeout(PATIENCE)
        self._house = house

    def __enter__(self) -> BrowserContext:
        page = self._context.new_page()
        self._house.sign_in(page)
        page.close()
        return self._context

    def __exit__(self, *_: object) -> None:
        self._context.close()
