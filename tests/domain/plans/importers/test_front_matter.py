"""The values at the top of a Markdown file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.plans.importers.front_matter import read_front_matter

TEXT = """\
---
id: task-1
title: 'A: b'
labels: [a, "b, c", 'd']   # a comment
empty: []
long: [one,
  two]
dependencies:
  - x
  - y
agent:
  count: 4_000
  script: |
    a
    b
---
The body.
---
"""


def test_values_are_found_by_their_path():
    front = read_front_matter(TEXT)

    assert front is not None
    assert front.body == "The body.\n---\n"
    assert (front.text("id"), front.text("title"), front.text("nothing")) == ("task-1", "A: b", "")
    assert front.texts("labels") == ("a", "b, c", "d")
    assert front.texts("long") == ("one", "two")
    assert front.texts("dependencies") == ("x", "y")
    assert front.texts("empty") == ()
    assert front.text("agent", "script") == "a\nb"
    assert (front.number("agent", "count"), front.number("id")) == (4000, None)
    assert front.has("agent")
    assert not front.has("count")


def test_a_text_may_have_none():
    for text in ("", "a\n---\nb: c\n---\n", "---\nid: a\n", "--- a\nb: c\n---\n", "---\n" + "a: b\n" * 3_000 + "---\n"):
        assert read_front_matter(text) is None
    assert read_front_matter("---\n---\nx").values == {}


@given(st.text(st.sampled_from("-[]{}:,'\"# \n\tab.|>&*")))
def test_no_text_troubles_it(text):
    read_front_matter(f"---\n{text}\n---\n")
