"""The kept lines of a task: packed as text, and cut fairly when they are too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.tasks.patch import Lines, Patch, share, shortened

LINES = st.builds(Lines, text=st.text(max_size=30), whole=st.booleans(), note=st.none() | st.text(max_size=5))
FILES = st.dictionaries(st.text(max_size=5), LINES, max_size=5)


@given(files=FILES, missing=st.none() | st.text(max_size=9))
def test_a_patch_is_unpacked_as_it_was_packed(files, missing):
    patch = Patch(files=files, missing=missing)

    assert Patch.unpacked(patch.packed()) == patch


@pytest.mark.parametrize("damaged", ["", "x", "ä", "e30=", Patch().packed()[:-8]])
def test_a_damaged_patch_is_nothing(damaged):
    assert Patch.unpacked(damaged) is None


@given(lengths=st.lists(st.integers(0, 50), max_size=8), budget=st.integers(0, 200))
def test_everybody_gets_the_same_most_and_all_fit(lengths, budget):
    most = share(list(lengths), budget)

    given_out = [min(length, most) for length in lengths]
    assert sum(given_out) <= budget
    if sum(lengths) <= budget:
        assert given_out == lengths
    else:
        assert sum(min(length, most + 1) for length in lengths) > budget - len(lengths)


@given(files=FILES, budget=st.integers(0, 60))
def test_a_text_that_is_cut_ends_with_a_line_and_says_that_it_is_not_whole(files, budget):
    short = shortened(files, budget=budget)

    assert short.keys() == files.keys()
    assert sum(len(lines.text) for lines in short.values()) <= budget
    for path, lines in short.items():
        assert files[path].text.startswith(lines.text)
        if lines != files[path]:
            assert not lines.whole
            assert lines.text == "" or lines.text.endswith("\n")
            assert lines.note == files[path].note
