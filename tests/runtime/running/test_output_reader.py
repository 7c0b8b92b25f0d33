"""Output of clients: their events are understood, however cut, and what they quote is no signal."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mission.runtime.adapters.client_events import AgentText, Failed, Usage
from mission.runtime.adapters.launch_adapter import launches
from mission.runtime.running.markers import Diagnostic, Marker
from mission.runtime.running.output_reader import MAX_LINE_BYTES, OutputFinding, OutputReader
from mission.runtime.running.runner_process import Chunk
from tests.fault_cases import examples

X = "x_0123456789"
LAUNCHES = launches()


def marker(event_id: str) -> str:
    signal = {"type": "progress", "summary": "on it"}
    return "@task::" + json.dumps({"version": 1, "agentExecutionId": X, "eventId": event_id, "signal": signal})


def chunks(data: bytes, cuts: list[int]) -> list[Chunk]:
    edges = [0, *sorted(cuts), len(data)]
    return [
        Chunk(stream="out", offset=a, at_line_start=a == 0 or data[a - 1 : a] == b"\n", end=b, data=data[a:b])
        for a, b in pairwise(edges)
    ]


def read(client: str, *events: Any, markers: bool = True) -> list[OutputFinding]:
    reader = OutputReader(X, read=LAUNCHES[client].read, markers=markers)
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    return [found for chunk in chunks(data, []) for found in reader.feed(chunk)] + reader.end()


def test_markers_count_in_the_agents_own_words_only():
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": f"I begin\n{marker('mine')}"}]}}
    quoted = {"type": "user", "message": {"content": [{"type": "tool_result", "content": marker("quoted")}]}}
    sub = {**said, "parent_tool_use_id": "toolu_1"}

    found = read("claude-code", quoted, said, sub)

    assert [each.what.event_id for each in found if isinstance(each.what, Marker)] == ["mine"]


def test_words_that_come_in_pieces_are_put_together():
    pieces = [
        {"type": "message", "role": "assistant", "delta": True, "content": part}
        for part in (marker("a")[:9], marker("a")[9:])
    ]

    found = read("gemini-cli", *pieces, {"type": "result", "status": "success", "stats": {"input_tokens": 7}})

    assert [type(each.what) for each in found] == [Marker, Usage]


def test_figures_told_step_by_step_are_added_up():
    step = {"type": "step_finish", "sessionID": "s", "part": {"tokens": {"input": 10, "output": 2}, "cost": 0.5}}

    found = read("opencode", step, step)

    assert found[-1].what == Usage({"input_tokens": 20, "output_tokens": 4, "cost_usd": 1.0})


def test_foreign_and_broken_lines_say_nothing():
    reader = OutputReader(X, read=LAUNCHES["codex"].read, markers=True)
    data = b'warming up\n{"type":7}\n{"type":"item.completed"}\n[1]\n{"type":"turn.failed","error":{"message":"no"}}\n'

    found = [each.what for chunk in chunks(data, []) for each in reader.feed(chunk)]

    assert found == [Failed("no")]


def test_an_event_without_end_is_left_out_and_told_of_once():
    reader = OutputReader(X, read=LAUNCHES["codex"].read, markers=True)
    flood = chunks(b'{"' + b"x" * (2 * MAX_LINE_BYTES), list(range(65536, 2 * MAX_LINE_BYTES, 65536)))

    found = [each.what for chunk in flood for each in reader.feed(chunk)]

    assert [type(each) for each in found] == [Diagnostic]
    assert reader.dealt_with() == flood[-1].end


@settings(max_examples=examples(40))
@given(st.data())
def test_reading_again_from_where_everything_was_dealt_with_finds_all_the_rest_and_nothing_new(data: st.DataObject):
    lines = data.draw(st.lists(st.sampled_from([marker("a"), marker("b"), "noise", "@task::{", ""]), max_size=10))
    stream = "\n".join(lines).encode()
    pieces = chunks(stream, data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    crash = data.draw(st.integers(0, len(pieces)))
    whole = OutputReader(X, read=None, markers=True)
    every = {each.key for chunk in pieces for each in whole.feed(chunk)} | {each.key for each in whole.end()}

    before, after = OutputReader(X, read=None, markers=True), OutputReader(X, read=None, markers=True)
    seen = {each.key for chunk in pieces[:crash] for each in before.feed(chunk)}
    taken = before.dealt_with() or 0
    rest = [chunk for chunk in pieces if chunk.end > taken]
    seen |= {each.key for chunk in rest for each in after.feed(chunk)} | {each.key for each in after.end()}

    assert seen == every


def test_text_is_not_kept_when_no_markers_are_wanted():
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": marker("a")}}

    assert not [each for each in read("codex", said, markers=False) if isinstance(each.what, AgentText | Marker)]
