"""JSON Schema of the protocol with launched agents, generated from the same source as the checks."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from mission.domain.executions.execution import MCP_SERVER, MESSAGES, PROTOCOL_VERSION, OwnerKind
from mission.domain.executions.observation import AckStatus
from mission.domain.executions.signals import (
    DESCRIPTOR_FIELDS,
    EVENT_ID,
    KINDS,
    Delivery,
    SignalKind,
    SignalOutcome,
    SignalPolicy,
    Tone,
    tool_schema,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": "string", "minLength": 1}

ACK = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": [str(status) for status in AckStatus]},
        "agentExecutionId": {"type": "string"},
        "eventId": {"type": "string"},
        "observationId": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["status", "agentExecutionId", "eventId"],
}
"""The acknowledgement of every delivery."""


def document() -> dict[str, Any]:
    """Return all schemas in one document, each under its name."""
    return {
        "$schema": DRAFT,
        "title": "Agent execution protocol",
        "$defs": {
            "AgentSignalDelivery": _words(Delivery),
            "AgentSignalDescriptor": _descriptor(),
            "AgentExecutionTransportState": _closed(
                {"selected": _ref("AgentSignalDelivery"), "degraded": {"const": False}}
            ),
            "AgentExecutionProtocolDescriptor": _protocol(),
            "AgentSignalMarker": _marker(),
            "AgentExecutionObservationAck": ACK,
            **{kind.schema_key: kind.payload_schema() for kind in KINDS.values()},
            **{f"{kind.type} (tool)": tool_schema(kind) for kind in KINDS.values()},
        },
    }


def _descriptor() -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(DESCRIPTOR_FIELDS, TEXT)
    fields["tone"], fields["policy"] = _words(Tone), _words(SignalPolicy)
    fields["deliveries"] = {**_several(_ref("AgentSignalDelivery")), "uniqueItems": True}
    fields["outcomes"] = {**_several(_words(SignalOutcome)), "uniqueItems": True}
    return _closed(fields, optional=[name for name, needed in DESCRIPTOR_FIELDS.items() if not needed])


def _protocol() -> dict[str, Any]:
    prefixes = [kind.marker_prefix for kind in OwnerKind]
    message = {**dict.fromkeys(MESSAGES[0], TEXT), "delivery": {"const": "best-effort"}}
    mcp = {"serverName": {"const": MCP_SERVER}, "exposure": {"const": "session-scoped"}, "publicApi": {"const": False}}
    scope = {"type": "object", "properties": {"kind": _words(OwnerKind)}, "required": ["kind"]}
    return _closed(
        {
            "version": {"const": PROTOCOL_VERSION},
            "owner": _closed({"entity": _words(OwnerKind), "entityId": TEXT, "markerPrefix": {"enum": prefixes}}),
            "scope": scope,
            "messages": _several(_closed({**message, "mutatesContext": {"type": "boolean"}})),
            "signals": _several(_ref("AgentSignalDescriptor")),
            "mcp": _closed(mcp),
        },
        optional=["mcp"],
    )


def _marker() -> dict[str, Any]:
    return _closed(
        {
            "version": {"const": PROTOCOL_VERSION},
            "agentExecutionId": TEXT,
            "eventId": EVENT_ID.schema(),
            "signal": {"oneOf": [_typed(kind) for kind in KINDS.values()]},
        }
    )


def _typed(kind: SignalKind) -> dict[str, Any]:
    payload = kind.payload_schema()
    properties = {"type": {"const": str(kind.type)}, **payload["properties"]}
    return {"type": "object", "properties": properties, "required": ["type", *payload["required"]]}


def _closed(properties: dict[str, Any], *, optional: list[str] | None = None) -> dict[str, Any]:
    required = [name for name in properties if name not in (optional or [])]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _several(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": 1}


def _words(words: type[StrEnum]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(word) for word in words]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}
