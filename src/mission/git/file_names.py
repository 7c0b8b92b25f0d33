"""Conversion of file names, which are bytes, to text and back to exactly the same bytes."""

from __future__ import annotations

import re

from mission.domain.errors import InvalidInput

LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
ESCAPE = re.compile(r'\\(?:([abtnvfr"\\])|([0-3][0-7]{2}))|([^\\"])')


def display_name(name: bytes) -> str:
    """Return the name itself if it is UTF-8, else git's quoted form: "caf\\351.txt", quotes included."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return quoted(name)
    # A leading quote would read as the quoted form; databases refuse NUL inside JSON.
    return quoted(name) if text.startswith('"') or "\0" in text else text


def original(text: str) -> bytes:
    """Return the bytes of the name that `shown` made this text from."""
    if text.startswith('"'):
        return _unquoted(text)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{text!r} is not a file name: it contains characters outside UTF-8") from error


def quoted(name: bytes) -> str:
    """Return the name in double quotes, with C escapes for everything that is not printable ASCII."""
    return '"' + "".join(_escaped(byte) for byte in name) + '"'


def _escaped(byte: int) -> str:
    if byte in LETTERS:
        return "\\" + LETTERS[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _unquoted(text: str) -> bytes:
    inner = text[1:-1]
    pieces = list(ESCAPE.finditer(inner))
    if len(text) < 2 or not text.endswith('"') or sum(len(piece[0]) for piece in pieces) != len(inner):
        raise InvalidInput(f"{text!r} starts with a quote but is not a quoted file name")
    return b"".join(_byte(piece) for piece in pieces)


def _byte(piece: re.Match[str]) -> bytes:
    letter, octal, plain = piece.groups()
    if letter:
        return bytes([BYTES[letter]])
    return bytes([int(octal, 8)]) if octal else plain.encode()
