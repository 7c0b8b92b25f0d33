"""Where the keys and values of a TOML text are."""

from __future__ import annotations

import time
import tomllib
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.plans.toml_lines import KeyPath, TextPosition, locate_keys
from tests.fault_cases import examples

DOCUMENT = '''\
# the first line is a comment
title = "a"   # so is this

[mission]
"quoted key" = 1
checks = [
    "make test",   # ] no end
    {run = "x # y", env = {A = "]"}},

    [1, 2],
]
text = """
[not] = "a table"
""\\"""""
raw = \'\'\'
[[neither]]
\'\'\'
a.b . "c.d" = 2000-01-02 03:04:05

[[tasks]]
name = "one"
[[tasks.checks]]
run = "first"
[[tasks.checks]]
run = "second"

[[ tasks ]]
name = \'two\'
[tasks.env]
X = true
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("mission",), 4),
        (("mission", "quoted key"), 5),
        (("mission", "checks"), 6),
        (("mission", "checks", 0), 7),
        (("mission", "checks", 1), 8),
        (("mission", "checks", 1, "env", "A"), 8),
        (("mission", "checks", 2, 1), 10),
        (("mission", "text"), 12),
        (("mission", "raw"), 15),
        (("mission", "a", "b", "c.d"), 18),
        (("tasks",), 20),
        (("tasks", 0, "name"), 21),
        (("tasks", 0, "checks", 0, "run"), 23),
        (("tasks", 0, "checks", 1), 24),
        (("tasks", 1), 27),
        (("tasks", 1, "env", "X"), 30),
    ],
)
def test_every_key_and_list_item_has_its_line(path, line):
    assert locate_keys(DOCUMENT).find(path).line == line


def test_what_is_missing_is_where_its_surroundings_are():
    lines = locate_keys(DOCUMENT)

    assert lines.find(("tasks", 1, "description")).line == 27
    assert lines.find(("mission", "checks", 1, "seconds")) == TextPosition(8, 5)
    assert lines.find(("nothing",)) == TextPosition(1, 1)


def test_a_table_is_where_its_own_header_is():
    assert locate_keys("[a.b]\nx = 1\n[a]\ny = 2\n").find(("a",)).line == 3


def test_line_ends_of_windows_count_once():
    assert locate_keys('[a]\r\nx = [\r\n  1,\r\n]\r\ny = """\r\n"""\r\nz = 1\r\n').find(("a", "z")).line == 7


@pytest.mark.parametrize("text", ["a = ", "a = [1, 2", "[a", "[[a]", "= 3", 'a = "x', "a.=1", '"\\q" = 1', "a = {b"])
def test_a_text_that_is_not_valid_has_the_lines_before_its_fault(text):
    assert locate_keys(f"before = 1\n{text}").find(("before",)).line == 1


def test_endless_nesting_is_given_up():
    assert locate_keys("a = " + "[" * 100_000).find(("a",)).line == 1


def test_endless_dots_are_given_up():
    began = time.monotonic()

    assert locate_keys(f"b = 1\n{'a.' * 500_000}a = 1\n").find(("b",)).line == 1
    assert time.monotonic() - began < 5


@given(st.text())
def test_no_text_troubles_it(text):
    locate_keys(text).find(("a", 1, "b"))


KEYS = st.one_of(st.sampled_from(["a", "b-c", "1", "d_e"]), st.text(st.characters(codec="utf-8"), max_size=4))
TEXTS = st.text(
    st.one_of(st.sampled_from("\"'\\\n[]{}#=, .\t"), st.characters(codec="utf-8", exclude_categories=["C"]))
)
SCALARS = st.one_of(st.booleans(), st.integers(-999, 999), st.dates(), TEXTS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=4)
DOCUMENTS = st.dictionaries(KEYS, TABLES | st.lists(TABLES, min_size=1, max_size=3) | SCALARS, max_size=4)


@settings(max_examples=examples(150))
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_the_lines_are_those_on_which_the_text_was_written(document, random):
    writer = Writer(random)
    writer.document(document)
    text = "".join(writer.text)

    lines = locate_keys(text)

    assert tomllib.loads(text) == document
    assert {path: lines.find(path).line for path in writer.lines} == writer.lines
    assert lines.paths() == set(writer.lines) == set(paths(document))


def paths(value: Any, path: KeyPath = ()) -> Any:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from paths(each, (*path, key))


class Writer:
    """Writes a document in a style that chance chooses, and remembers the line of everything."""

    def __init__(self, random: Any) -> None:
        self.random = random
        self.text: list[str] = []
        self.lines: dict[KeyPath, int] = {}

    def write(self, text: str) -> None:
        self.text.append(text)

    def mark(self, path: KeyPath) -> None:
        self.lines[path] = sum(part.count("\n") for part in self.text) + 1

    def gap(self) -> None:
        self.write(self.random.choice(["", " ", "\n", "\n\n  ", ' # ], } or """\n']))

    def document(self, document: dict[str, Any]) -> None:
        tables = {key: value for key, value in document.items() if isinstance(value, dict) or is_tables(value)}
        self.pairs({key: value for key, value in document.items() if key not in tables}, ())
        for key, value in tables.items():
            for number, table in zip(count(), value if isinstance(value, list) else [value]):
                self.gap()
                self.write("\n")
                self.mark((key,)) if not number else None
                path: KeyPath = (key, number) if isinstance(value, list) else (key,)
                self.mark(path)
                self.write(f"[[ {self.key(key)} ]]\n" if isinstance(value, list) else f"[{self.key(key)}] # x\n")
                self.pairs(table, path)

    def pairs(self, table: dict[str, Any], path: KeyPath) -> None:
        for key, value in table.items():
            self.write(self.random.choice(["", "\n", "  ", "# comment = 1\n"]))
            self.pair(key, value, path)
            self.write(self.random.choice(["\n", " # x = [\n"]))

    def pair(self, key: str, value: Any, path: KeyPath) -> None:
        self.mark((*path, key))
        self.write(self.key(key))
        while isinstance(value, dict) and len(value) == 1 and self.random.random() < 0.5:
            path, (key, value) = (*path, key), next(iter(value.items()))
            self.mark((*path, key))
            self.write(self.random.choice([".", " . "]) + self.key(key))
        self.write(self.random.choice([" = ", "=", "\t=  "]))
        self.value(value, (*path, key))

    def value(self, value: Any, path: KeyPath) -> None:
        if isinstance(value, list):
            self.write("[")
            for number, each in enumerate(value):
                self.gap()
                self.mark((*path, number))
                self.value(each, (*path, number))
                self.gap()
                self.write("," if number < len(value) - 1 or self.random.random() < 0.5 else "")
            self.gap()
            self.write("]")
        elif isinstance(value, dict):
            self.write("{")
            for number, (key, each) in enumerate(value.items()):
                self.write(", " if number else " ")
                self.pair(key, each, path)
            self.write(" }")
        else:
            self.write(self.string(value) if isinstance(value, str) else str(value).lower())

    def key(self, key: str) -> str:
        is_bare = key and all(each.isascii() and (each.isalnum() or each in "-_") for each in key)
        styles = [basic(key)]
        styles += [key, key] if is_bare else []
        styles += [f"'{key}'"] if is_literal(key) else []
        return self.random.choice(styles)

    def string(self, text: str) -> str:
        styles = [basic(text), f'"""\n{basic(text)[1:-1]}"""', f'"""\\\n   {basic(text)[1:-1] or basic("")[:-2]}"""']
        styles += [f'"""\n{basic(text)[1:-1]}"""'.replace("\\n", "\n")] if "\\\\n" not in basic(text) else []
        styles += [f"'{text}'"] if is_literal(text) else []
        styles += [f"'''\n{text}'''"] if is_literal(text.replace("\n", "")) else []
        return self.random.choice(styles if not text[:1].isspace() else styles[:1])


def is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def is_literal(text: str) -> bool:
    return "'" not in text and all(each.isprintable() or each == "\t" for each in text)


def basic(text: str) -> str:
    escaped = [f"\\u{ord(each):04x}" if ord(each) < 32 or ord(each) == 127 else each for each in text]
    plain = {"\\u000a": "\\n", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(plain.get(each, each) for each in escaped) + '"'
