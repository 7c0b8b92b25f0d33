"""Slots of worktrees."""

from __future__ import annotations

import re
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.slot import IDLE, TreeSlot, expired, lowest_free, name_of
from tests.domain.checks.rounds import NOW


@given(st.text(min_size=1))
def test_a_name_is_valid_for_a_database_and_differs_by_path(path):
    assert re.fullmatch(r"m_[a-z0-9_]{1,38}", name_of(path))
    assert name_of(path) != name_of(f"{path}x/y")


@given(st.sets(st.integers(0, 20)))
def test_the_lowest_free_number_is_given(used):
    number = lowest_free(used)

    assert number not in used
    assert all(lower in used for lower in range(number))


def test_a_slot_that_was_long_unused_is_free_again():
    used = TreeSlot(host_id="h", path="/a", slot=0, port_base=20_000, name="m_a", used_at=NOW)

    assert expired([used], now=NOW + IDLE) == []
    assert expired([used], now=NOW + IDLE + timedelta(seconds=1)) == [used]
