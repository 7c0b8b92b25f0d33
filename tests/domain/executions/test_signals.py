"""Signals: one source for descriptors, schemas and checks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mission.domain.errors import InvalidInput
from mission.domain.executions.execution import Protocol
from mission.domain.executions.signal_schemas import document
from mission.domain.executions.signals import KINDS, Delivery, SignalDescriptor, SignalType, read_event_id, read_signal

DESCRIPTOR = KINDS[SignalType.PROGRESS].descriptor(Delivery.MCP_TOOL).as_dict()
EXAMPLES = {
    "progress": {"summary": "Half way", "detail": "a.c", "artifacts": [{"path": "a.c", "activity": "edit"}]},
    "needs_input": {
        "question": "Which?",
        "choices": [{"kind": "fixed", "label": "A", "value": "a"}, {"kind": "manual", "label": "Other"}],
    },
    "blocked": {"reason": "No key"},
    "ready_for_verification": {"summary": "Look"},
    "completed_claim": {"summary": "Done"},
    "failed_claim": {"reason": "No compiler"},
    "message": {"channel": "agent", "text": "x" * 8_000},
}


def valid(name):
    return Draft202012Validator({**document(), "$ref": f"#/$defs/{name}"})


@pytest.mark.parametrize("deliveries", [["stdout-marker"], ["mcp-tool"], ["stdout-marker", "mcp-tool"]])
def test_a_descriptor_lists_its_deliveries_and_is_read_back_as_it_was(deliveries):
    descriptor = {**DESCRIPTOR, "deliveries": deliveries}

    assert SignalDescriptor.from_dict(descriptor).as_dict() == descriptor
    valid("AgentSignalDescriptor").validate(descriptor)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"delivery": "mcp-tool"}, "delivery"),
        ({"deliveries": []}, "deliveries"),
        ({"deliveries": ["pigeon"]}, "deliveries"),
        ({"deliveries": "mcp-tool"}, "deliveries"),
        ({"deliveries": ["mcp-tool", "mcp-tool"]}, "deliveries"),
        ({"policy": "obey"}, "policy"),
        ({"tone": "loud"}, "tone"),
        ({"label": ""}, "label"),
    ],
)
def test_a_descriptor_of_another_shape_is_refused(change, field):
    with pytest.raises(InvalidInput) as refused:
        SignalDescriptor.from_dict({**DESCRIPTOR, **change})

    assert refused.value.details["field"] == field
    assert not valid("AgentSignalDescriptor").is_valid({**DESCRIPTOR, **change})


@pytest.mark.parametrize("delivery", list(Delivery))
def test_only_a_protocol_with_mcp_delivery_tells_of_the_server(delivery):
    protocol = Protocol.of_task(mission_id="m_1", task_id="t_1", tree=None, delivery=delivery).as_dict()

    valid("AgentExecutionProtocolDescriptor").validate(protocol)
    expected = {"serverName": "open-mission-mcp", "exposure": "session-scoped", "publicApi": False}
    assert protocol.get("mcp") == (expected if delivery is Delivery.MCP_TOOL else None)
    assert protocol["owner"] == {"entity": "task", "entityId": "t_1", "markerPrefix": "@task::"}
    assert [message["type"] for message in protocol["messages"]] == [
        "interrupt",
        "checkpoint",
        "nudge",
        "resume",
        "text",
    ]
    assert {tuple(signal["deliveries"]) for signal in protocol["signals"]} == {(str(delivery),)}
    assert Protocol.from_dict(protocol).as_dict() == protocol


def test_every_signal_is_taken_with_the_fields_of_its_schema_and_no_others():
    assert list(EXAMPLES) == list(KINDS)
    for type, payload in EXAMPLES.items():
        assert read_signal(type, payload).payload == payload
        valid(KINDS[SignalType(type)].schema_key).validate(payload)
        marker = {"version": 1, "agentExecutionId": "x_1", "eventId": "e", "signal": {"type": type, **payload}}
        valid("AgentSignalMarker").validate(marker)


@pytest.mark.parametrize(
    ("type", "payload", "problem"),
    [
        ("celebrate", {}, "there is no signal"),
        (["progress"], {}, "there is no signal"),
        ("progress", [], "must be an object"),
        ("progress", {"summary": "  "}, "must not be empty"),
        ("progress", {"summary": 5}, "must be text, not a number"),
        ("progress", {"summary": "\x00"}, "NUL"),
        ("progress", {"summary": "\ud800"}, "surrogate"),
        ("progress", {"summary": "x", "artifacts": [{"label": "y"}]}, "needs a path or an artifactId"),
        ("progress", {"summary": "x", "artifacts": ["y"] * 65}, "limit 64"),
        ("message", {"channel": "agent", "text": "x" * 8_001}, "limit 8,000"),
        ("needs_input", {"question": "?", "choices": [{"kind": "fixed", "label": "A"}]}, "choices.0.value"),
        ("needs_input", {"question": "?", "choices": "A"}, "must be a list"),
        ("blocked", {"reson": "x"}, "did you mean 'reason'"),
    ],
)
def test_a_wrong_payload_is_refused_in_words_that_name_the_field(type, payload, problem):
    with pytest.raises(InvalidInput, match=problem):
        read_signal(type, payload)


@pytest.mark.parametrize("event_id", [None, "", " ", 3, "x" * 201, "\x00"])
def test_a_signal_needs_an_event_id_of_its_own(event_id):
    with pytest.raises(InvalidInput, match="eventId"):
        read_event_id(event_id)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    type=st.sampled_from(list(KINDS)) | JSON, payload=st.dictionaries(st.sampled_from(["summary", "x"]), JSON) | JSON
)
def test_whatever_is_sent_is_read_or_refused_as_bad_input(type, payload):
    try:
        signal = read_signal(type, payload)
    except InvalidInput:
        return
    valid(signal.kind.schema_key).validate(signal.payload)


def test_an_agent_that_reports_or_claims_something_no_longer_waits_for_an_answer():
    going_on = {kind.type for kind in KINDS.values() if kind.ends_wait}

    assert set(KINDS) - going_on == {SignalType.NEEDS_INPUT, SignalType.BLOCKED, SignalType.MESSAGE}
