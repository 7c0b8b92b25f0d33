"""Areas: which overlap."""

from __future__ import annotations

import pytest

from mission.domain.runs.decisions.areas import BusyAreas, folder


@pytest.mark.parametrize(
    ("busy", "area"),
    [
        ("src/auth", "src/auth"),
        ("src/auth", "src/auth/token.py"),
        ("src/auth/token.py", "src"),
        ("src/auth/**", "src/auth/x/*.py"),
        ("./src/auth/", "src/auth"),
        ("**/*.md", "docs"),
    ],
)
def test_areas_inside_each_other_overlap(busy, area):
    assert BusyAreas([[busy]]).overlap([area])
    assert BusyAreas([[area]]).overlap([busy])


@pytest.mark.parametrize(("busy", "area"), [("src/auth", "src/author"), ("src/a", "src/b"), ("docs/*.md", "src")])
def test_areas_beside_each_other_do_not(busy, area):
    assert not BusyAreas([[busy]]).overlap([area])
    assert not BusyAreas([[area]]).overlap([busy])


def test_empty_areas_overlap_nothing():
    assert not BusyAreas([[]]).overlap(["src"])
    assert not BusyAreas([["src"]]).overlap([])


def test_an_area_is_a_folder_up_to_its_first_wildcard():
    assert folder("src/*/x.py") == "src"
    assert folder("*") == ""
