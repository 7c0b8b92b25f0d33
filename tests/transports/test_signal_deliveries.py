"""The two deliveries: the same signals, printed or called, have the same effects."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.executions.signals import Delivery
from mission.runtime.running.markers import Marker, MarkerReader
from mission.services.executions.creation import CreatedExecution
from tests.conftest import Front
from tests.fake_executions import FakeExecutions
from tests.fault_cases import examples
from tests.transports.live_server import Live, serving
from tests.transports.mcp_server.test_signal_endpoint import post

Json = dict[str, Any]


@pytest.fixture(scope="module")
def fake_executions(live: Live) -> FakeExecutions:
    return FakeExecutions(live.app, Front(live.app))


text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30).filter(str.strip)
choice = st.fixed_dictionaries({"kind": st.just("fixed"), "label": text, "value": text}) | st.fixed_dictionaries(
    {"kind": st.just("manual"), "label": text}
)
payloads = st.one_of(
    st.tuples(st.just("progress"), st.fixed_dictionaries({"summary": text}, optional={"detail": text})),
    st.tuples(
        st.just("needs_input"),
        st.fixed_dictionaries({"question": text}, optional={"choices": st.lists(choice, max_size=7)}),
    ),
    st.tuples(st.sampled_from(["blocked", "failed_claim"]), st.fixed_dictionaries({"reason": text})),
    st.tuples(
        st.sampled_from(["ready_for_verification", "completed_claim"]),
        st.fixed_dictionaries({"summary": text | st.just("x" * 2_001)}),
    ),
    st.tuples(
        st.just("message"), st.fixed_dictionaries({"channel": st.sampled_from(["agent", "radio"]), "text": text})
    ),
)
scripts = st.lists(st.tuples(st.sampled_from(["e1", "e2", "e3", "e4"]), payloads), max_size=6)
"""Few event ids, so that some are repeated, with the same payload and with another."""


def call_all(live: Live, created: CreatedExecution, script: list[Any]) -> list[Json]:
    """Send the signals as an MCP client does."""
    answers = [
        post(live, created.execution.id, created.token, type, {"eventId": event_id, **payload})
        for event_id, (type, payload) in script
    ]
    return [answer.json["result"]["structuredContent"] for answer in answers]


def print_all(live: Live, created: CreatedExecution, script: list[Any], *, pieces: int) -> list[Json]:
    """Print the signals as an agent without MCP does, and read them in pieces, as they come out of a pipe."""
    execution_id = created.execution.id
    lines = [
        {"version": 1, "agentExecutionId": execution_id, "eventId": event_id, "signal": {"type": type, **payload}}
        for event_id, (type, payload) in script
    ]
    printed = "".join(f"working …\n@task::{json.dumps(line)}\n" for line in lines).encode()
    reader = MarkerReader(execution_id)
    found = [each for at in range(0, len(printed), pieces) for each in reader.feed(printed[at : at + pieces])]
    acks = []
    for marker in found:
        assert isinstance(marker, Marker)
        payload = {name: value for name, value in marker.signal.items() if name != "type"}
        deliver = live.app.gateway.signals.deliver(
            execution_id, marker.signal["type"], marker.event_id, payload, delivery=Delivery.STDOUT_MARKER
        )
        acks.append(live.run(deliver).as_dict())
    return acks


def seen(live: Live, fake_executions: FakeExecutions, created: CreatedExecution, since: int) -> Json:
    """Everything that the signals of an execution changed, without what names or dates it."""
    execution = live.call("execution_get", {"id": created.execution.id})
    task = live.call("task_get", {"id": created.task.id})
    queue = live.call("queue_list", {"mission_id": execution["mission_id"], "state": ["open", "dismissed"]})["items"]
    events = [event for event in live.run(fake_executions.events(since)) if event.mission_id == execution["mission_id"]]
    live.run(live.app.gateway.audit.flush())
    audit = live.call("audit_list", {"agent_id": created.agent.id})["entries"]
    return {
        "execution": [execution["status"], _undated(execution["progress"]), _undated(execution["claim"])],
        "task": [task["status"], _unnamed(task["hold"]), task["assigned_agent_id"] == created.agent.id],
        # Sorted: items of one moment have no order.
        "queue": sorted(
            ([item["kind"], item["state"], item["subject"], item["choices"], item["count"]] for item in queue), key=str
        ),
        "events": [event.type for event in events],
        "audit": [[entry["tool"], entry["status"]] for entry in audit],
    }


def _undated(said: Json | None) -> Json:
    return {name: value for name, value in (said or {}).items() if name != "at"}


def _unnamed(hold: Json | None) -> Json:
    return {name: value for name, value in (hold or {}).items() if name != "by"}


def _plain(ack: Json) -> list[Any]:
    return [ack["status"], ack["eventId"], "observationId" in ack, ack.get("reason")]


@settings(max_examples=examples(15))
@given(script=scripts, pieces=st.sampled_from([1, 7, 4096]), ends=st.booleans())
def test_what_is_printed_and_what_is_called_has_the_same_effects(live, fake_executions, script, pieces, ends):
    called = live.run(fake_executions.launch())
    printed = live.run(fake_executions.launch(delivery=Delivery.STDOUT_MARKER))
    since = live.run(live.app.database.read(lambda tx: tx.events.newest()))

    answers = call_all(live, called, script)
    read = print_all(live, printed, script, pieces=pieces)
    if ends:
        for created in (called, printed):
            live.run(fake_executions.end(created.execution.id))

    assert list(map(_plain, answers)) == list(map(_plain, read))
    assert seen(live, fake_executions, called, since) == seen(live, fake_executions, printed, since)


def test_a_signal_counts_once_across_a_restart_and_across_both_deliveries(settings):
    progress = ("progress", {"summary": "Half way"})
    with serving(settings) as live:
        fake_executions = FakeExecutions(live.app, Front(live.app))
        created = live.run(fake_executions.launch())
        [first] = call_all(live, created, [("e1", progress)])

    with serving(replace(settings, host_id="elsewhere")) as live:  # so that nobody looks for the agent's process
        fake_executions = FakeExecutions(live.app, Front(live.app))
        since = live.run(live.app.database.read(lambda tx: tx.events.newest()))
        [called, other] = call_all(live, created, [("e1", progress), ("e1", ("blocked", {"reason": "x"}))])
        [printed] = print_all(live, created, [("e1", progress)], pieces=64)
        [new] = print_all(live, created, [("e2", progress)], pieces=64)
        happened = live.run(fake_executions.events(since))

    assert (called["status"], called["observationId"]) == ("duplicate", first["observationId"])
    assert (other["status"], other["reason"]) == ("duplicate", "payload differs, use a new id")
    assert (printed["status"], printed["observationId"]) == ("duplicate", first["observationId"])
    assert (new["status"], "it uses mcp-tool" in new["reason"]) == ("rejected", True)
    assert [event.type for event in happened if event.type.startswith(("execution", "observation", "queue"))] == []
