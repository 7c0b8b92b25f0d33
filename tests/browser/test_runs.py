"""Runs as a person sees them: stages, budget, questions, merge queue, candidates and reports, on every screen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import House
from tests.browser.sample_runs import plant_runs
from tests.browser.test_accessibility import BARRIERS, CUT
from tests.browser.test_page import connected

STATES = ("planning", "ready", "running", "paused", "finishing", "finished", "stopped")


@pytest.fixture(scope="module")
def runs(house: House) -> Mapping[str, str]:
    """One run in each state."""
    return house.live.run(house.live.app.database.write(plant_runs))


def stage(page: Page, name: str) -> Locator:
    return page.locator(f"[data-stage={name}]")


def pill(page: Page) -> Locator:
    return page.locator(".page-head .pill").first


def test_each_task_is_in_the_column_of_its_stage(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['running']}")
    expect(pill(page)).to_have_text("Running")
    expected = {
        "waiting": "Remove the password column",
        "working": "Register a passkey",
        "checking": "Verify the signature",
        "reviewing": "Fall back to a password",
        "merging": "Rate limit of sign-in",
        "merged": "Store public keys",
        "asking": "Recovery codes",
        "retrying": "Sync across devices",
        "failed": "Import from the old store",
        "skipped": "Support for U2F",
    }
    for name, task in expected.items():
        expect(stage(page, name)).to_contain_text(task)
    expect(stage(page, "merged").get_by_role("heading")).to_have_text("Merged 4")
    expect(stage(page, "merged").locator("[data-proof=dashed]")).to_have_text(re.compile("Note in the changelog"))
    expect(page.locator(".figure").filter(has_text="Cost")).to_contain_text("of $20.00")
    expect(page.locator(".merge-queue ol li")).to_have_count(3)
    expect(page.locator(".merge-queue ul li")).to_contain_text("Sync across devices")


def test_a_task_moves_to_its_new_stage_while_one_looks(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['running']}")
    expect(stage(page, "waiting")).to_contain_text("Remove the password column")
    connected(page)
    tasks = house.live.call("run_get", {"run_id": runs["running"]})["tasks"]
    [task] = [each["task_id"] for each in tasks if each["stage"] == "waiting"]
    house.live.call("task_update_status", {"id": task, "status": "skipped"})
    expect(stage(page, "skipped")).to_contain_text("Remove the password column")
    expect(stage(page, "waiting").get_by_role("heading")).to_have_text("Waiting 0")


def test_a_question_of_the_run_is_answered_in_place(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['ready']}")
    expect(pill(page)).to_have_text("Waits for you")
    connected(page)
    card = page.get_by_role("article", name="Start this run without a required check?")
    card.get_by_text("Tasks merge as unproved").click()
    card.get_by_role("button", name="Go").click()
    card.get_by_role("button", name="Send now").click()
    expect(card).to_have_count(0)
    expect(pill(page)).to_have_text("Ready")


def test_a_run_is_paused_resumed_and_stopped(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['paused']}")
    expect(pill(page)).to_have_text("Paused")
    expect(page.get_by_text("A person paused it.")).to_be_visible()
    connected(page)
    page.get_by_role("button", name="Resume").click()
    expect(pill(page)).to_have_text("Running")
    page.get_by_role("button", name="Pause").click()
    expect(pill(page)).to_have_text("Paused")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop the run now").click()
    expect(pill(page)).to_have_text("Stopped")
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)


def test_the_options_of_a_run_are_changed(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['planning']}")
    connected(page)
    page.get_by_role("button", name="Options…").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_label("US dollars").fill("50")
    dialog.get_by_label("codex").fill("5")
    dialog.get_by_label("Who reviews results").select_option("person")
    dialog.get_by_label("Land as one commit").check()
    assert page.evaluate(CUT) == []
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".figure").filter(has_text="Cost")).to_contain_text("of $50.00")
    expect(page.locator(".figure").filter(has_text="Agents")).to_contain_text("codex × 5")
    expect(page.locator(".facts")).to_contain_text("a person, every result")
    changed = house.live.call("run_get", {"run_id": runs["planning"]})
    assert (changed["options"]["squash"], changed["budget"]["launches"]) == (True, 40)


def test_a_refused_landing_says_why(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['finished']}")
    connected(page)
    page.get_by_role("button", name="Land…").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_role("button", name="Land", exact=True).click()
    refused = house.live.post("run_land", {"run_id": runs["finished"]}).json["error"]["message"]
    expect(dialog.get_by_role("alert")).to_contain_text(refused)


def test_a_finished_run_shows_its_report(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['finished']}")
    report = page.locator(".run-report")
    expect(report).to_contain_text("2 of 2 merged")
    expect(report.get_by_role("table")).to_contain_text("Retire the old exporter: step 1")
    with page.expect_download() as saved:
        report.get_by_role("button", name="Save as Markdown").click()
    assert Path(saved.value.path()).read_text().startswith("# Retire the old exporter")


def test_a_review_is_judged_next_to_its_candidate(page: Page, house: House, runs: Mapping[str, str]) -> None:
    def with_lines(route: Any) -> None:
        if not route.request.post_data_json.get("patch"):
            return route.continue_()
        shown = house.live.call("candidate_get", {"candidate_id": runs["candidate"]})
        lines = {"path": "src/sign_in.py", "patch": "@@ -1 +1 @@\n-old\n+new\n", "whole": True, "note": None}
        return route.fulfill(json={**shown, "patch": [lines]})

    page.route("**/api/tools/candidate_get", with_lines)
    house.go(page, f"/runs/{runs['running']}")
    connected(page)
    card = page.get_by_role("article", name="Review: Fall back to a password")
    card.get_by_role("button", name="Review…").click()
    expect(page).to_have_url(re.compile(f"candidate={runs['candidate']}"))
    expect(page.locator(".candidate")).to_contain_text("what the agent says, not what was proved")
    expect(page.locator("[data-check='make test']")).to_contain_text("Passed")
    page.get_by_role("button", name="Comment on src/sign_in.py:1", exact=True).click()
    page.keyboard.type("Which password?")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Comments on lines")).to_contain_text("src/sign_in.py:1 Which password?")
    page.keyboard.press("Escape")
    expect(stage(page, "reviewing")).to_be_visible()


def test_a_conflict_is_shown_with_its_files(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/runs/{runs['running']}")
    page.locator(".merge-queue").get_by_role("link", name="Sync across devices").click()
    expect(page.locator(".candidate .pill")).to_have_text("Conflict")
    expect(page.locator(".finding")).to_contain_text("src/passkeys/store.py both sides changed it")


def test_the_run_dialog_shows_why_a_run_is_refused(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, f"/missions/{runs['runnable']}")
    connected(page)
    page.get_by_role("button", name="Run…").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_label("Any program").fill("1")
    dialog.get_by_label("Program and arguments").fill("./agent.sh")
    dialog.get_by_role("button", name="Start run").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog).to_be_visible()


def test_a_run_is_started_from_its_mission(page: Page, house: House, repository: Path) -> None:
    source = {"source_type": "prompt", "source_content": "Sort it", "repository_path": str(repository)}
    mission = house.live.call("workflow_create", {"name": "Sort the shelves", **source})["id"]
    task = {"name": "Sort", "description": "Sort what is there.", "sequence": 1}
    house.live.call("workflow_add_tasks", {"id": mission, "tasks": [task]})
    house.go(page, f"/missions/{mission}")
    connected(page)
    page.get_by_role("button", name="Run…").click()
    dialog = page.locator("dialog[open]")
    for field in dialog.locator(".clients input[type=number]").all():
        field.fill("0")
    dialog.get_by_label("Any program").fill("2")
    dialog.get_by_label("Program and arguments").fill("true")
    dialog.get_by_label("Launches").fill("5")
    dialog.get_by_role("button", name="Start run").click()
    expect(page).to_have_url(re.compile("/runs/run_"))
    expect(page.locator(".figure").filter(has_text="Agents")).to_contain_text("command × 2")
    expect(page.locator(".figure").filter(has_text="Launches")).to_contain_text("of 5")
    [run] = house.live.call("run_list", {"mission_id": mission})["runs"]
    house.live.call("run_stop", {"run_id": run["run_id"]})
    expect(pill(page)).to_have_text("Stopped")


def test_runs_are_found_from_everywhere(page: Page, house: House, runs: Mapping[str, str]) -> None:
    house.go(page, "/")
    connected(page)
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Sign in with passkeys")).to_be_visible()
    house.go(page, f"/missions/{runs['mission']}")
    page.get_by_role("link", name="Open run").click()
    expect(page).to_have_url(re.compile(f"/runs/{runs['running']}"))
    house.go(page, "/")
    expect(page.get_by_role("main").locator(f"a[href='/runs/{runs['running']}']").first).to_be_visible()


def test_runs_have_no_barriers_and_fit_every_screen(
    wide: BrowserContext, narrow: BrowserContext, house: House, runs: Mapping[str, str], chromium: Chromium
) -> None:
    views = [f"/runs/{runs[state]}" for state in STATES]
    views += ["/runs", *(f"/runs/{runs['running']}?candidate={runs[name]}" for name in ("candidate", "conflict"))]
    for context in (wide, narrow):
        page = context.new_page()
        page.add_init_script(chromium.axe)
        for path in views:
            house.go(page, path)
            connected(page)
            expect(page.locator("h1")).to_be_visible()
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            assert page.evaluate(CUT) == [], path
            assert page.evaluate(BARRIERS) == [], path
        house.go(page, f"/missions/{runs['runnable']}")
        page.get_by_role("button", name="Run…").click()
        expect(page.get_by_label("Any program")).to_be_visible()
        assert page.evaluate(CUT) == []
        assert page.evaluate(BARRIERS) == []
        page.close()
