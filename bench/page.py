"""Measure the page: its first view of a full store, an event on screen, and a thousand open pages."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.crowd import plant_crowd
from bench.effort import Effort
from bench.http import Address, Connection
from bench.report import Row, Target
from bench.server import start
from bench.sockets import OpenPages
from mission.app import App
from mission.settings import Settings

MISSIONS, TASKS = 1_000, 50
PAGES = 1_000
EVENTS_PER_SECOND = 10
SECTION = "the page"
SEEN = """(words) => new Promise((resolve) => {
  const look = () => document.body.innerText.includes(words) && (watch.disconnect(), resolve(Date.now()));
  const watch = new MutationObserver(look);
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
})"""


def measure(effort: Effort) -> list[Row]:
    with _crowded() as (address, task):
        rows = [_first_answer(address, effort)]
        rows += _on_screen(address, task, effort)
        rows.append(asyncio.run(_open_pages(address, task, seconds=2 * effort.rounds)))
    return rows


@contextmanager
def _crowded() -> Iterator[tuple[Address, str]]:
    """Yield a daemon with many missions, and a task to report progress on."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        home = Path(folder)
        asyncio.run(_plant(home))
        with start(home) as address:
            mission = _call(address, "start_mission", {"name": "Seen live", "objective": "Events"})["mission_id"]
            task = _call(address, "start_task", {"mission_id": mission, "name": "Watched", "goal": "g"})["task_id"]
            yield address, str(task)


async def _plant(home: Path) -> None:
    app = App(Settings(home=home), role="the benchmark")
    async with app.running(periodic=False):
        await app.database.write(plant_crowd, many=MISSIONS, tasks_each=TASKS)


def _first_answer(address: Address, effort: Effort) -> Row:
    """Measure the response that the first view waits for."""
    times = []
    for _ in range(effort.calls):
        begun = time.perf_counter()
        _call(address, "overview", {})
        times.append((time.perf_counter() - begun) * 1000)
    return _row(f"overview of {MISSIONS:,} missions of {TASKS} tasks", times, Target(1_000.0, of="figure"))


def _on_screen(address: Address, task: str, effort: Effort) -> list[Row]:
    """Measure in a real browser, if one is available."""
    try:
        from playwright.sync_api import sync_playwright

        from tests.browser.chromium import FLAGS, NoBrowser, obtain

        chromium = obtain()
    except (ImportError, NoBrowser) as error:
        print(f"page: no browser available, so nothing is measured on screen ({error})", file=sys.stderr)
        return []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.program, args=list(FLAGS), env=dict(chromium.environment)
        )
        page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
        page.goto(f"http://{address.host}:{address.port}/open#{_session(address)}")
        page.wait_for_url(f"http://{address.host}:{address.port}/")
        views, shown = [], []
        for _ in range(effort.rounds):
            page.goto("about:blank")
            begun = time.perf_counter()
            page.goto(f"http://{address.host}:{address.port}/", wait_until="commit")
            page.locator(".running td").first.wait_for()
            views.append((time.perf_counter() - begun) * 1000)
        page.locator("[data-connection=live]").wait_for()
        for number in range(effort.rounds):
            words = f"seen {number} {time.time_ns()}"
            watching = page.evaluate_handle(f"(words) => ({{ seen: ({SEEN})(words) }})", words)
            committed = _milestone(address, task, words)
            shown.append(float(watching.evaluate("(it) => it.seen")) - committed)
            time.sleep(0.5)  # one event at a time, as in the target
        browser.close()
    return [
        _row("first view in a browser", views, Target(1_000.0, of="figure")),
        _row("an event on screen after its commit", shown, Target(200.0, of="figure")),
    ]


async def _open_pages(address: Address, task: str, *, seconds: int) -> Row:
    """Measure the time from commit to socket for each event at each of many open pages."""
    pages = OpenPages(address)
    await pages.open(PAGES)
    for number in range(seconds * EVENTS_PER_SECOND):
        begun = time.monotonic()
        await asyncio.to_thread(_milestone, address, task, f"event {number}")
        await asyncio.sleep(max(0.0, 1 / EVENTS_PER_SECOND - (time.monotonic() - begun)))
    await asyncio.sleep(1.0)
    pages.close()
    late = pages.delays
    row = _row(f"commit to socket, {PAGES:,} open pages, {EVENTS_PER_SECOND} events/s", late, None)
    return Row(
        section=row.section,
        what=f"{row.what}: p99",
        figure=row.p99 or 0.0,
        unit="ms",
        p99=row.p99,
        floor="p50",
        floor_figure=row.figure,
        target=Target(100.0, of="figure"),
    )


def _row(what: str, times: list[float], target: Target | None) -> Row:
    p99 = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return Row(section=SECTION, what=what, figure=median(times), unit="ms", p99=p99, target=target)


def _milestone(address: Address, task: str, words: str) -> float:
    """Report progress; return when it was written, in milliseconds since 1970."""
    made = _call(address, "log_milestone", {"task_id": task, "message": words})
    return datetime.fromisoformat(made["created_at"]).timestamp() * 1000


def _session(address: Address) -> str:
    return str(_post(address, "/api/session", {})["code"])


def _call(address: Address, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return _post(address, f"/api/tools/{tool}", arguments)


def _post(address: Address, path: str, body: dict[str, Any]) -> dict[str, Any]:
    connection = Connection(address)
    try:
        answer = connection.exchange(address.request("POST", path, body=json.dumps(body).encode()))
        found: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
    finally:
        connection.close()
    return found
