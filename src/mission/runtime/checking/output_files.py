"""The output of a check: read while it runs, and stored with secrets masked once it has ended."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from mission.runtime.checking.masked_text import (
    Mask,
    from_whole_lines,
    mask_lines,
    presentable,
    up_to_whole_lines,
    without_key_remainder,
)
from mission.runtime.runner.printed_output import PIECE_BYTES, PREFIX, piece_path
from mission.services.checks.check_runner import TAIL_CHARACTERS, OutputPiece

STORED = "output.txt"
KEPT_BYTES = PIECE_BYTES
"""The number of bytes kept from the beginning, and from the end."""
LIVE_BYTES = 256 * 1024
_BREAKS = (b"\n", b"\r")


def store_output(folder: Path, mask: Mask, *, printed: int | None = None) -> str:
    """Store the output of an ended check and return its last characters; `printed` is how much there should be."""
    numbers = _pieces(folder)
    if not numbers and (folder / STORED).exists():
        return stored_output(folder)[-TAIL_CHARACTERS:]
    text = _assemble(folder, numbers, mask, printed=printed)
    try:
        _write(folder, text)
    except OSError:
        _remove(folder, numbers)  # makes room on a full disk
        with suppress(OSError):
            _write(folder, text)
    _remove(folder, numbers)
    return text[-TAIL_CHARACTERS:]


def stored_output(folder: Path) -> str:
    """Return the stored output of an ended check."""
    try:
        return (folder / STORED).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def printed_bytes(folder: Path) -> int:
    """Return how much of the output was stored while the check ran."""
    return _end(folder, _pieces(folder))


def read_live(folder: Path, mask: Mask, *, offset: int) -> OutputPiece:
    """Return whole lines from an offset; a negative offset counts from the end."""
    numbers = _pieces(folder)
    end = _end(folder, numbers)
    wanted = min(max(0, end + offset if offset < 0 else offset), end)
    start = max(wanted, next((number * PIECE_BYTES for number in numbers if (number + 1) * PIECE_BYTES > wanted), 0))
    before = start - 1 if start % PIECE_BYTES else start
    data = _read(folder, before, before + LIVE_BYTES)
    at = start - before
    if start and not data[:at].endswith(_BREAKS):  # the rest of a line could be the rest of a secret
        breaks = [found for found in (data.find(mark, at) for mark in _BREAKS) if found >= 0]
        at = min(breaks) + 1 if breaks else len(data)
    shown = presentable(data[at:])
    text = shown.decode(errors="replace")
    return OutputPiece(
        text=_clean(mask_lines(without_key_remainder(text) if start else text, mask)),
        next_offset=before + at + len(shown),
        left_out=before + at - wanted if offset >= 0 else 0,
    )


def _assemble(folder: Path, numbers: list[int], mask: Mask, *, printed: int | None) -> str:
    end = _end(folder, numbers)
    missing = max(0, (printed or 0) - end)
    note = f"\n[… {missing:,} bytes could not be stored …]\n" if missing else ""
    if end <= 2 * KEPT_BYTES:
        whole = _read(folder, 0, end)
        return _masked(up_to_whole_lines(whole) if missing else whole, mask) + note
    head = up_to_whole_lines(_read(folder, 0, KEPT_BYTES))
    tail = from_whole_lines(_read(folder, end - KEPT_BYTES, end))
    tail = up_to_whole_lines(tail) if missing else tail
    left_out = end - len(head) - len(tail)
    rest = without_key_remainder(tail.decode(errors="replace"))
    return f"{_masked(head, mask)}\n[… {left_out:,} bytes left out …]\n{_clean(mask_lines(rest, mask))}{note}"


def _masked(data: bytes, mask: Mask) -> str:
    return _clean(mask_lines(data.decode(errors="replace"), mask))


def _clean(text: str) -> str:
    return text.replace("\0", "\\x00")  # no database stores it


def _pieces(folder: Path) -> list[int]:
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return []
    return sorted(int(name.removeprefix(PREFIX)) for name in names if name.startswith(PREFIX))


def _end(folder: Path, numbers: list[int]) -> int:
    if not numbers:
        return 0
    with suppress(OSError):
        return numbers[-1] * PIECE_BYTES + _piece(folder, numbers[-1]).stat().st_size
    return numbers[-1] * PIECE_BYTES


def _read(folder: Path, start: int, end: int) -> bytes:
    """Return the output between two positions, up to the first piece that is missing."""
    found = b""
    while start < end:
        number, inside = divmod(start, PIECE_BYTES)
        try:
            with _piece(folder, number).open("rb") as file:
                data = os.pread(file.fileno(), min(end - start, PIECE_BYTES - inside), inside)
        except OSError:
            break
        if not data:
            break
        found += data
        start += len(data)
    return found


def _write(folder: Path, text: str) -> None:
    partial = folder / f".{STORED}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode(errors="replace"))
    partial.replace(folder / STORED)


def _remove(folder: Path, numbers: list[int]) -> None:
    for number in numbers:
        with suppress(OSError):
            _piece(folder, number).unlink()


def _piece(folder: Path, number: int) -> Path:
    return Path(piece_path(str(folder), number))
