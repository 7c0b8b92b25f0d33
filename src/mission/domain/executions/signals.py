"""Signals that a launched agent can send: the single source of its MCP tools, marker instructions and checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.executions.signal_fields import Artifacts, Choices, Field, TextField, read_fields

MAX_MESSAGE_LENGTH = 8_000
MAX_EVENT_ID_LENGTH = 200
MAX_SIGNAL_BYTES = 16 * 1024
"""Maximum bytes of a complete call or marker line."""
MAX_CHOICES = 6


class Delivery(StrEnum):
    """The delivery method of an agent's signals."""

    STDOUT_MARKER = "stdout-marker"
    MCP_TOOL = "mcp-tool"


class Tone(StrEnum):
    NEUTRAL = "neutral"
    PROGRESS = "progress"
    ATTENTION = "attention"
    SUCCESS = "success"
    DANGER = "danger"
    MUTED = "muted"


class SignalPolicy(StrEnum):
    """The effect that an accepted observation may have."""

    PROGRESS = "progress"
    CLAIM = "claim"
    INPUT_REQUEST = "input-request"
    AUDIT_MESSAGE = "audit-message"
    DIAGNOSTIC = "diagnostic"


class SignalOutcome(StrEnum):
    """The place where an accepted observation takes effect."""

    EXECUTION_EVENT = "agent-execution-event"
    EXECUTION_STATE = "agent-execution-state"
    OWNER_EVENT = "owner-entity-event"
    WORKFLOW_EVENT = "workflow-event"


class SignalType(StrEnum):
    PROGRESS = "progress"
    NEEDS_INPUT = "needs_input"
    BLOCKED = "blocked"
    READY_FOR_VERIFICATION = "ready_for_verification"
    COMPLETED_CLAIM = "completed_claim"
    FAILED_CLAIM = "failed_claim"
    MESSAGE = "message"


@dataclass(frozen=True, kw_only=True, slots=True)
class SignalDescriptor:
    """One kind of signal, as a protocol descriptor lists it."""

    type: str
    label: str
    icon: str
    tone: Tone
    payload_schema_key: str
    deliveries: Sequence[Delivery]
    policy: SignalPolicy
    outcomes: Sequence[SignalOutcome]
    description: str | None = None

    def as_dict(self) -> dict[str, Any]:
        described = {"description": self.description} if self.description else {}
        return {
            "type": self.type,
            "label": self.label,
            **described,
            "icon": self.icon,
            "tone": str(self.tone),
            "payloadSchemaKey": self.payload_schema_key,
            "deliveries": [str(delivery) for delivery in self.deliveries],
            "policy": str(self.policy),
            "outcomes": [str(outcome) for outcome in self.outcomes],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> SignalDescriptor:
        """Return the stored descriptor; raise InvalidInput for an unknown or missing field."""
        unknown = sorted(given.keys() - DESCRIPTOR_FIELDS.keys())
        if unknown:
            hint = (
                "A signal lists its 'deliveries'."
                if "delivery" in unknown
                else f"It has: {', '.join(DESCRIPTOR_FIELDS)}."
            )
            raise InvalidInput(f"{unknown[0]}: unknown field of a signal descriptor", hint=hint, field=unknown[0])
        absent = [name for name, needed in DESCRIPTOR_FIELDS.items() if needed and name not in given]
        if absent:
            raise InvalidInput(f"{absent[0]}: is required in a signal descriptor", field=absent[0])
        return cls(
            type=_text(given, "type"),
            label=_text(given, "label"),
            description=_text(given, "description") if "description" in given else None,
            icon=_text(given, "icon"),
            tone=_word(Tone, given["tone"], field="tone"),
            payload_schema_key=_text(given, "payloadSchemaKey"),
            deliveries=_words(Delivery, given["deliveries"], field="deliveries"),
            policy=_word(SignalPolicy, given["policy"], field="policy"),
            outcomes=_words(SignalOutcome, given["outcomes"], field="outcomes"),
        )


DESCRIPTOR_FIELDS: Mapping[str, bool] = {
    "type": True,
    "label": True,
    "description": False,
    "icon": True,
    "tone": True,
    "payloadSchemaKey": True,
    "deliveries": True,
    "policy": True,
    "outcomes": True,
}
"""The fields of a descriptor as sent, and whether each is required."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SignalKind:
    """The definition of a kind of signal, before an execution selects its deliveries."""

    type: SignalType
    label: str
    description: str
    icon: str
    tone: Tone
    policy: SignalPolicy
    outcomes: Sequence[SignalOutcome]
    fields: Mapping[str, Field]
    deliveries: Sequence[Delivery] = field(default=tuple(Delivery))
    ends_wait: bool = False
    """Whether an agent that sends it no longer waits for an answer."""

    @property
    def schema_key(self) -> str:
        return f"agent-signal.{self.type}.v1"

    def descriptor(self, delivery: Delivery) -> SignalDescriptor:
        """Return the descriptor for an execution that uses this delivery."""
        return SignalDescriptor(
            type=str(self.type),
            label=self.label,
            description=self.description,
            icon=self.icon,
            tone=self.tone,
            payload_schema_key=self.schema_key,
            deliveries=(delivery,),
            policy=self.policy,
            outcomes=self.outcomes,
        )

    def payload_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the payload, the same for every delivery."""
        return {
            "type": "object",
            "properties": {name: each.schema() for name, each in self.fields.items()},
            "required": [name for name, each in self.fields.items() if each.required],
        }

    def read(self, payload: Any) -> dict[str, Any]:
        """Return the payload to store; raise an error that names the invalid field."""
        if not isinstance(payload, Mapping):
            raise InvalidInput(f"{self.type}: the payload must be an object", field="signal")
        return read_fields(self.fields, payload)


_STATE = (SignalOutcome.EXECUTION_EVENT, SignalOutcome.EXECUTION_STATE)
_OWNED = (SignalOutcome.EXECUTION_EVENT, SignalOutcome.OWNER_EVENT, SignalOutcome.WORKFLOW_EVENT)
_ARTIFACTS = {"artifacts": Artifacts()}

KINDS: Mapping[SignalType, SignalKind] = {
    kind.type: kind
    for kind in (
        SignalKind(
            type=SignalType.PROGRESS,
            label="Progress",
            description="Report what you are doing or have just done.",
            icon="activity",
            tone=Tone.PROGRESS,
            policy=SignalPolicy.PROGRESS,
            ends_wait=True,
            outcomes=_STATE,
            fields={
                "summary": TextField(description="One sentence"),
                "detail": TextField(description="More details (optional)", required=False),
                **_ARTIFACTS,
            },
        ),
        SignalKind(
            type=SignalType.NEEDS_INPUT,
            label="Needs input",
            description="Ask the operator a question you need answered to continue.",
            icon="circle-help",
            tone=Tone.ATTENTION,
            policy=SignalPolicy.INPUT_REQUEST,
            outcomes=(*_STATE, SignalOutcome.OWNER_EVENT),
            fields={
                "question": TextField(description="What you need to know"),
                "choices": Choices(description="Answers to offer; free text is always possible", max_items=MAX_CHOICES),
                **_ARTIFACTS,
            },
        ),
        SignalKind(
            type=SignalType.BLOCKED,
            label="Blocked",
            description="Report that you cannot continue, and why.",
            icon="octagon-alert",
            tone=Tone.DANGER,
            policy=SignalPolicy.INPUT_REQUEST,
            outcomes=(*_STATE, SignalOutcome.OWNER_EVENT, SignalOutcome.WORKFLOW_EVENT),
            fields={"reason": TextField(description="What is in the way"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.READY_FOR_VERIFICATION,
            label="Ready for verification",
            description="Report that the work is ready to be checked. This does not complete the task.",
            icon="clipboard-check",
            tone=Tone.ATTENTION,
            policy=SignalPolicy.CLAIM,
            ends_wait=True,
            outcomes=_OWNED,
            fields={"summary": TextField(description="What can be checked"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.COMPLETED_CLAIM,
            label="Completed (claim)",
            description="Report that you think the task is done. This does not complete the task.",
            icon="circle-check",
            tone=Tone.SUCCESS,
            policy=SignalPolicy.CLAIM,
            ends_wait=True,
            outcomes=_OWNED,
            fields={"summary": TextField(description="What was done"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.FAILED_CLAIM,
            label="Failed (claim)",
            description="Report that you could not do the task, and why. This does not end the task.",
            icon="circle-x",
            tone=Tone.DANGER,
            policy=SignalPolicy.CLAIM,
            ends_wait=True,
            outcomes=_OWNED,
            fields={"reason": TextField(description="Why it failed"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.MESSAGE,
            label="Message",
            description="Add a line to the record, with no other effect.",
            icon="message-square",
            tone=Tone.MUTED,
            policy=SignalPolicy.AUDIT_MESSAGE,
            outcomes=(SignalOutcome.EXECUTION_EVENT,),
            fields={
                "channel": TextField(
                    options=("agent", "system", "stdout", "stderr"), description="Where it comes from"
                ),
                "text": TextField(max_length=MAX_MESSAGE_LENGTH, description="The line"),
                **_ARTIFACTS,
            },
        ),
    )
}

EVENT_ID = TextField(
    max_length=MAX_EVENT_ID_LENGTH, description="Your own id for this signal; a repeat with the same id has no effect"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One checked signal: its kind and its payload."""

    kind: SignalKind
    payload: Mapping[str, Any]

    @property
    def type(self) -> SignalType:
        return self.kind.type


def read_signal(type: Any, payload: Any) -> Signal:
    """Return the signal that an agent sent, or raise an error that says what is wrong with it."""
    try:
        kind = KINDS[SignalType(type)]
    except ValueError:
        known = ", ".join(KINDS)
        raise InvalidInput(
            f"type: there is no signal '{str(type)[:60]}'", hint=f"Signals are: {known}.", field="type"
        ) from None
    return Signal(kind=kind, payload=kind.read(payload))


def read_event_id(value: Any) -> str:
    checked: str = read_fields({"eventId": EVENT_ID}, {"eventId": value})["eventId"]
    return checked


def tool_schema(kind: SignalKind) -> dict[str, Any]:
    """Return the input schema of the signal's MCP tool: the payload's fields and the event id."""
    payload = kind.payload_schema()
    return {
        "type": "object",
        "properties": {"eventId": EVENT_ID.schema(), **payload["properties"]},
        "required": ["eventId", *payload["required"]],
    }


def _text(given: Mapping[str, Any], name: str) -> str:
    return TextField(max_length=MAX_MESSAGE_LENGTH).read(given[name], name=name)


def _word(words: Any, value: Any, *, field: str) -> Any:
    return words(TextField(options=[str(word) for word in words]).read(value, name=field))


def _words(words: Any, values: Any, *, field: str) -> tuple[Any, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str | Mapping):
        raise InvalidInput(f"{field}: must be a list of {', '.join(words)}", field=field)
    found = tuple(_word(words, value, field=field) for value in values)
    if not found or len(set(found)) != len(found):
        raise InvalidInput(f"{field}: must have at least one value and no duplicates", field=field)
    return found
