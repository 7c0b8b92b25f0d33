"""Masks long output in blocks of whole lines, so that no secret is split and each block is fast."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

Mask = Callable[[str], str]

BLOCK = 16 * 1024
LONGEST_LINE = 4 * 1024
SECONDS = 10.0
KEY_LIMIT = 16 * 1024
"""No private key is longer."""
CUT = 1024
"""Bytes left out on each side of a cut in a long line: the cut may have split a secret."""
_KEY_START = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_END = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")
_NAMES_NEXT = (":", "=")
"""The end of a line that may name the secret in the next line."""


def mask_lines(text: str, mask: Mask) -> str:
    """Return the text with its secrets masked, or as much of it as can be masked in time."""
    deadline = time.monotonic() + SECONDS
    masked, done = [], 0
    for block in _blocks(text):
        if time.monotonic() > deadline:
            masked.append(f"\n[… {len(text) - done:,} characters left out: masking their secrets takes too long …]\n")
            break
        masked.append(mask(block))
        done += len(block)
    return "".join(masked)


def _blocks(text: str) -> Iterator[str]:
    """Yield the text in blocks of whole lines, which do not end inside a key or right before a named secret."""
    block: list[str] = []
    size, is_in_key = 0, False
    for line in _lines(text):
        if len(line) > LONGEST_LINE:
            yield "".join(block)
            yield from _parts(line)
            block, size, is_in_key = [], 0, False
            continue
        block.append(line)
        size += len(line)
        if "PRIVATE KEY" in line:
            is_in_key = _open_key(line) is not None or (is_in_key and _KEY_END.search(line) is None)
        is_split = is_in_key or line.rstrip().endswith(_NAMES_NEXT)
        if size >= BLOCK + (KEY_LIMIT if is_split else 0):
            yield "".join(block)
            block, size, is_in_key = [], 0, False
    yield "".join(block)


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _parts(line: str) -> Iterator[str]:
    """Yield a long line in parts: the time that masking takes can grow with the square of a line's length."""
    start = 0
    while len(line) - start > LONGEST_LINE:
        end = _word_end(line, start, start + LONGEST_LINE)
        yield line[start:end]
        start = end
    yield line[start:]


def _word_end(text: str, start: int, end: int) -> int:
    """Return where to split a long line: after a word in its second half, if there is one."""
    return max(text.rfind(mark, (start + end) // 2, end) + 1 for mark in " \t\r,;") or end


def _open_key(text: str) -> int | None:
    """Return where a private key starts that does not end."""
    starts = [found.start() for found in _KEY_START.finditer(text)]
    return starts[-1] if starts and not _KEY_END.search(text, starts[-1]) else None


def without_key_remainder(text: str) -> str:
    """Return text that begins after a cut, without the end of a private key that begins before the cut."""
    ends = _KEY_END.search(text, 0, KEY_LIMIT)
    if ends is None or _KEY_START.search(text, 0, ends.start()):
        return text
    return text[ends.end() :]


def up_to_whole_lines(data: bytes) -> bytes:
    """Return the beginning of output without the line that a cut has split."""
    end = data.rfind(b"\n") + 1
    return data[:end] if len(data) - end <= BLOCK else data[:-CUT]


def from_whole_lines(data: bytes) -> bytes:
    """Return the end of output without the line that a cut has split."""
    start = data.find(b"\n", 0, BLOCK) + 1
    return data[start or CUT :]


def presentable(data: bytes) -> bytes:
    """Return as much of growing output as can be shown: whole lines, without one that names or begins a secret that
    continues in the next; of a line that is too long to wait for, its beginning."""
    end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    if end == 0 and len(data) >= BLOCK:
        return data[: _word_end(data.decode("latin-1"), 0, BLOCK - CUT)]
    shown = data[:end].decode("latin-1")  # one character per byte
    key = _open_key(shown)
    if key is not None and len(shown) - key < KEY_LIMIT:
        end = shown.rfind("\n", 0, key) + 1
    elif shown.rstrip().endswith(_NAMES_NEXT):
        end = shown.rstrip().rfind("\n") + 1
    return data[:end]
