"""TOML: one table comes and goes, every other byte stays."""

from __future__ import annotations

from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.runtime.config_files import toml_editor as toml
from mission.runtime.config_files.editor import BrokenText

ENTRY = {"command": "/bin/mission", "args": ["mcp"], "env": {"MISSION_HOME": "/data/a b"}}
WHERE = ("mcp_servers", "mission")

EXACT = [
    "",
    "a = 1\n",
    "a = 1",
    'model = "o" # mine\r\n\r\n[mcp_servers.x]\r\ncommand = "y"\r\n',
    '[mcp_servers.x]\ncommand = "y" # c\n\n[other]\nz = 1\n',
    'mcp_servers.x.command = "y"\n',
    'mcp_servers = {x = {command = "y"}}\n',
    "[mcp_servers.a]\nx=1\n[q]\n[mcp_servers.b]\nx=1\n# the end\n",
    "[[list]]\nb = 1\n\n[[list]]\nb = 2\n",
    "[a]\n\n\n",
]


@pytest.mark.parametrize("text", EXACT)
def test_what_is_put_in_and_dropped_leaves_the_text_byte_for_byte(text: str) -> None:
    changed = toml.set_value(text, WHERE, ENTRY)

    assert toml.parse(changed)["mcp_servers"]["mission"] == ENTRY
    assert toml.remove_value(changed, WHERE) == text


def test_a_text_that_only_looks_like_the_table_stays() -> None:
    text = 'b = """\n[mcp_servers.mission]\n"""\n'

    assert toml.parse(toml.remove_value(toml.set_value(text, WHERE, ENTRY), WHERE)) == toml.parse(text)


def test_a_new_table_stands_at_the_end() -> None:
    assert toml.set_value("# mine\na = 1\n", WHERE, {"command": "c", "args": ["mcp"], "env": {"A": "b"}}) == (
        '# mine\na = 1\n\n[mcp_servers.mission]\ncommand = "c"\nargs = ["mcp"]\nenv = {A = "b"}\n'
    )


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '[mcp_servers.mission]\ncommand = "old" # where it was\nenabled = true\n\n[z]\n'

    changed = toml.set_value(text, (*WHERE, "command"), "new")

    assert changed == '[mcp_servers.mission]\ncommand = "new" # where it was\nenabled = true\n\n[z]\n'


def test_sub_tables_that_the_client_added_go_with_the_table_and_comments_of_others_stay() -> None:
    text = (
        "[mcp_servers.mission]\ncommand = 'c'\n\n[mcp_servers.mission.tools.get_context]\napproval_mode = 'approve'\n"
        "\n# about z\n[z]\na = 1\n"
    )

    assert toml.remove_value(text, WHERE) == "\n# about z\n[z]\na = 1\n"


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = \n", 2), ("[a]\n[a]\n", 2), ("a = 1\n\n= 2", 3), ('a = "x\n', 1)]
)
def test_a_broken_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BrokenText) as refused:
        toml.set_value(text, WHERE, ENTRY)

    assert refused.value.line == line


def test_servers_that_are_no_table_are_refused() -> None:
    with pytest.raises(BrokenText, match="line 2: mcp_servers is not a table"):
        toml.set_value("a = 1\nmcp_servers = 3\n", WHERE, ENTRY)


_names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)
_scalars = (
    st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=10)
)
_values = st.recursive(
    _scalars | st.lists(st.integers(0, 9), max_size=3),
    lambda inner: st.dictionaries(_names, inner, min_size=1, max_size=3),
    max_leaves=8,
)
_documents = st.dictionaries(_names, _values, max_size=4)


@settings(deadline=None)
@given(_documents, _documents)
def test_any_document_keeps_its_values_and_comes_back(document: dict[str, Any], servers: dict[str, Any]) -> None:
    if servers:
        document["mcp_servers"] = servers
    text = tomlkit.dumps(document)

    changed = toml.set_value(text, WHERE, ENTRY)

    assert toml.parse(changed) == {**document, "mcp_servers": {**servers, "mission": ENTRY}}
    assert toml.parse(toml.remove_value(changed, WHERE)) == document
