"""The syntax of globs: what is refused, and the steps of what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.file_patterns.glob_syntax import LONGEST, CharacterClass, Wildcard, parse_glob
from mission.domain.errors import InvalidInput

ANY, NAME, FOLDERS = Wildcard.ANYTHING, Wildcard.NAME, Wildcard.FOLDERS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("./", "empty"),
        ("a\0b", "NUL"),
        ("/etc/passwd", "starts with '/'"),
        ("/", "starts with '/'"),
        ("../a", "'..'"),
        ("a/../b", "'..'"),
        ("a/..", "'..'"),
        ("a/./b", "'.'"),
        (".", "'.'"),
        ("a//b", "empty path segment"),
        ("a//", "empty path segment"),
        ("{a,}", "empty path segment"),
        ("{a,..}/b", "'..'"),
        ("[ab", "'['"),
        ("[]", "'['"),
        ("[!]", "'['"),
        ("ab]", "']'"),
        ("[a/b]", "'/'"),
        ("[z-a]", "z-a"),
        ("{a,b", "'{'"),
        ("a,b}", "'}'"),
        ("{a}", "comma"),
        ("{{cookiecutter.name}}/**", "comma"),
        ("a\\b", "backslash"),
        ("!a", "exclude"),
        ("{a,b}" * 7, "alternatives"),
        ("a" * (LONGEST + 1), "500"),
    ],
)
def test_an_invalid_glob_is_refused_by_name_and_with_the_reason(text, why):
    with pytest.raises(InvalidInput) as refused:
        parse_glob(text, field="untouched")

    assert refused.value.message.startswith(f"untouched: {text[:200]!r} ")
    assert why in refused.value.message.removeprefix(f"untouched: {text[:200]!r} ")
    assert refused.value.details == {"field": "untouched"}
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a*", [("a", NAME)]),
        ("./a", [("a",)]),
        ("a**", [("a", ANY)]),
        ("a***", [("a", ANY)]),
        ("**", [(ANY,)]),
        ("**/a", [(FOLDERS, "a")]),
        ("**/**/a", [(FOLDERS, FOLDERS, "a")]),
        ("a**/b", [("a", ANY, "/", "b")]),
        ("a/**/b", [("a", "/", FOLDERS, "b")]),
        ("a/", [("a", "/", ANY)]),
        ("**/", [(FOLDERS, ANY)]),
        ("x,y", [("x", ",", "y")]),
        ("{a,b{c,}}d", [("a", "d"), ("b", "c", "d"), ("b", "d")]),
        ("{a/,}b", [("a", "/", "b"), ("b",)]),
        ("[]-]", [(CharacterClass(ranges=(("]", "]"), ("-", "-")), excluded=False),)]),
        ("[^a-c{]", [(CharacterClass(ranges=(("a", "c"), ("{", "{")), excluded=True),)]),
    ],
)
def test_a_glob_becomes_steps(text, steps):
    assert parse_glob(text) == steps


@given(st.text(alphabet="ab/*?.[]{},!-^\\\0", max_size=40))
def test_any_text_is_either_a_glob_or_refused(text):
    try:
        alternatives = parse_glob(text)
    except InvalidInput:
        return

    assert alternatives
    assert all(alternatives)


def test_deeply_nested_braces_are_no_problem():
    with pytest.raises(InvalidInput, match="unmatched"):
        parse_glob("{" * LONGEST)
    assert len(parse_glob("{a," * 99 + "b" + "}" * 99)) == 100
