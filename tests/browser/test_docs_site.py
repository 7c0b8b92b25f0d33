"""The documentation in a real browser: it asks no other host, obeys the daemon's policy, and its search finds pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mission.settings import Settings
from mission.transports.web.docs_files import FILES
from tests.browser.conftest import open_page
from tests.transports.live_server import Live, serving


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Live]:
    if not (FILES / "index.html").is_file():
        pytest.skip("the documentation is not built: run 'make docs'")
    settings = Settings(home=tmp_path_factory.mktemp("docs"), host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    with serving(settings) as served:
        yield served


def test_a_reader_without_a_token_searches_and_no_other_host_is_asked(browser: Browser, live: Live) -> None:
    page = browser.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    page.goto(f"{live.url}/docs")
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("fast-forward landing")
    expect(page.get_by_role("listbox", name="Search results").get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/docs/howto/[a-z-]+/(\?|#)"))
    assert [url for url in asked if not url.startswith((live.url, "data:", "blob:"))] == []
    assert complaints == []
    page.close()


def test_the_page_links_to_it(browser: Browser, live: Live) -> None:
    context = browser.new_context()
    page = context.new_page()
    open_page(page, live)

    with context.expect_page() as opened:
        page.get_by_role("link", name="Docs").first.click()

    expect(opened.value).to_have_url(f"{live.url}/docs/")
    context.close()
