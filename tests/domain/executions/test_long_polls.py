"""Which calls are meant to wait or to be repeated."""

from __future__ import annotations

import pytest

from mission.domain.executions.long_polls import is_long_poll


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("wait_for_events", {"since": 1}, True),
        ("agent_heartbeat", {"agent_id": "a_1"}, True),
        ("task_checks", {"task_id": "t_1"}, True),
        ("task_get", {"wait_seconds": 5}, True),
        ("task_get", {"id": "t_1"}, False),
        ("note_add", {"text": "wait for the poll"}, False),
    ],
)
def test_a_call_waits_by_its_name_or_the_names_of_its_arguments(tool, arguments, expected):
    assert is_long_poll(tool, arguments) is expected
