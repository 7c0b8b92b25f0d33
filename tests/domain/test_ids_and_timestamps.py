"""Ids, moments, scopes and permissions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain import ids, timestamps
from mission.domain.errors import InvalidInput
from mission.domain.tasks.changes import Changes, Rename, verify_scope


def test_ids_are_short_typed_and_not_repeated():
    made = {ids.new_id(kind) for kind in ids.PREFIXES for _ in range(200)}

    assert len(made) == 200 * len(ids.PREFIXES)
    assert all(re.fullmatch(r"[a-z]+_[0-9a-z]{10}", id) for id in made)


@pytest.mark.parametrize("given_id", ["", "m", "m-1", "42", "x y", "_", "zz_0000000000"])
def test_what_is_no_id_is_said_to_be_none(given_id):
    with pytest.raises(InvalidInput, match="is not a mission id"):
        ids.expect_kind(given_id, "mission", field="mission_id")


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_a_moment_survives_being_shown_and_read(moment):
    shown = timestamps.format_time(moment)

    assert shown.endswith("Z")
    assert timestamps.parse_time(shown, field="since") == moment
    assert abs(timestamps.parse_time(moment.timestamp(), field="since") - moment) < timedelta(milliseconds=1)
    if moment.timestamp() > 200_000_000:
        assert abs(timestamps.parse_time(str(int(moment.timestamp() * 1000)), field="since") - moment) < timedelta(
            seconds=1
        )


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "nan", "1e400", "99999999999999999999"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(InvalidInput, match="since"):
        timestamps.parse_time(text, field="since")


@pytest.mark.parametrize(
    ("path", "area", "inside"),
    [
        ("src/auth/token.py", "auth", True),
        ("src/auth/token.py", "AUTH", True),
        ("src/auth/token.py", "src/auth", True),
        ("src/auth/token.py", "src/auth/", True),
        ("src/auth/token.py", "./src", True),
        ("src/auth/token.py", "auth/token.py", True),
        ("src/authors/x.py", "auth", False),
        ("src/auth.py", "auth", False),
        ("src/auth/token.py", "token", False),
        ("src/auth/token.py", "*.py", True),
        ("src/auth/token.py", "src/**", True),
        ("src/auth/token.py", "lib/*", False),
        ("a/src/b.py", "src/b.py", True),
    ],
)
def test_an_area_is_whole_segments_or_a_glob(path, area, inside):
    found = verify_scope(Changes(added=[path]), [area])

    assert found.scope_match is inside
    assert list(found.unexpected_files) == ([] if inside else [path])
    assert bool(found.warnings) is not inside


def test_without_areas_everything_was_expected():
    assert verify_scope(Changes(added=["a"], deleted=["b"]), []).scope_match is True
    assert verify_scope(None, ["src"]).scope_match is True


@given(
    st.builds(
        Changes,
        added=st.lists(st.text()),
        modified=st.lists(st.text()),
        deleted=st.lists(st.text()),
        renamed=st.lists(st.builds(Rename, source=st.text(), target=st.text())),
    )
)
def test_changes_survive_being_stored(changes):
    assert Changes.from_dict(changes.as_dict()).as_dict() == changes.as_dict()
