"""Signals: what a launched agent can say about itself. The one source of its MCP tools, of the marker
instructions in its prompt and of the check of what arrives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.executions.signal_fields import Artifacts, Choices, Field, TextField, read_fields

LONGEST_MESSAGE = 8_000
LONGEST_EVENT_ID = 200
LARGEST_SIGNAL = 16 * 1024
"""Bytes of a whole call, or of a whole marker line."""
MOST_CHOICES = 6


class Delivery(StrEnum):
    """How an agent's signals reach us."""

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
    """What an accepted observation may do."""

    PROGRESS = "progress"
    CLAIM = "claim"
    INPUT_REQUEST = "input-request"
    AUDIT_MESSAGE = "audit-message"
    DIAGNOSTIC = "diagnostic"


class SignalOutcome(StrEnum):
    """Where the effect of an accepted observation is seen."""

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
        """The descriptor that was written down; a field that it does not have is refused, whatever it is."""
        unknown = sorted(given.keys() - DESCRIPTOR_FIELDS.keys())
        if unknown:
            hint = (
                "A signal lists its 'deliveries'."
                if "delivery" in unknown
                else f"It has: {', '.join(DESCRIPTOR_FIELDS)}."
            )
            raise InvalidInput(f"{unknown[0]}: a signal descriptor has no such field", hint=hint, field=unknown[0])
        absent = [name for name, needed in DESCRIPTOR_FIELDS.items() if needed and name not in given]
        if absent:
            raise InvalidInput(f"{absent[0]}: a signal descriptor needs it", field=absent[0])
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
"""The fields of a descriptor on the wire, and whether each must be there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SignalKind:
    """Everything that is settled about a kind of signal before an execution chooses its deliveries."""

    type: SignalType
    label: str
    description: str
    icon: str
    tone: Tone
    policy: SignalPolicy
    outcomes: Sequence[SignalOutcome]
    fields: Mapping[str, Field]
    deliveries: Sequence[Delivery] = field(default=tuple(Delivery))
    goes_on: bool = False
    """Whether an agent that sends it no longer waits for an answer."""

    @property
    def schema_key(self) -> str:
        return f"agent-signal.{self.type}.v1"

    def descriptor(self, delivery: Delivery) -> SignalDescriptor:
        """The descriptor of an execution that selected this delivery."""
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
        """JSON Schema of the payload, the same for every delivery."""
        return {
            "type": "object",
            "properties": {name: each.schema() for name, each in self.fields.items()},
            "required": [name for name, each in self.fields.items() if each.required],
        }

    def read(self, payload: Any) -> dict[str, Any]:
        """The payload as it is stored; an error names the field that is wrong."""
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
            description="Say what you are doing or have just done.",
            icon="activity",
            tone=Tone.PROGRESS,
            policy=SignalPolicy.PROGRESS,
            goes_on=True,
            outcomes=_STATE,
            fields={
                "summary": TextField(description="One sentence"),
                "detail": TextField(description="More, if it helps", required=False),
                **_ARTIFACTS,
            },
        ),
        SignalKind(
            type=SignalType.NEEDS_INPUT,
            label="Needs input",
            description="Ask the operator a question you cannot go on without.",
            icon="circle-help",
            tone=Tone.ATTENTION,
            policy=SignalPolicy.INPUT_REQUEST,
            outcomes=(*_STATE, SignalOutcome.OWNER_EVENT),
            fields={
                "question": TextField(description="What you need to know"),
                "choices": Choices(description="Answers to offer; free text is always possible", most=MOST_CHOICES),
                **_ARTIFACTS,
            },
        ),
        SignalKind(
            type=SignalType.BLOCKED,
            label="Blocked",
            description="Say that you cannot go on, and why.",
            icon="octagon-alert",
            tone=Tone.DANGER,
            policy=SignalPolicy.INPUT_REQUEST,
            outcomes=(*_STATE, SignalOutcome.OWNER_EVENT, SignalOutcome.WORKFLOW_EVENT),
            fields={"reason": TextField(description="What is in the way"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.READY_FOR_VERIFICATION,
            label="Ready for verification",
            description="Say that the work can be checked. It is a claim: it completes nothing.",
            icon="clipboard-check",
            tone=Tone.ATTENTION,
            policy=SignalPolicy.CLAIM,
            goes_on=True,
            outcomes=_OWNED,
            fields={"summary": TextField(description="What can be checked"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.COMPLETED_CLAIM,
            label="Completed (claim)",
            description="Say that you think the task is done. It is a claim: it completes nothing.",
            icon="circle-check",
            tone=Tone.SUCCESS,
            policy=SignalPolicy.CLAIM,
            goes_on=True,
            outcomes=_OWNED,
            fields={"summary": TextField(description="What was done"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.FAILED_CLAIM,
            label="Failed (claim)",
            description="Say that you could not do the task, and why. It is a claim: it ends nothing.",
            icon="circle-x",
            tone=Tone.DANGER,
            policy=SignalPolicy.CLAIM,
            goes_on=True,
            outcomes=_OWNED,
            fields={"reason": TextField(description="Why it failed"), **_ARTIFACTS},
        ),
        SignalKind(
            type=SignalType.MESSAGE,
            label="Message",
            description="Leave a line in the record; nothing else happens.",
            icon="message-square",
            tone=Tone.MUTED,
            policy=SignalPolicy.AUDIT_MESSAGE,
            outcomes=(SignalOutcome.EXECUTION_EVENT,),
            fields={
                "channel": TextField(
                    options=("agent", "system", "stdout", "stderr"), description="Where it comes from"
                ),
                "text": TextField(longest=LONGEST_MESSAGE, description="The line"),
                **_ARTIFACTS,
            },
        ),
    )
}

EVENT_ID = TextField(
    longest=LONGEST_EVENT_ID, description="Your own name for this signal; a repeat under it has no effect"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One signal that was checked: its kind and its payload."""

    kind: SignalKind
    payload: Mapping[str, Any]

    @property
    def type(self) -> SignalType:
        return self.kind.type


def read_signal(type: Any, payload: Any) -> Signal:
    """The signal an agent sent, or an error that names what is wrong with it."""
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
    """What the MCP tool of that signal takes: the payload's fields and the event's id."""
    payload = kind.payload_schema()
    return {
        "type": "object",
        "properties": {"eventId": EVENT_ID.schema(), **payload["properties"]},
        "required": ["eventId", *payload["required"]],
    }


def _text(given: Mapping[str, Any], name: str) -> str:
    return TextField(longest=LONGEST_MESSAGE).read(given[name], name=name)


def _word(words: Any, value: Any, *, field: str) -> Any:
    return words(TextField(options=[str(word) for word in words]).read(value, name=field))


def _words(words: Any, values: Any, *, field: str) -> tuple[Any, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str | Mapping):
        raise InvalidInput(f"{field}: must be a list of {', '.join(words)}", field=field)
    found = tuple(_word(words, value, field=field) for value in values)
    if not found or len(set(found)) != len(found):
        raise InvalidInput(f"{field}: names each of its words once, and at least one", field=field)
    return found
