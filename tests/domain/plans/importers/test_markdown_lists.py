"""Checkboxes in Markdown."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.plans.importers.markdown_lists import first_heading, read_checkboxes, read_sections

TEXT = """\
Intro
# Title #
* [ ] one
  below one

  - [x] inside
      deeper text
      * [ ] deepest
  after
+ [-] two
plain
10) [ ] three
## Part
```
# no heading
- [ ] no item
```
<!-- - [ ] neither
- [ ] nor this -->
- [ ] four <!-- a comment -->
- []no item
-[ ] no item
- [ ]
"""


def test_each_checkbox_knows_its_place():
    boxes = read_checkboxes(TEXT)

    assert [(box.line, box.mark, box.text, box.is_done, box.is_numbered) for box in boxes] == [
        (3, " ", "one", False, False),
        (6, "x", "inside", True, False),
        (8, " ", "deepest", False, False),
        (10, "-", "two", False, False),
        (12, " ", "three", False, True),
        (20, " ", "four", False, False),
        (23, " ", "", False, False),
    ]
    assert [box.parent.text if box.parent else None for box in boxes[:4]] == [None, "one", "inside", None]
    assert [heading.text for heading in boxes[5].headings] == ["Title", "Part"]


def test_the_lines_below_an_item_are_its_description():
    one, inside, *_ = read_checkboxes(TEXT)

    assert one.description == "one\nbelow one\n\nafter"
    assert inside.description == "inside\ndeeper text"
    assert one.steps() == ["- [x] inside", "  - [ ] deepest"]


def test_a_text_is_known_by_its_first_heading_and_its_sections():
    assert first_heading(TEXT) == "Title"
    assert first_heading("```\n# a\n```") == ""
    assert read_sections("a\n## B c ##\nd\n### e\n```\n## no\n```\n## F\n") == {
        "": "a",
        "b c": "d\n### e\n```\n## no\n```",
        "f": "",
    }


@given(st.text(st.sampled_from("-[] x#`~<!>\n\t1.ab")))
def test_no_text_troubles_it(text):
    read_checkboxes(text)
    read_sections(text)


def test_no_text_takes_long():
    began = time.monotonic()

    for text in ("<!--" * 100_000, "# " + "# " * 200_000 + "x", "- [ ] " * 100_000, "`" * 500_000, " " * 500_000):
        read_checkboxes(text)
        first_heading(text)

    assert time.monotonic() - began < 5
