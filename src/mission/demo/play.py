"""Play the demo: start a run of the sample project as any client would, tell what happens, and answer its questions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.demo.removal import MISSION, REPOSITORY, Operator
from mission.demo.sample_project import TASKS, create_repository, plan
from mission.demo.story import Sentence, Story

ToolResult = dict[str, Any]
ENDED = frozenset({"finished", "stopped"})
LOOK_SECONDS = 1.0
PROGRAM = "mission.demo.scripted_agent"


@dataclass(slots=True)
class Play:
    """One run of the demo, in a folder of its own."""

    folder: Path
    operator: Operator
    say: Callable[[Sentence], None]
    explain: Callable[[ToolResult], None]
    """Tells the person how to answer a question."""
    typed: Callable[[], str | None]
    """Returns what the person typed since the last look."""
    seconds: float
    """How long an agent pauses between two things that it does."""
    answers_itself: bool
    mission_id: str = ""
    run_id: str = ""
    _asked: list[ToolResult] = field(default_factory=list)

    @property
    def repository(self) -> Path:
        return self.folder / REPOSITORY

    def run(self) -> ToolResult:
        """Play until the run has ended; return the run."""
        cursor = self.operator("wait_for_events", {"timeout_seconds": 0})["cursor"]
        create_repository(self.repository)  # only after the daemon has answered: without one no files are left
        story = self._start()
        while True:
            wanted = {"workflow_id": self.mission_id, "since": cursor, "timeout_seconds": LOOK_SECONDS}
            news = self.operator("wait_for_events", wanted)
            cursor = news["cursor"]
            for event in news["events"]:
                for sentence in story.tell(event):
                    self.say(sentence)
                self._follow_question(event)
            self._answer_typed()
            if not news["events"]:
                found = self.operator("run_get", {"run_id": self.run_id})
                if found["state"] in ENDED:
                    return found

    def _start(self) -> Story:
        command = [sys.executable, "-m", PROGRAM, str(self.seconds)]
        wanted = plan(self.repository, command=command, retry_seconds=self.seconds)
        started = self.operator("run_start", {"plan": wanted, "path": os.environ.get("PATH", "")})
        self.mission_id, self.run_id = started["mission_id"], started["run_id"]
        (self.folder / MISSION).write_text(self.mission_id)
        self.say(Sentence(text=f"You start a run of {len(TASKS)} tasks. Its branch is {started['branch']}."))
        run = self.operator("run_get", {"run_id": self.run_id})
        answerer = "The demo answers for you" if self.answers_itself else "You answer"
        return Story(names={task["task_id"]: task["name"] for task in run["tasks"]}, answerer=answerer)

    def _follow_question(self, event: ToolResult) -> None:
        """Show a question that was opened, or forget one that was closed."""
        item = event["data"]
        if event["type"] == "queue:updated" and item["state"] != "open":
            self._asked = [each for each in self._asked if each["id"] != item["id"]]
        if event["type"] != "queue:created" or (self._asked and item["agent_id"] is None):
            return  # the run only says that it waits for the question that is open
        if self.answers_itself and item["choices"]:
            self.operator("queue_answer", {"id": item["id"], "choice": 1})
            return
        self._asked.append(item)
        self.explain(item)

    def _answer_typed(self) -> None:
        """Answer the oldest open question with what the person typed: the number of a choice, or a text."""
        words = (self.typed() or "").strip()
        if not words or not self._asked:
            return
        item = self._asked[0]
        is_number = words.isdecimal() and 0 < int(words) <= len(item["choices"])
        self.operator("queue_answer", {"id": item["id"], **({"choice": int(words)} if is_number else {"text": words})})
