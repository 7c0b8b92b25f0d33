"""The story of the demo: what happens in its run, in plain sentences, told from the events of the daemon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mission.demo.sample_project import AGENTS

MAX_OUTPUT = 3
"""How many lines of a failed check are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One thing that happened, and the lines that belong to it."""

    text: str
    mood: str = "plain"
    """How it is shown: plain, good, bad, asks."""
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Story:
    """Turns events of the run into sentences; it remembers what the next one depends on."""

    names: Mapping[str, str]
    """The name of each task by its id."""
    answerer: str = "You answer"
    """How an answer is introduced."""
    _before: dict[str, str] = field(default_factory=dict)
    """What happened last to each task."""
    _notes: dict[str, str] = field(default_factory=dict)
    """What an agent wrote down last for the next one on its task."""
    _open: set[str] = field(default_factory=set)
    """Questions that nobody has answered yet."""
    _state: str = "ready"

    def tell(self, event: Mapping[str, Any]) -> Iterable[Sentence]:
        """Return what an event means to a person; nothing if it means nothing."""
        tellers: Mapping[str, Callable[[Mapping[str, Any]], Sentence | None]] = {
            "run:updated": self._run_moved,
            "execution:created": self._agent_started,
            "execution:updated": self._agent_ended,
            "checkpoint:created": self._noted,
            "candidate:created": self._reported,
            "candidate:updated": self._judged,
            "task:updated": self._completed,
            "queue:created": self._asked,
            "queue:updated": self._answered,
        }
        teller = tellers.get(event["type"])
        sentence = teller(event["data"]) if teller is not None else None
        return () if sentence is None else (sentence,)

    def _run_moved(self, run: Mapping[str, Any]) -> Sentence | None:
        if run["state"] == self._state:
            return None
        self._state = run["state"]
        told = {
            "running": f"The check passes on the first commit, so the run begins: {AGENTS} agents may work at once, "
            "each in a worktree of its own.",
            "finishing": "Every task is merged. The final check runs in a fresh worktree.",
            "finished": "The final check passed, and the run has finished.",
        }
        return Sentence(text=told[run["state"]]) if run["state"] in told else None

    def _agent_started(self, execution: Mapping[str, Any]) -> Sentence:
        task = execution["task_id"]
        before = self._before.pop(task, None)
        if before == "crashed":
            left = f" Its last note was: {self._notes[task]}." if task in self._notes else ""
            return Sentence(text=f"Another agent takes over {self._name(task)} in the same worktree.{left}")
        if before == "answered":
            return Sentence(text=f"An agent continues {self._name(task)} with your answer.")
        return Sentence(text=f"An agent starts on {self._name(task)}.")

    def _agent_ended(self, execution: Mapping[str, Any]) -> Sentence | None:
        if execution["status"] != "failed":
            return None
        task = execution["task_id"]
        self._before[task] = "crashed"
        text = f"The agent on {self._name(task)} died in the middle of its work: {execution['reason']}."
        return Sentence(text=text, mood="bad")

    def _noted(self, checkpoint: Mapping[str, Any]) -> Sentence | None:
        """Remember an agent's note; tell which checks failed."""
        task = checkpoint["task_id"]
        failed = (checkpoint["detail"] or {}).get("checks")
        if checkpoint["type"] == "progress":
            self._notes[task] = checkpoint["summary"]
        if not failed:
            return None
        names = " and ".join(f"'{each['name']}'" for each in failed)
        lines = [line for each in failed for line in str(each.get("output") or "").strip().splitlines()]
        text = f"That is not true: {names} fails on the merged tree. The report on {self._name(task)} is rejected:"
        return Sentence(text=text, mood="bad", details=tuple(lines[-MAX_OUTPUT:]))

    def _reported(self, candidate: Mapping[str, Any]) -> Sentence:
        task = candidate["task_id"]
        again = self._before.pop(task, None)
        if again == "conflicted":
            return Sentence(text=f"The agent on {self._name(task)} has combined both sides and reports again.")
        if again == "refused":
            return Sentence(text=f"The agent on {self._name(task)} has fixed it and reports again.")
        return Sentence(text=f"The agent on {self._name(task)} reports that it is done.")

    def _judged(self, candidate: Mapping[str, Any]) -> Sentence | None:
        task = candidate["task_id"]
        if candidate["state"] == "failed":
            self._before[task] = "refused"
        if candidate["state"] != "conflicted":
            return None
        self._before[task] = "conflicted"
        found = [each for each in candidate["findings"] if each["kind"] == "conflict"]
        files = ", ".join(each["path"] for each in found)
        others = " and ".join(dict.fromkeys(self._name(id) for each in found for id in each["tasks"]))
        text = f"{self._name(task)} conflicts with {others or 'earlier work'} in {files}. Its agent gets both sides."
        return Sentence(text=text, mood="bad")

    def _completed(self, task: Mapping[str, Any]) -> Sentence | None:
        if task["status"] != "completed" or self._before.get(task["id"]) == "merged":
            return None
        self._before[task["id"]] = "merged"
        text = f"{self._name(task['id'])} passes its check on the merged tree: {task['proof_state']} and merged."
        return Sentence(text=text, mood="good")

    def _asked(self, item: Mapping[str, Any]) -> Sentence:
        if self._open and item["agent_id"] is None:
            return Sentence(text="Everything else is done: the run waits for your answer.", mood="asks")
        self._open.add(item["id"])
        who = f"The agent on {self._name(item['task_id'])} asks you" if item["agent_id"] else "The run asks you"
        choices = tuple(f"{number}. {choice['label']}" for number, choice in enumerate(item["choices"], start=1))
        return Sentence(text=f"{who}: {item['subject']}", mood="asks", details=choices)

    def _answered(self, item: Mapping[str, Any]) -> Sentence | None:
        if item["state"] != "open":
            self._open.discard(item["id"])
        if item["state"] != "answered":
            return None
        if item["task_id"] is not None:
            self._before[item["task_id"]] = "answered"
        return Sentence(text=f"{self.answerer}: {item['answer']}", mood="asks")

    def _name(self, task_id: str) -> str:
        return f"'{self.names.get(task_id, task_id)}'"
