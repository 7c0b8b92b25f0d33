"""Names as text, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.git.file_names import display_name, original


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"plain.txt", "plain.txt"),
        ("café ☕.txt".encode(), "café ☕.txt"),
        (b"caf\xe9.txt", '"caf\\351.txt"'),
        (b'"quoted".txt', '"\\"quoted\\".txt"'),
        (b'in"side', 'in"side'),
        (b"line\nbreak", "line\nbreak"),
        (b"\xff\n\t\\\x01", '"\\377\\n\\t\\\\\\001"'),
        (b"-rf", "-rf"),
        (b"back\\351slash", "back\\351slash"),
    ],
)
def test_a_name_is_shown_plainly_where_that_is_clear(name: bytes, text: str) -> None:
    assert display_name(name) == text
    assert original(text) == name


@given(st.binary() | st.text().map(lambda text: text.encode(errors="replace")))
def test_every_name_comes_back_and_passes_through_json(name: bytes) -> None:
    text = json.loads(json.dumps(display_name(name)))

    assert original(text) == name
    assert "\0" not in text
    text.encode()


@given(st.binary(), st.binary())
def test_different_names_are_shown_differently(one: bytes, other: bytes) -> None:
    assert (display_name(one) == display_name(other)) == (one == other)


@pytest.mark.parametrize("text", ['"', '"open', '"bad \\q"', '"\\9"', '"in"side"', "\udcff"])
def test_text_that_no_name_is_shown_as_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        original(text)
