"""Counts in sentences: '1 file', '2 files'."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return the number with its noun, in the plural unless there is exactly one."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
