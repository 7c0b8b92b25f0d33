"""Options of a run survive the store, and delays follow the attempts."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.runs.options import AgentMix, Limits, Overlap, RunOptions

_AMOUNTS = st.none() | st.integers(0, 10**6)
LIMITS = st.builds(Limits, usd=_AMOUNTS, tokens=_AMOUNTS, minutes=_AMOUNTS, launches=_AMOUNTS)
AGENTS = st.builds(AgentMix, client=st.sampled_from(["codex", "command"]), count=st.integers(1, 9))
OPTIONS = st.builds(
    RunOptions,
    agents=st.lists(AGENTS, max_size=3),
    overlap=st.sampled_from(Overlap),
    retry_minutes=st.lists(st.floats(0, 60), max_size=4),
    budget=LIMITS,
    budget_per_task=LIMITS,
    land=st.booleans(),
    finish_only=st.booleans(),
)


@given(OPTIONS)
def test_options_are_the_same_after_they_were_stored(options):
    stored = json.loads(json.dumps(options.as_dict()))

    assert RunOptions.from_dict(stored).as_dict() == options.as_dict()


def test_the_wait_grows_with_each_attempt_and_stays_at_the_last():
    options = RunOptions(retry_minutes=(1, 4, 16))

    assert [options.retry_delay(attempts) for attempts in (1, 2, 3, 4, 9)] == [60, 240, 960, 960, 960]


def test_without_delays_a_task_is_tried_again_at_once():
    assert RunOptions(retry_minutes=()).retry_delay(2) == 0


def test_a_changed_option_leaves_the_others():
    before = RunOptions(attempts=2, land=True)

    after = before.changed({"attempts": 5})

    assert (after.attempts, after.land) == (5, True)
