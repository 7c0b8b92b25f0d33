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


@pytest.mark.parametrize(
    ("diff", "count"),
    [
        ("", (0, 0)),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ def f\n one\n-two\n+2\n+3\n", (2, 1)),
        ("@@ -1 +1 @@\n---\n++\n@@ -9 +9 @@\n-a\n\\ No newline at end of file", (1, 2)),
        ("Binary files differ\n", (0, 0)),
    ],
)
def test_lines_are_counted_in_hunks_and_never_in_the_header(diff, count):
    assert Lines(text=diff).count == count


def test_lines_that_are_missing_are_not_counted_as_none():
    stored = Patch(files={"a": Lines(text="@@\n+1\n-1"), "b": Lines(text="@@\n+1", whole=False)}).stored()

    assert stored.counts == {"a": (1, 1), "b": None}
    assert stored.total == (1, 1)
    assert Patch.unpacked(stored.content) is not None
