"""The published schemas of the protocol."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from mission.domain.executions.execution import OwnerKind
from mission.domain.executions.signal_schemas import document
from mission.domain.executions.signals import KINDS, Delivery
from tests.domain.samples import execution

MARKER = {"version": 1, "agentExecutionId": "x_1", "eventId": "e1", "signal": {"type": "blocked", "reason": "No key"}}


def valid(name, value):
    return Draft202012Validator({**document(), "$ref": f"#/$defs/{name}"}).is_valid(value)


def test_the_document_is_a_valid_schema_with_every_reference_defined():
    whole = document()

    Draft202012Validator.check_schema(whole)
    assert {kind.schema_key for kind in KINDS.values()} <= whole["$defs"].keys()
    for definition in whole["$defs"]:
        Draft202012Validator({**whole, "$ref": f"#/$defs/{definition}"}).is_valid({})


def test_a_tool_takes_the_payload_and_an_event_id():
    for kind in KINDS.values():
        tool = document()["$defs"][f"{kind.type} (tool)"]
        payload = kind.payload_schema()
        assert tool["required"] == ["eventId", *payload["required"]]
        assert tool["properties"].keys() == {"eventId", *payload["properties"]}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"agentExecutionId": ""},
        {"eventId": "x" * 201},
        {"signal": {"type": "blocked"}},
        {"signal": {"type": "celebrate", "reason": "x"}},
        {"extra": True},
    ],
)
def test_a_marker_of_another_shape_does_not_fit(change):
    assert valid("AgentSignalMarker", MARKER)
    assert not valid("AgentSignalMarker", {**MARKER, **change})


@pytest.mark.parametrize("delivery", list(Delivery))
def test_the_protocol_of_an_execution_fits_and_a_changed_one_does_not(delivery):
    protocol = execution(delivery=delivery).protocol

    assert valid("AgentExecutionProtocolDescriptor", protocol)
    assert not valid("AgentExecutionProtocolDescriptor", {**protocol, "signals": []})
    assert not valid("AgentExecutionProtocolDescriptor", {**protocol, "version": 2})
    assert not valid("AgentExecutionProtocolDescriptor", {**protocol, "secret": "x"})


def test_the_transport_of_an_execution_fits():
    assert valid("AgentExecutionTransportState", execution().transport)
    assert not valid("AgentExecutionTransportState", {**execution().transport, "degraded": True})


def test_every_owner_is_known_to_the_schema():
    owner = document()["$defs"]["AgentExecutionProtocolDescriptor"]["properties"]["owner"]["properties"]

    assert owner["entity"]["enum"] == [str(kind) for kind in OwnerKind]
    assert owner["markerPrefix"]["enum"] == [kind.marker_prefix for kind in OwnerKind]
