"""Keys as a terminal sends them, and their names."""

from __future__ import annotations

import codecs
import re

ESCAPE = "\x1b"
PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])")
_SEQUENCES = {
    **{
        f"\x1b[{letter}": name
        for letter, name in zip("ABCDHF", ("up", "down", "right", "left", "home", "end"), strict=True)
    },
    **{
        f"\x1bO{letter}": name
        for letter, name in zip("ABCDHF", ("up", "down", "right", "left", "home", "end"), strict=True)
    },
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[Z": "shift tab",
}
_CONTROLS = {"\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\x08": "backspace", "\x15": "clear"}


class KeyReader:
    """Turns bytes into keys: a printed character is itself, pasted text is one key, others have names."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._rest = ""

    @property
    def is_inside_sequence(self) -> bool:
        """Return whether the last byte may be Esc or the start of something longer."""
        return self._rest == ESCAPE

    def feed(self, data: bytes) -> list[str]:
        """Return the keys that are complete."""
        self._rest += self._decoder.decode(data)
        keys: list[str] = []
        while self._rest and (taken := self._next()) is not None:
            keys += [taken] if taken else []
        return keys

    def flush(self) -> list[str]:
        """Return Esc if it was pressed and nothing followed."""
        waiting, self._rest = self._rest, ""
        return ["esc"] if waiting.startswith(ESCAPE) else []

    def _next(self) -> str | None:
        """Take one key off the text; '' for one without a meaning, None if it is not complete."""
        text = self._rest
        if text.startswith(PASTE_START):
            pasted, end, after = text.removeprefix(PASTE_START).partition(PASTE_END)
            if not end:
                return None
            self._rest = after
            return " ".join(pasted.split())
        if text[0] != ESCAPE:
            self._rest = text[1:]
            return _CONTROLS.get(text[0], text[0] if text[0].isprintable() else "")
        found = _SEQUENCE.match(text)
        if found is None and (len(text) == 1 or text[1] in "[O"):
            return None
        self._rest = text[found.end() :] if found else text[1:]
        return _SEQUENCES.get(found[0], "") if found else "esc"
