"""Counts in sentences."""

from __future__ import annotations

import pytest

from mission.domain.plural import counted


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (12_000, "12,000 files")]
)
def test_only_one_of_something_is_singular(number: int, expected: str) -> None:
    assert counted(number, "file") == expected


def test_an_irregular_plural_is_given() -> None:
    assert counted(2, "entry", "entries") == "2 entries"
