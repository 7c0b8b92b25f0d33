"""The play of the demo: a person's answers, typed where the story is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mission.demo.play import Play

ITEM = {
    "id": "q_1",
    "state": "open",
    "subject": "Which one?",
    "task_id": "t_1",
    "agent_id": "a_1",
    "choices": [{"label": "Left"}, {"label": "Right"}],
}


class Daemon:
    """A daemon with one question, which ends its run when it is answered."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self._news = [{"type": "queue:created", "data": ITEM}]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if tool == "run_start":
            return {"mission_id": "m_1", "run_id": "run_1", "branch": "mission/x"}
        if tool == "run_get":
            return {"state": "finished" if self.answers else "running", "tasks": []}
        if tool == "queue_answer":
            self.answers.append(arguments)
            return {}
        news, self._news = (self._news, []) if "since" in arguments else ([], self._news)
        return {"cursor": 1, "events": news}


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("2\n", {"choice": 2}), ("3\n", {"text": "3"}), ("  neither  \n", {"text": "neither"}), ("0", {"text": "0"})],
)
def test_a_typed_line_answers_the_open_question_by_number_or_in_words(tmp_path: Path, typed: str, answer: Any) -> None:
    daemon, lines, explained = Daemon(), iter(["\n", typed]), []
    play = Play(
        folder=tmp_path / "demo",
        operator=daemon.call,
        say=lambda _: None,
        explain=explained.append,
        typed=lambda: next(lines, None),
        seconds=0,
        answers_itself=False,
    )

    play.run()

    assert explained == [ITEM]
    assert daemon.answers == [{"id": "q_1", **answer}]
    assert (tmp_path / "demo" / "mission").read_text() == "m_1"
