"""What the editors of configuration texts have in common."""

from __future__ import annotations

import json
import math
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.runtime.config_files import jsonc_editor as jsonc
from mission.runtime.config_files import toml_editor as toml
from mission.runtime.config_files.editor import BrokenText, look_up, merge, same

VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(st.sampled_from("ab"), max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
    max_leaves=5,
)


@given(document=VALUES, path=st.lists(st.sampled_from("xyz") | st.integers(-1, 2), max_size=3))
def test_a_path_leads_where_brackets_would_or_to_nothing(document, path):
    expected = document
    for step in path:
        fits = isinstance(expected, dict) if isinstance(step, str) else isinstance(expected, list) and step >= 0
        try:
            expected = expected[step] if fits else None
        except (KeyError, IndexError):
            expected = None

    assert look_up(document, tuple(path)) == expected


@given(value=VALUES)
def test_a_value_is_the_same_as_itself_written_again_and_true_is_not_1(value):
    assert same(value, json.loads(json.dumps(value)))
    assert same([math.nan, {"a": math.nan}], [math.nan, {"a": math.nan}])
    assert not same({"a": [True, value]}, {"a": [1, value]})
    assert not same([value], [value, value])
    assert not same({"a": value}, {"b": value})


@pytest.mark.parametrize("editor", [jsonc, toml], ids=["jsonc", "toml"])
def test_merging_sets_each_key_and_keeps_the_others(editor: ModuleType):
    text = editor.set_value("", ("servers", "mission"), {"command": "old", "mine": True})
    text = editor.set_value(text, ("servers", "o"), {})

    merged = merge(text, ("servers", "mission"), {"command": "new", "args": ["a"]}, editor=editor)

    assert editor.parse(merged)["servers"]["mission"] == {"command": "new", "mine": True, "args": ["a"]}
    assert merge(merged, ("servers", "mission"), {"command": "new", "args": ["a"]}, editor=editor) == merged


@pytest.mark.parametrize("editor", [jsonc, toml], ids=["jsonc", "toml"])
def test_merging_where_nothing_is_puts_the_value_there(editor: ModuleType):
    merged = merge("", ("servers", "mission"), {"command": "new"}, editor=editor)

    assert editor.parse(merged) == {"servers": {"mission": {"command": "new"}}}


def test_a_broken_text_says_its_line_first():
    assert str(BrokenText("a comma is missing", line=7)) == "line 7: a comma is missing"
