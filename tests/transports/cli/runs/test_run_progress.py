"""Live progress of a run: what is told when, in a pipe and on a terminal, and how it is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mission.transports.cli.runs import run_progress, run_start

QUESTION = {
    "item_id": "q_1",
    "subject": "Which way?",
    "body": "",
    "choices": [{"label": "Left"}, {"label": "Right"}],
}


def a_run(**values: Any) -> dict[str, Any]:
    nothing = {"usd": None, "tokens": None, "minutes": None, "launches": None}
    return {
        "run_id": "run_1",
        "mission_id": "m_1",
        "mission_name": "Login",
        "state": "running",
        "reason": None,
        "branch": "mission/login",
        "target": "main",
        "landing": None,
        "counts": {"working": 1},
        "spent": {"usd": None, "tokens": 0, "minutes": 0.0, "launches": 1},
        "budget": nothing,
        "tasks": [{"task_id": "t_1", "name": "Form", "stage": "working", "reason": None}],
        "questions": [],
        "preflight": None,
        "warning": None,
        **values,
    }


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What each look at the run answers, or raises."""
    seen: list[Any] = []

    def call(tool: str, arguments: dict[str, Any]) -> Any:
        assert (tool, arguments) == ("run_get", {"run_id": "run_1"})
        found = seen.pop(0)
        if isinstance(found, BaseException):
            raise found
        return found

    monkeypatch.setattr(run_progress.client, "call", call)
    monkeypatch.setattr(run_progress.time, "sleep", lambda _: None)
    yield seen
    assert seen == []


def test_a_log_has_each_stage_note_and_question_once(looks: list[Any], capsys: pytest.CaptureFixture[str]):
    merged = [{"task_id": "t_1", "name": "Form", "stage": "merged", "reason": None}]
    noted = {"preflight": {"notes": ["1 uncommitted file will not be part of the run: a.txt."]}}
    looks += [
        a_run(),
        a_run(**noted, questions=[QUESTION]),
        a_run(**noted, questions=[QUESTION]),
        a_run(**noted, state="finished", tasks=merged),
    ]

    assert run_progress.follow("run_1")["state"] == "finished"

    out = capsys.readouterr().out
    for words in ("working   Form", "merged    Form", "uncommitted file", "Waiting for you: Which way?", "answer q_1"):
        assert out.count(words) == 1
    assert "  2. Right" in out


def test_a_view_ends_when_a_person_must_say_go_and_waiting_goes_on_to_the_end(looks: list[Any]):
    asked = a_run(state="ready", questions=[QUESTION])
    looks += [asked]
    assert run_progress.follow("run_1", until_answered=True)["state"] == "ready"

    looks += [asked, a_run(state="stopped")]
    assert run_progress.follow("run_1")["state"] == "stopped"


def test_ctrl_c_leaves_the_run_running_and_says_how_to_watch_and_stop_it(
    looks: list[Any], capsys: pytest.CaptureFixture[str]
):
    looks += [a_run(), KeyboardInterrupt()]

    run_start._follow("run_1", wait=False)

    told = capsys.readouterr().out.splitlines()[-1]
    assert "The run continues." in told
    assert "runs run_1' shows it" in told
    assert "stop run_1' ends it" in told


@pytest.mark.parametrize(
    ("last", "code"), [(a_run(state="finished"), 0), (a_run(state="stopped"), 1), (KeyboardInterrupt(), 130)]
)
def test_waiting_ends_with_zero_only_if_the_run_has_finished(looks: list[Any], last: Any, code: int):
    looks += [a_run(), last]

    if code:
        with pytest.raises(SystemExit) as ended:
            run_start._follow("run_1", wait=True)
        assert ended.value.code == code
    else:
        run_start._follow("run_1", wait=True)


def test_a_terminal_shows_stages_questions_and_how_to_leave(
    looks: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_progress.sys.stdout, "isatty", lambda: True)
    looks += [a_run(questions=[QUESTION], warning="80% of the money is spent."), a_run(state="finished")]

    run_progress.follow("run_1")

    out = capsys.readouterr().out
    for words in ("working   Form", "Which way?", "answer q_1", "80% of the money", "Ctrl-C leaves this view"):
        assert words in out
