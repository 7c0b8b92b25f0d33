"""The inbox: one list of items that wait for a person, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidInput, InvalidState, PermissionDenied
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.timestamps import format_time

SYSTEM = "system"
"""The closer of an item that was withdrawn because its answer is no longer needed."""


APPROVE_RESULT = {"kind": "fixed", "label": "Approve", "value": "accept"}
SEND_BACK = {"kind": "manual", "label": "Send back", "placeholder": "What is missing?"}
"""The two ways out of a review."""

RETRY = {"kind": "fixed", "label": "Retry", "value": "retry"}
RETRY_WITH_HINT = {
    "kind": "manual",
    "label": "Retry with a hint",
    "placeholder": "What should the agent do differently?",
}
GIVE_TO_ANOTHER = {
    "kind": "manual",
    "label": "Give to another",
    "placeholder": "An agent, or a client such as codex",
}
SKIP = {"kind": "fixed", "label": "Skip", "value": "skip"}
APPROVE = {"kind": "fixed", "label": "Approve", "value": "approve"}
REFUSE = {"kind": "fixed", "label": "Refuse", "value": "refuse"}
"""The two answers to commands that an agent proposed as checks."""
AFTER_FAILURE = (RETRY, RETRY_WITH_HINT, GIVE_TO_ANOTHER, SKIP)
"""Choices for a task whose agent failed."""


def is_approval(choice: Mapping[str, Any]) -> bool:
    """Return whether a choice approves the result under review; in items of version 0.2 it is labeled 'Accept'."""
    return choice.get("value") == APPROVE_RESULT["value"]


class ItemKind(StrEnum):
    QUESTION = "question"
    BLOCKER = "blocker"
    REVIEW = "review"
    FAILURE = "failure"
    ESCALATION = "escalation"
    MAIL = "mail"
    HEALTH = "health"
    CHECKS = "checks"
    """Commands that an agent proposed as checks, or checks that cannot run."""
    RUN = "run"
    """A run cannot continue without a person."""


class ItemState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    DISMISSED = "dismissed"


HOLDING = frozenset({ItemKind.QUESTION, ItemKind.BLOCKER})
"""Kinds of items that can block a task."""

NO_ANSWER = "There will be no answer; use your best judgment."
"""The answer that an agent reads when its question was dismissed."""

STALLING_KINDS = frozenset({*HOLDING, ItemKind.REVIEW})
"""Kinds of items that a stalled task may wait for."""


PRIVATE_KINDS = frozenset({ItemKind.MAIL, ItemKind.ESCALATION})
"""Kinds of items that only the person reads: mail, and escalations of failed calls. Agents read the mail they wrote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxItem:
    """One thing that waits, or waited, for a person. Immutable: a move returns a new item."""

    id: str
    kind: ItemKind
    subject: str
    created_at: datetime
    updated_at: datetime
    body: str = ""
    state: ItemState = ItemState.OPEN
    mission_id: str | None = None
    task_id: str | None = None
    agent_id: str | None = None
    execution_id: str | None = None
    message_id: str | None = None
    entry_id: str | None = None
    choices: Sequence[Mapping[str, Any]] = ()
    once: str | None = None
    count: int = 1
    answer: str | None = None
    choice: int | None = None
    closed_by: str | None = None
    closed_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state is ItemState.OPEN

    @property
    def holds_task(self) -> bool:
        """Return whether a task may wait until this is closed; a journal issue does not block its task."""
        return self.kind in HOLDING and self.task_id is not None and self.entry_id is None

    @property
    def hold(self) -> Hold:
        """Return the hold of the task that waits until this is closed."""
        kind = HoldKind.INPUT if self.kind is ItemKind.QUESTION else HoldKind.BLOCKED
        return Hold(kind, self.body or self.subject, self.agent_id)

    @property
    def answer_text(self) -> str:
        """Return the text of the answer without the value of the choice."""
        value = str(self.chosen.get("value") or "")
        return (self.answer or "").removeprefix(value).removeprefix(": ") if value else self.answer or ""

    @property
    def answer_in_words(self) -> str:
        """Return the answer as people read it: the label of the choice and the added text."""
        return ": ".join(filter(None, (str(self.chosen.get("label") or ""), self.answer_text)))

    @property
    def chosen(self) -> Mapping[str, Any]:
        """Return the selected choice; empty if the answer is only text."""
        return self.choice_of(self.choice)

    @property
    def labels(self) -> list[str]:
        """Return the labels of the choices."""
        return [str(choice["label"]) for choice in self.choices]

    def check_reader(self, agent_id: str | None) -> None:
        """Raise PermissionDenied unless the agent may read the item; None is the person, who may read all."""
        written = self.kind is ItemKind.MAIL and self.agent_id == agent_id
        if agent_id is not None and self.kind in PRIVATE_KINDS and not written:
            raise PermissionDenied(
                f"inbox item {self.id} is only for the operator",
                hint="Agents can read questions, blockers, reviews, failures, health items and their own mail.",
                item_id=self.id,
            )

    def seen_again(self, *, body: str, at: datetime) -> InboxItem:
        """Return the item with one more occurrence and the latest text."""
        return replace(self, count=self.count + 1, body=body or self.body, updated_at=at)

    def answered(self, *, text: str, choice: int | None, by: str, at: datetime) -> InboxItem:
        """Return the item with a person's answer: the value of the choice, if it has one, and the text."""
        self._check(ItemState.ANSWERED)
        words = ": ".join(filter(None, (str(self.choice_of(choice).get("value") or ""), text.strip())))
        if not words:
            raise InvalidInput(
                "text: must not be empty",
                hint="Give text, or the number of a choice with its own value.",
                field="text",
            )
        return self._closed(ItemState.ANSWERED, answer=words, choice=choice, by=by, at=at)

    def dismissed(self, *, by: str, at: datetime, reason: str | None = None) -> InboxItem:
        """Return the item, dismissed without an answer."""
        self._check(ItemState.DISMISSED)
        return self._closed(ItemState.DISMISSED, answer=reason, choice=None, by=by, at=at)

    def _check(self, wanted: ItemState) -> None:
        if not self.is_open:
            raise InvalidState(
                f"inbox item {self.id} is already {self.state}",
                hint="To add something, send the agent a message.",
                current=str(self.state),
                wanted=str(wanted),
                legal=[],
            )

    def choice_of(self, choice: int | None) -> Mapping[str, Any]:
        """Return the choice with that number; empty for None."""
        if choice is None:
            return {}
        if not 1 <= choice <= len(self.choices):
            listed = ", ".join(f"{number} {label}" for number, label in enumerate(self.labels, 1))
            raise InvalidInput(
                f"choice: there is no choice {choice}",
                hint=f"The choices are: {listed}." if listed else "This item has no choices: answer with text.",
                field="choice",
            )
        return self.choices[choice - 1]

    def _closed(self, state: ItemState, *, answer: str | None, choice: int | None, by: str, at: datetime) -> InboxItem:
        return replace(self, state=state, answer=answer, choice=choice, closed_by=by, closed_at=at, updated_at=at)

    def record(self) -> dict[str, Any]:
        """Return the item as events and lists show it, without its body."""
        return {
            "id": self.id,
            "kind": str(self.kind),
            "state": str(self.state),
            "subject": self.subject,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "agent_id": self.agent_id,
            "execution_id": self.execution_id,
            "message_id": self.message_id,
            "entry_id": self.entry_id,
            "choices": [dict(choice) for choice in self.choices],
            "count": self.count,
            "answer": self.answer,
            "choice": self.choice,
            "closed_by": self.closed_by,
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
            "closed_at": format_time(self.closed_at),
        }
