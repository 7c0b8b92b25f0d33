"""Lines of a client's output that are events, and all others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.runtime.adapters.client_events import Session, Usage, UsageCount, read_event
from mission.runtime.adapters.launch_adapter import launches

READERS = {name: launch.read for name, launch in launches().items() if launch.read is not None}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(
    ["system", "assistant", "result", "item.completed", "turn.completed", "message", "text", "error", "tool_use"]
)


@pytest.mark.parametrize("client", sorted(READERS))
@given(event=st.dictionaries(st.sampled_from(["data", "part", "message", "item", "error", "usage"]), JSON), kind=TYPES)
def test_an_event_of_an_unknown_shape_never_breaks_the_reader(client, event, kind):
    line = json.dumps({**event, "type": kind}).encode()

    assert isinstance(read_event(READERS[client], line, UsageCount()), list)


@pytest.mark.parametrize("line", [b"", b"npm warn", b"[1]", b"{", b'"text"', b"{" * 5_000, b'{"a":1}', b"\xff"])
def test_lines_that_are_not_events_say_nothing(line):
    def read(event, counter):
        yield Session(event["type"])

    assert read_event(read, line, UsageCount()) == []


def test_an_event_may_be_indented():
    def read(event, counter):
        yield Session(event["id"])

    assert read_event(read, b'  {"id": "s"}\r', UsageCount()) == [Session("s")]


@given(steps=st.lists(st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 9))))
def test_a_tally_is_the_sum_of_every_step_without_figures_that_nobody_told(steps):
    counter = UsageCount()
    last = Usage({})

    for step in steps:
        last = counter.add(**step)

    totals = {name: sum(step.get(name) or 0 for step in steps) for name in "abc"}
    assert last.figures == {name: total for name, total in totals.items() if total}
