"""Marker lines in the words that people read."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.executions.marker_words import UNREADABLE, MarkerText, marker_words, readable_output


def marker(type: str, **payload: Any) -> str:
    envelope = {"version": 1, "agentExecutionId": "x_1", "eventId": "1", "signal": {"type": type, **payload}}
    return f"@task::{json.dumps(envelope)}"


@pytest.mark.parametrize(
    ("type", "payload", "words"),
    [
        ("progress", {"summary": "Wrote the handler"}, "◇ Wrote the handler"),
        ("needs_input", {"question": "Should the export run?"}, "? asks: Should the export run?"),
        (
            "needs_input",
            {"question": "Which?", "choices": [{"label": "Yes"}, {"label": "No"}]},
            "? asks: Which? (1 Yes · 2 No)",
        ),
        ("blocked", {"reason": "No database here"}, "! blocked: No database here"),
        ("ready_for_verification", {"summary": "The handler"}, "◆ ready to be checked: The handler"),
        ("completed_claim", {"summary": "The handler works"}, "✓ reports done: The handler works"),
        ("failed_claim", {"reason": "No Redis here"}, "✗ reports failure: No Redis here"),
        ("message", {"channel": "agent", "text": "Reading the tests"}, "· Reading the tests"),
        ("from_the_future", {"summary": "Anything"}, "· Anything"),
        ("from_the_future", {}, "· from_the_future"),
        ("progress", {"summary": "two\n lines\x1b[31m"}, "◇ two lines[31m"),
        ("progress", {"summary": 7}, UNREADABLE),
    ],
)
def test_each_signal_is_one_line_of_words(type: str, payload: dict[str, Any], words: str) -> None:
    assert marker_words(marker(type, **payload)) == words


@pytest.mark.parametrize(
    "line", ["@task::", "@task::no json", "@task::[]", '@task::{"signal": {}}', "@task::" + "[" * 99_999]
)
def test_a_marker_that_cannot_be_read_is_called_so(line: str) -> None:
    assert marker_words(line) == UNREADABLE


def test_a_long_text_is_cut() -> None:
    shown = marker_words(marker("progress", summary="x" * 1_000))

    assert (len(shown), shown[-1]) == (302, "…")


def test_other_lines_stay_as_they_are() -> None:
    text = (
        f"before\r\n{marker('progress', summary='One')}\r\n> @task:: is quoted\n  {marker('progress', summary='x')}\n"
    )

    first, second, *rest = readable_output(text).split("\n")

    assert (first, second) == ("before\r", "◇ One\r")
    assert "\n".join(rest) == text.split("\n", 2)[2]


@given(cuts=st.lists(st.integers(0, 400), max_size=12))
def test_a_stream_reads_the_same_however_it_is_split(cuts: list[int]) -> None:
    text = f"@ta\n@task\n{marker('progress', summary='One')}\r\n$ ls @task::\n{marker('blocked', reason='Two')}"
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = MarkerText()

    pieces = [stream.feed(text[start:end]) for start, end in itertools.pairwise(bounds)]

    assert "".join([*pieces, stream.end()]) == "@ta\n@task\n◇ One\r\n$ ls @task::\n! blocked: Two"


def test_only_what_may_become_a_marker_is_held_back() -> None:
    stream = MarkerText()

    assert [stream.feed(text) for text in ("Password: ", "\n@", "bob", "\n@task::{")] == [
        "Password: ",
        "\n",
        "@bob",
        "\n",
    ]


def test_a_marker_that_never_ends_is_not_held_back_for_ever() -> None:
    stream = MarkerText()

    assert stream.feed("@task::" + "x" * 20_000).startswith("@task::x")
