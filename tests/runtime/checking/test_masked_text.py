"""Masking of long output: no secret is split by a block, a cut or a piece."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.gateway.audit.masking import Masker
from mission.runtime.checking import masked_text
from mission.runtime.checking.masked_text import (
    BLOCK,
    from_whole_lines,
    mask_lines,
    presentable,
    up_to_whole_lines,
    without_key_remainder,
)

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEF\n" * 60 + "-----END RSA PRIVATE KEY-----\n"
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ0123"
mask = Masker().text


@given(before=st.integers(0, 3 * BLOCK), width=st.integers(1, 200))
def test_a_secret_is_masked_wherever_it_is(before: int, width: int):
    filler = ("x" * width + "\n") * (before // (width + 1))

    masked = mask_lines(f"{filler}a token {TOKEN} in the text\n{filler}", mask)

    assert TOKEN[10:30] not in masked
    assert masked.count("\n") == 2 * filler.count("\n") + 1


@given(before=st.integers(BLOCK - 2 * len(KEY), BLOCK + 10))
def test_a_key_over_several_lines_is_masked_wherever_it_is(before: int):
    masked = mask_lines("y" * 79 + "\n" + ("x" * 79 + "\n") * (before // 80) + KEY + "after\n" * 5_000, mask)

    assert "MIIE" not in masked
    assert masked.endswith("after\n")


def test_a_name_and_its_secret_in_the_next_line_stay_together():
    line = "x" * 63 + "\n"
    text = line * (BLOCK // 64 - 1) + "y" * 53 + "password:\n" + "hunter2hunter2\n" + line * 500

    assert "hunter2" not in mask_lines(text, mask)


def test_a_line_without_end_is_masked_in_words():
    text = ("word " * 5_000) + TOKEN + (" word" * 5_000)

    masked = mask_lines(text, mask)

    assert TOKEN[10:30] not in masked
    assert masked.count("word") == 10_000


def test_two_mib_are_masked_in_reasonable_time():
    text = f"2026-01-01 12:00:00 INFO request token={TOKEN} user=ada path=/api/things/4711\n" * 25_000
    began = time.process_time()

    mask_lines(text, mask)

    assert time.process_time() - began < 10


@given(st.lists(st.sampled_from(["short\n", "name:\n", "x" * 5_000, "word " * 2_000, "\n", "\r\n", KEY]), max_size=30))
def test_a_text_that_needs_no_masking_stays_as_it_is(parts: list[str]):
    text = "".join(parts)

    assert mask_lines(text, str) == text


def test_no_block_has_a_line_that_takes_long():
    blocks: list[str] = []
    mask_lines("curl " * 100_000 + "\n" + "short\n" * 10_000, lambda block: blocks.append(block) or block)

    assert max(len(line) for block in blocks for line in block.split("\n")) <= 4 * 1024
    assert max(map(len, blocks)) < 2 * BLOCK


def test_what_cannot_be_masked_in_time_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(masked_text, "SECONDS", -1)

    assert mask_lines("a line\n", str) == "\n[… 7 characters left out: masking their secrets takes too long …]\n"


def test_cuts_leave_no_part_of_a_line():
    assert up_to_whole_lines(b"one\ntwo\nthr") == b"one\ntwo\n"
    assert from_whole_lines(b"ne\ntwo\nthree\n") == b"two\nthree\n"


def test_cuts_in_a_line_without_end_leave_room_for_a_split_secret():
    assert len(up_to_whole_lines(b"x" * 100_000)) == 100_000 - 1024
    assert len(from_whole_lines(b"x" * 100_000)) == 100_000 - 1024


def test_the_end_of_a_key_after_a_cut_is_left_out():
    assert without_key_remainder(KEY[100:] + "rest\n") == "\nrest\n"
    assert without_key_remainder("rest\n" + KEY) == "rest\n" + KEY
    assert without_key_remainder("rest\n") == "rest\n"


def test_growing_output_is_shown_by_whole_lines():
    assert presentable(b"") == b""
    assert presentable(b"one\ntw") == b"one\n"
    assert presentable(b"10%\r20%\r30") == b"10%\r20%\r"
    assert presentable(b"tw") == b""


def test_growing_output_holds_back_a_secret_that_is_not_complete():
    assert presentable(f"one\n{KEY[:200]}\n".encode()) == b"one\n"
    assert presentable(f"one\n{KEY}".encode()) == f"one\n{KEY}".encode()
    assert presentable(b"one\npassword:\n") == b"one\n"


def test_of_a_line_that_is_too_long_the_beginning_is_shown():
    shown = presentable(b"word " * BLOCK)

    assert 0 < len(shown) < BLOCK
    assert shown.endswith(b"word ")


@given(st.binary(max_size=200), st.integers(0, 200))
def test_what_is_shown_is_always_the_beginning(data: bytes, repeated: int):
    whole = data * repeated

    assert whole.startswith(presentable(whole))
