"""A run on the page from start to landing: a real daemon process, its driver, and agents in real worktrees."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WIDE, open_page
from tests.browser.test_page import connected
from tests.driven_runs import WORKER, does
from tests.transports.cli.program import program
from tests.transports.live_server import Live

MINUTES = 5 * 60_000


class RemoteDaemon(Live):
    """A daemon in a process of its own, reached as programs reach it."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)


@pytest.fixture
def daemon(tmp_path: Path, _sqlite_template: Path) -> Iterator[RemoteDaemon]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "mission.db").write_bytes(_sqlite_template.read_bytes())
    with program(home, MISSION_AGENT_SLOTS="4", MISSION_MIN_FREE_GB="0") as made:
        process = made.start()
        found = made.running()
        assert found is not None
        yield RemoteDaemon(found.url, found.token)
        process.kill()
        process.communicate()


@pytest.fixture
def signed_in(browser: Browser, daemon: RemoteDaemon) -> Iterator[Page]:
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce")
    page = context.new_page()
    open_page(page, daemon)
    yield page
    context.close()


def planned(daemon: RemoteDaemon, repository: Path) -> str:
    """A mission with a task whose agent lies first, one whose agent asks, and one that needs both."""
    source = {"source_type": "prompt", "source_content": "Fill the shelves", "repository_path": str(repository)}
    mission = str(daemon.call("workflow_create", {"name": "Fill the shelves", **source})["id"])
    tasks: list[dict[str, Any]] = [
        does("Bring fruit", "lie-once fruit.txt", checks=["test -f fruit.txt"]),
        does("Find the way", "ask-once Which way?", "answer way.txt"),
        does("Write the list", "write list.txt both", depends_on=["Bring fruit", "Find the way"]),
    ]
    plan = {"summary": "s", "approach": "a", "tasks": [{**task, "sequence": n} for n, task in enumerate(tasks, 1)]}
    daemon.call("workflow_set_plan", {"id": mission, "plan": plan})
    daemon.call("checks_set", {"scope": "mission", "id": mission, "checks": ["true"], "final_checks": ["cat list.txt"]})
    return mission


def test_a_mission_is_run_answered_merged_and_landed_on_the_page(
    signed_in: Page, daemon: RemoteDaemon, repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    page, mission, notes = signed_in, planned(daemon, repository), tmp_path / "notes"
    notes.mkdir()
    before = git(repository, "rev-parse", "main")

    page.goto(f"{daemon.url}/missions/{mission}")
    connected(page)
    page.get_by_role("button", name="Run…").click()
    dialog = page.locator("dialog[open]")
    for field in dialog.locator(".clients input[type=number]").all():
        field.fill("0")
    dialog.get_by_label("Any program").fill("2")
    dialog.get_by_label("Program and arguments").fill(shlex.join([sys.executable, "-u", WORKER, str(notes)]))
    dialog.get_by_label("Who reviews results").select_option("none")
    dialog.get_by_role("button", name="Start run").click()
    expect(page).to_have_url(re.compile("/runs/run_"))

    def stage(name: str) -> Any:
        return page.locator(f"[data-stage={name}]")

    expect(stage("merged")).to_contain_text("Bring fruit", timeout=MINUTES)
    expect(stage("asking")).to_contain_text("Find the way")
    expect(stage("waiting")).to_contain_text("Write the list")
    card = page.get_by_role("article", name="Which way?")
    card.get_by_text("Left").click()
    card.get_by_role("button", name="Send answer").click()
    card.get_by_role("button", name="Send now").click()
    expect(card).to_have_count(0)
    expect(page.locator(".page-head .pill").first).to_have_text("Finished", timeout=MINUTES)

    expect(stage("merged").get_by_role("heading")).to_have_text("Merged 3")
    report = page.locator(".run-report")
    expect(report).to_contain_text("3 of 3 merged: 3 proved")
    expect(report).to_contain_text("Which way?")
    expect(report).to_contain_text("Sent back")
    expect(page.locator("[data-check='cat list.txt']")).to_contain_text("passed")
    assert (git(repository, "rev-parse", "main"), git(repository, "status", "--porcelain")) == (before, "")

    page.get_by_role("button", name="Land…").click()
    dialog.get_by_role("button", name="Land", exact=True).click()
    expect(dialog.get_by_role("heading", name="Landed")).to_be_visible(timeout=MINUTES)
    dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Land…")).to_have_count(0)
    assert [(repository / name).read_text() for name in ("fruit.txt", "way.txt", "list.txt")] == [
        "really done\n",
        "left\n",
        "both\n",
    ]
    assert git(repository, "status", "--porcelain") == ""
