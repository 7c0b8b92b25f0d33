"""`mission top` on a real terminal with a real daemon: what it shows, what its keys do, and how it is left."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from mission.transports.cli.top.terminal import ENTER, LEAVE
from tests.transports.cli.program import PATIENCE, Program
from tests.transports.cli.terminal_program import TerminalProgram, on_terminal
from tests.transports.cli.work.test_launch import call, launch, new_task, status
from tests.transports.live_server import until

ENTER_KEY, ESCAPE, DOWN = "\r", "\x1b", "\x1b[B"


def ask(mission: Program, question: str) -> str:
    """A blocker without choices in the inbox."""
    made = call(mission, "start_mission", name="Asks", objective="o")["mission_id"]
    task = call(mission, "start_task", mission_id=made, name="The task", goal="g")["task_id"]
    issue = {"type": "other", "resolution": "asked", "requires_human_review": True}
    call(mission, "log_issue", task_id=task, description=question, **issue)
    return item(mission, question)["id"]


def ask_for_review(mission: Program, subject: str) -> str:
    """An item with the choices Approve and Send back in the inbox."""
    made = call(mission, "start_mission", name="Reviews", objective="o")["mission_id"]
    task = call(mission, "start_task", mission_id=made, name="The task", goal="g")["task_id"]
    outcome = {"summary": "s", "manual_review_needed": True, "manual_review_reason": subject}
    call(mission, "complete_task", task_id=task, status="success", outcome=outcome)
    return item(mission, subject)["id"]


def item(mission: Program, subject: str) -> dict[str, Any]:
    found = call(mission, "queue_list", state=["open", "answered", "dismissed"])["items"]
    return next(each for each in found if each["subject"] == subject)


def select(top: TerminalProgram, words: str) -> None:
    """Go down until the line with these words is selected."""
    top.shows(words)
    while not any(line.startswith("›") and words in line for line in top.screen):
        before = next((line for line in top.screen if line.startswith("›")), "")
        top.press(DOWN)
        until(lambda before=before: next((line for line in top.screen if line.startswith("›")), "") != before, PATIENCE)


@pytest.fixture
def running(mission: Program) -> Program:
    """The program with a daemon and an empty inbox."""
    mission.does("up", "--detach")
    for each in call(mission, "queue_list", limit=500)["items"]:
        call(mission, "queue_dismiss", id=each["id"])
    return mission


def test_what_happens_while_it_is_open_appears_and_disappears(running: Program) -> None:
    with on_terminal(running, "top") as top:
        top.shows("Nothing is waiting for you.")
        asked = ask(running, "Which region?")
        top.shows("Which region?")
        call(running, "queue_answer", id=asked, text="eu")

        top.shows("Nothing is waiting for you.")


def test_a_choice_is_sent_after_enter_and_not_before(running: Program) -> None:
    asked = ask_for_review(running, "Read the copy")
    with on_terminal(running, "top") as top:
        select(top, "Read the copy")
        top.press("1")
        top.shows("Answer 'Approve'? Enter sends it, Esc cancels.")
        top.press(ESCAPE)
        top.shows("Not sent.")
        assert call(running, "queue_get", id=asked)["state"] == "open"
        top.press("1")
        top.shows("Enter sends it")
        top.press(ENTER_KEY)

        top.shows("Answered:")
        until(lambda: call(running, "queue_get", id=asked)["state"] == "answered", PATIENCE)
        assert call(running, "queue_get", id=asked)["choice"] == 1


def test_a_free_answer_is_written_with_corrections_and_pasted_text(running: Program) -> None:
    asked = ask(running, "Which color?")
    with on_terminal(running, "top") as top:
        select(top, "Which color?")
        top.press("7")  # no such choice: nothing happens
        top.press("a")
        top.shows("Answer: ")
        top.press("grün quittt\x7f\x7f")
        top.press("\x1b[200~ and\nblue\x1b[201~")
        top.shows("Answer: grün quit")
        top.press(ENTER_KEY)

        until(lambda: call(running, "queue_get", id=asked)["answer"] == "grün quitand blue", PATIENCE)


def test_a_choice_that_needs_words_asks_for_them(running: Program) -> None:
    asked = ask_for_review(running, "Read the title")
    with on_terminal(running, "top") as top:
        select(top, "Read the title")
        top.press("2")
        top.shows("Send back")
        top.press("Fix the title" + ENTER_KEY)

        until(lambda: call(running, "queue_get", id=asked)["answer"] == "Fix the title", PATIENCE)


def test_details_open_and_close_and_stay_if_somebody_else_answers(running: Program) -> None:
    asked = ask(running, "Which shelf?")
    with on_terminal(running, "top") as top:
        select(top, "Which shelf?")
        top.press(ENTER_KEY)
        top.shows("Mission: Asks")
        top.press(ESCAPE)
        top.shows("Waiting for you (1)")
        top.press(ENTER_KEY)
        top.shows("Mission: Asks")
        call(running, "queue_answer", id=asked, text="the left one")

        top.shows("0 waiting for you")
        top.shows("Mission: Asks")


def test_it_fits_any_size_and_follows_a_resize(running: Program) -> None:
    ask(running, "Should the export of the ledger contain accounts with a balance of zero, or leave them out?")
    with on_terminal(running, "top") as top:
        top.shows("p pause · q quit")
        for columns, rows in ((60, 24), (40, 10), (20, 4), (120, 50)):
            top.resize(columns, rows)
            top.shows("q quit")
            until(top.fits, PATIENCE)
        top.shows("Should the export of the ledger contain accounts")


def test_a_daemon_that_restarts_is_found_again(running: Program) -> None:
    with on_terminal(running, "top") as top:
        top.shows("0 waiting for you")
        running.does("down", "--force")
        top.shows("not connected, retrying")
        running.does("up", "--detach")
        top.shows("0 waiting for you")
        ask(running, "Still there?")

        top.shows("Still there?")


@pytest.mark.parametrize(
    ("leave", "code"),
    [("q", 0), ("\x03", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["q", "Ctrl-C", "kill", "hangup"],
)
def test_the_terminal_is_left_as_it_was_found(running: Program, leave: str | signal.Signals, code: int) -> None:
    with on_terminal(running, "top") as top:
        top.shows("q quit")
        assert top.attributes != top.before
        top.press(leave) if isinstance(leave, str) else top.send(leave)

        assert top.ends() == code
        until(lambda: top.output.rstrip().endswith(LEAVE), PATIENCE)
        assert top.attributes == top.before
        assert top.output.count(ENTER) == top.output.count(LEAVE) == 1
        assert "Traceback" not in top.output


def test_without_a_terminal_it_names_what_a_program_can_use(running: Program) -> None:
    refused = running.run("top")

    assert (refused.code, refused.out) == (1, "")
    assert "'mission top' needs a terminal" in refused.err
    assert "mission inbox --json" in refused.err


def test_an_agent_is_shown_with_its_question_and_its_terminal_can_be_opened(
    running: Program, repository: Path, tmp_path: Path
) -> None:
    execution = launch(running, new_task(running, repository), "--", "linger", str(tmp_path / "never"))
    until(lambda: status(running, execution) == "waiting", PATIENCE)
    try:
        with on_terminal(running, "top", columns=120) as top:
            assert "Sort the shelves" in top.shows("? Which way?")
            select(top, "Waits for you")
            top.press("t")
            top.prints("? asks: Which way?")
            top.press("\x03")  # ends what is attached, not the screen
            top.prints("[Press Enter to return]")
            top.press(ENTER_KEY)
            until(lambda: top.output.count(ENTER) == 2, PATIENCE)
            top.press("q")

            assert top.ends() == 0
    finally:
        running.does("stop", execution)
