"""Times as callers give and see them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.timestamps import format_time, parse_time, seconds_between, span_in_words, utc_now

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "given_time",
    [
        "2026-01-15T12:00:00Z",
        "2026-01-15T12:00:00",
        "2026-01-15T14:00:00+02:00",
        "2026-01-15 12:00",
        NOON.timestamp(),
        int(NOON.timestamp()),
        int(NOON.timestamp() * 1000),
        str(NOON.timestamp()),
        f" {int(NOON.timestamp())} ",
    ],
)
def test_every_accepted_form_means_the_same_moment(given_time):
    assert parse_time(given_time, field="since") == NOON


def test_a_time_of_another_zone_is_shown_in_utc():
    assert format_time(NOON.astimezone(timezone(timedelta(hours=-8)))) == "2026-01-15T12:00:00Z"
    assert format_time(None) is None


def test_now_has_a_zone():
    assert utc_now().utcoffset() == timedelta(0)


@given(st.timedeltas(timedelta(days=-1), timedelta(days=1)))
def test_seconds_between_two_times_are_never_negative_and_exact_to_the_millisecond(span):
    seconds = seconds_between(NOON, NOON + span)

    assert seconds == max(0.0, round(span.total_seconds(), 3))


def test_an_open_stretch_has_no_length():
    assert seconds_between(None, NOON) is None
    assert seconds_between(NOON, None) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "less than a minute"), (44 * 60, "44 min"), (3600, "1 h"), (6240, "1 h 44 min"), (100 * 3600, "4 d 4 h")],
)
def test_a_span_is_told_in_its_two_largest_units(seconds, words):
    assert span_in_words(timedelta(seconds=seconds)) == words
