"""JSON with comments: one value changes, every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.runtime.config_files import jsonc_editor as jsonc
from mission.runtime.config_files.editor import BrokenText

ENTRY = {"command": "/bin/mission", "args": ["mcp"]}
WHERE = ("mcpServers", "mission")

EXACT = [
    "{}",
    '{"a":1}',
    '{"a": 1, "b": [1, 2]}\n',
    '{\n  "a": 1 // about a\n}\n',
    '{\n\t"mcpServers": {\n\t\t"x": {"command": "y"},\n\t},\n}\n',
    '{"mcpServers":{"x":{"c":1}}}',
    '{\r\n    "mcpServers": {\r\n        "x": {} /* last */\r\n    }\r\n}\r\n',
    '\ufeff{\n  "mcpServers": {\n    // one server\n    "x": {"url": "http://host//path"}\n  }\n}',
    '// "mcpServers": {"mission": {}}\n{\n  "a": "}"\n}\n// the end',
]


@pytest.mark.parametrize("text", EXACT)
def test_what_is_put_in_and_dropped_leaves_the_text_byte_for_byte(text: str) -> None:
    changed = jsonc.set_value(text, WHERE, ENTRY)

    assert jsonc.parse(changed)["mcpServers"]["mission"] == ENTRY
    assert jsonc.remove_value(changed, WHERE) == text


def test_a_new_member_is_written_the_way_the_file_is_written() -> None:
    text = '{\n    "mcpServers": {\n        "x": {} // mine\n    },\n    "z": 1.50\n}\n'

    assert jsonc.set_value(text, WHERE, ENTRY) == (
        '{\n    "mcpServers": {\n        "x": {}, // mine\n        "mission": {\n'
        '            "command": "/bin/mission",\n            "args": [\n                "mcp"\n            ]\n'
        '        }\n    },\n    "z": 1.50\n}\n'
    )


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{ "a": { "keep": 1e2, "b": /* old */ "x" }, "c": [3, 4] }'

    assert jsonc.set_value(text, ("a", "b"), "y") == '{ "a": { "keep": 1e2, "b": /* old */ "y" }, "c": [3, 4] }'


def test_an_index_past_the_end_appends_to_an_array() -> None:
    assert jsonc.parse(jsonc.set_value('{"l": [1]}', ("l", 1), 2)) == {"l": [1, 2]}
    assert jsonc.parse(jsonc.set_value("{}", ("l", 0), 2)) == {"l": [2]}


def test_a_dropped_member_takes_a_comma_with_it_wherever_it_stands() -> None:
    for text in ('{"m": 1, "b": 2}', '{"a": 1, "m": 1, "b": 2}', '{"a": 1, "m": 1}', '{"m": 1}', '{"m": 1,}'):
        before = jsonc.parse(text)
        del before["m"]
        assert jsonc.parse(jsonc.remove_value(text, ("m",))) == before


def test_a_line_comment_never_swallows_the_closing_bracket() -> None:
    text = '{"a": 1, // about a\n"m": 2}'

    assert jsonc.parse(jsonc.remove_value(text, ("m",))) == {"a": 1}


def test_comments_of_others_survive_when_their_container_runs_empty() -> None:
    text = '{\n  "s": {\n    // nothing else yet\n    "m": 1\n  }\n}'

    assert jsonc.remove_value(text, ("s", "m")) == '{\n  "s": {\n    // nothing else yet\n  }\n}'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": \n}', 3),
        ('{\n  "a": 1', 2),
        ("{\n\n  a: 1}", 3),
        ('{\n  "a" 1}', 2),
        ('{\n  "a": "x\ny"}', 2),
        ("{} {}", 1),
        ("[1]", 1),
        ('{"a": 1} /* open', 1),
        ("<<<<<<< HEAD", 1),
        ('{"a": ' + "[" * 5000, 1),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BrokenText) as refused:
        jsonc.set_value(text, WHERE, ENTRY)

    assert refused.value.line == line


def test_a_table_of_another_kind_is_refused_with_its_line() -> None:
    with pytest.raises(BrokenText, match="line 2: mcpServers is not an object"):
        jsonc.set_value('{\n  "mcpServers": []\n}', WHERE, ENTRY)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_documents = st.dictionaries(st.text(max_size=8), _values, max_size=5)
_servers = st.dictionaries(st.text(max_size=8).filter(lambda name: name != "mission"), _values, max_size=4)
_blank = st.sampled_from(["", " ", "\n", "\t", "\r\n  ", " // note\n", "/* a } note */", "\n\n  // {\n "])


@st.composite
def documents_as_text(draw: st.DrawFn) -> str:
    """A JSON document with servers, written in any style, with comments and trailing commas."""
    document: dict[str, Any] = draw(_documents)
    if draw(st.booleans()):
        document["mcpServers"] = draw(_servers)
    return _write(draw, document)


def _write(draw: st.DrawFn, value: Any) -> str:
    def gap() -> str:
        return draw(_blank)

    if isinstance(value, dict):
        parts = [f"{gap()}{json.dumps(k)}{gap()}:{gap()}{_write(draw, v)}{gap()}" for k, v in value.items()]
        opening, closing = "{}"
    elif isinstance(value, list):
        parts = [f"{gap()}{_write(draw, v)}{gap()}" for v in value]
        opening, closing = "[]"
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    trailing = "," if parts and draw(st.booleans()) else ""
    return opening + ",".join(parts) + trailing + gap() + closing


@settings(deadline=None)
@given(documents_as_text())
def test_any_document_keeps_its_values_and_gets_them_back(text: str) -> None:
    before = jsonc.parse(text)
    wanted = {**before, "mcpServers": {**before.get("mcpServers", {}), "mission": ENTRY}}

    changed = jsonc.set_value(text, WHERE, ENTRY)

    assert jsonc.parse(changed) == wanted
    after = jsonc.parse(jsonc.remove_value(changed, WHERE))
    assert {"mcpServers": {}, **after} == {"mcpServers": {}, **before}
    for comment in ("// note", "/* a } note */"):
        assert changed.count(comment) == text.count(comment)


@settings(deadline=None)
@given(_documents, st.sampled_from([None, 1, 2, 4, "\t"]))
def test_a_document_as_a_program_writes_it_comes_back_byte_for_byte(document: dict[str, Any], indent: Any) -> None:
    document.pop("mcpServers", None)
    text = json.dumps(document, indent=indent)

    assert jsonc.remove_value(jsonc.set_value(text, WHERE, ENTRY), WHERE) == text
