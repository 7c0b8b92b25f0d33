"""Observations and the acknowledgements that their senders get."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mission.domain.executions.observation import Ack, AckStatus, Origin
from mission.domain.executions.signal_schemas import ACK
from mission.domain.executions.signals import Delivery
from tests.domain.samples import SHOWN, observation


def test_every_delivery_is_an_origin():
    assert [Origin.of(delivery) for delivery in Delivery] == [Origin.STDOUT_MARKER, Origin.MCP_TOOL]


@given(st.sampled_from(AckStatus), st.none() | st.text(), st.none() | st.text(), st.booleans())
def test_an_acknowledgement_leaves_out_what_is_not_known_and_fits_its_schema(status, observation, reason, passing):
    ack = Ack(
        status=status,
        execution_id="x_1",
        event_id="e1",
        observation_id=observation,
        reason=reason,
        is_passing=passing,
    )

    sent = ack.as_dict()

    Draft202012Validator(ACK).validate(sent)
    assert sent.get("observationId") == observation
    assert sent.get("reason") == reason
    assert None not in sent.values()
    assert sent.keys() <= ACK["properties"].keys()


def test_a_record_shows_plain_values_and_no_digest():
    assert observation().record() == {
        "id": "obs_1",
        "execution_id": "x_1",
        "event_id": "e1",
        "origin": "terminal",
        "type": "progress",
        "policy": "progress",
        "payload": {"summary": "Half way"},
        "status": "promoted",
        "created_at": SHOWN,
    }
