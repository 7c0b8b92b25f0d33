"""Text of other tools, before it is part of a plan."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.plans.importers.source_text import (
    MAX_SOURCE,
    MAX_TITLE,
    clean,
    cut,
    decode_source,
    listed,
    mentioned_files,
    plain_title,
    unique_name,
    unreadable,
)


def test_bytes_are_read_as_utf_8_with_or_without_a_mark():
    assert decode_source("ü\n".encode(), source="s") == "ü\n"
    assert decode_source(b"\xef\xbb\xbfa", source="s") == "a"


@pytest.mark.parametrize(("data", "place"), [(b"a\nb\xff", "s:2: byte 0xff"), ("ü".encode("utf-16"), "s:1: byte 0xff")])
def test_bytes_that_are_not_text_are_named_with_their_line(data, place):
    with pytest.raises(InvalidInput, match=place) as refused:
        decode_source(data, source="s")
    assert "UTF-8" in str(refused.value.hint)


def test_a_huge_file_is_refused():
    with pytest.raises(TooLarge, match="bytes"):
        decode_source(b" " * (MAX_SOURCE + 1), source="s")


def test_what_cannot_be_stored_is_dropped():
    assert clean(" a\x00\x1b[1m\r\nb\ud800\t ") == "a[1m\nb"
    assert clean(None) == clean(7) == ""


def test_long_text_is_cut():
    assert cut("abcd", limit=4) == "abcd"
    assert cut("abcde", limit=4) == "abc…"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Add**  `x`\nto [the page](https://example.org)", "Add x to the page"),
        ("a\x1b\u2028b", "a b"),
        ("word " * 30, f"{'word ' * 15}".rstrip() + "…"),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_a_title_is_one_plain_line(text, title):
    assert plain_title(text) == title


@given(st.text())
def test_every_title_can_be_a_name(text):
    title = plain_title(clean(text))

    assert len(title) <= MAX_TITLE
    assert title.isprintable()
    assert title == title.strip()


def test_a_taken_name_gets_a_number():
    assert unique_name("a", ()) == "a"
    assert unique_name("a", {"a", "a (2)"}) == "a (3)"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Create src/app/main.py and tests/", ("src/app/main.py", "tests/")),
        ("Change `Makefile.toml`, ./docs/a.md, and/or input/output, CI/CD", ("docs/a.md", "Makefile.toml")),
        ("See https://example.org/a/b.html or a/../b.py, at 1/2", ()),
        ("src/a.py src/a.py (in web/x-y/z.test.tsx)", ("src/a.py", "web/x-y/z.test.tsx")),
        ("/etc/passwd.txt ~/x.py", ()),
    ],
)
def test_paths_in_a_text_are_found(text, files):
    assert mentioned_files(text) == files


def test_no_text_takes_long():
    began = time.monotonic()

    for text in ("a" * 100_000, "a/" * 50_000, "+" * 100_000, "[" * 100_000, "a." * 50_000, "`a" * 50_000):
        mentioned_files(text)
        plain_title(text)

    assert time.monotonic() - began < 5


def test_many_names_are_counted():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed("abcdefg", limit=2) == "'a', 'b' and 5 more"


def test_an_error_may_have_a_line():
    assert unreadable("s", "is odd", hint="h").message == "s: is odd"
    assert unreadable("s", "is odd", hint="h", line=3).message == "s:3: is odd"
