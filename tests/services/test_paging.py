"""Cursors of lists that are read newest first."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mission.domain.errors import InvalidInput
from mission.services.paging import cursor_of, position_of

NOON = datetime(2026, 1, 15, 12, 0, 0, 123456, tzinfo=UTC)


def test_a_cursor_leads_back_to_the_row_it_was_made_from():
    assert position_of(cursor_of(NOON, "t_0")) == (NOON, "t_0")
    assert position_of(None) is None


def test_a_moment_without_a_zone_is_utc():
    assert position_of("2026-01-15T12:00:00.123456 t_0") == (NOON, "t_0")


@pytest.mark.parametrize("cursor", ["", "t_0", "2026-01-15T12:00:00Z", "soon t_0", "0001-01-01T00:00:00+14:00 t_0"])
def test_what_is_no_cursor_is_refused_by_the_name_of_its_field(cursor):
    with pytest.raises(InvalidInput) as refused:
        position_of(cursor, field="before")

    assert refused.value.details["field"] == "before"
