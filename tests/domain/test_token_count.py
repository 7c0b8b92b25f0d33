"""Tokens are counted offline, and the same whichever library is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from mission.domain.token_count import tokenizer

LIBRARIES = ("rs_bpe.bpe", "bpe_openai")
INSTALLED = [each for each in LIBRARIES if find_spec(each.partition(".")[0])]
COUNTED = {
    "": 0,
    "hello world": 2,
    "Ein Maß für Größe": 4,
    "任务完成了，等待合并。": 8,
    '{"id":"t_1","name":"Sow","status":"ready"}': 16,
    "<|endoftext|>": 7,
    "🚀\n\n  x": 5,
    "a" * 1_000_000: 125_000,
    " " * 1_000_000: 7_813,
}


def only(library: str, monkeypatch: pytest.MonkeyPatch):
    """Return the tokenizer of a process that has no other library than this one."""
    for other in {*LIBRARIES} - {library}:
        monkeypatch.setitem(sys.modules, other, None)
    return tokenizer.__wrapped__()


@pytest.mark.parametrize("library", INSTALLED)
def test_every_library_counts_as_the_models_of_its_vocabulary_do(library, monkeypatch):
    counter = only(library, monkeypatch)

    assert counter.name == "o200k_base"
    assert {text: counter.count(text, limit=10**9) for text in COUNTED} == COUNTED


@pytest.mark.parametrize("library", INSTALLED)
def test_every_library_stops_counting_at_the_limit(library, monkeypatch):
    counter = only(library, monkeypatch)

    assert [counter.count("hello world", limit=most) for most in (0, 1, 2, 3)] == [None, None, 2, 2]


def test_without_any_library_bytes_are_counted_and_the_name_says_so(monkeypatch):
    counter = only("none", monkeypatch)

    assert counter.name == "utf8_bytes"
    assert (counter.count("Größe", limit=7), counter.count("Größe", limit=6)) == (7, None)
