"""Secrets that free text gives a name: `password=…`, `--token …`, "the passphrase is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
HIDDEN = "***"
WORDS = ("token", "secret", "pass", "pwd", "authorization", "credential", "cookie", "key")
"""Words in the names of secrets."""
_PASSWORDS = ("word", "phrase", "code", "wd")
"""Endings that make 'pass' a secret; alone it may be the result of a test."""
_KEYS = ("api", "access", "private")
"""Words before 'key' that make it a secret."""
_NAME = re.compile(r"[\w-]*+")
_GIVEN = re.compile(r"[\"']?\s*+[=:]\s*+")
_SPACE = re.compile(r"\s++")
_STATED = re.compile(r"\s++(?:is|was|will be)(?:\s*+:)?\s++")
_QUOTED = re.compile(r"\"[^\"]{3,}+\"|'[^']{3,}+'")
_BARE = re.compile(r"[^\s\"'&,;<>]++")
_MIN_VALUE = 3
_LONGEST_ANSWER = 100
"""A longer value is not the result of a test."""
_NEXT_WORD = re.compile(r"[ \t]++[A-Za-z]++(?![\w-]*+\s*+[=:])")
_DIGITS = re.compile(r"\d*+")
_COUNT = re.compile(r"[\d.,/%]+")
_PLACE = re.compile(r"[/~.$]|[A-Za-z]:\\")
"""The beginning of a folder path, such as the value of PWD."""
_ANSWERS = frozenset({"true", "false", "yes", "no", "none", "null", "fail", "failed"})
_SAID_OF = re.compile(
    r"\w*(?:ed|ing|able|ible|less)|(?:in)?correct|(?:in)?valid|(?:in)?secure|wrong|right|weak|strong|empty|set|unset|kept"
    r"|sent|known|unknown|gone|lost|old|new|short|long|public|plain|hidden|optional|mandatory|good|bad|fine|here|there|now"
    r"|again|back|text|null|none|true|false|what|that|this|too|not|the|one",
    re.IGNORECASE,
)
"""Words that describe a password rather than being one."""
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]*(?:[-'][a-z]+)*")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def named(text: str, words: Sequence[str] = WORDS) -> Iterator[Span]:
    """Yield the positions of values that the text gives to names of secrets; they may overlap.

    A search for the words and then for the value after each is many times faster than one pattern for both.
    """
    lowered = text.lower() if text.isascii() else text.translate(_LOWER)
    for word in words:
        at = lowered.find(word)
        if at == -1:
            continue
        values = _Values(text, lowered)
        while at != -1:
            found = values.after(at, word)
            if found is not None:
                yield found
            at = lowered.find(word, at + len(word))


def is_not_password(name: str, value: str) -> bool:
    """Return whether the value of a name such as 'pass' or 'pwd' is a test result or a folder."""
    if name == "pwd":
        return _PLACE.match(value) is not None
    return value.lower() in _ANSWERS or _COUNT.fullmatch(value) is not None


class _Values:
    """The values after the occurrences of one word, asked for from left to right.

    It remembers the ends of the last name and the last value, because many words can be in one of them.
    """

    def __init__(self, text: str, lowered: str) -> None:
        self._text = text
        self._lowered = lowered
        self._name_end = -1
        self._given: Span | None = None
        self._separate: Span | None = None
        self._bare_end = 0
        self._word_start = 0
        self._looked_back = 0

    def after(self, at: int, word: str) -> Span | None:
        """Return the position of the value for the name with the word at this position, if it has one."""
        lowered = self._lowered
        if word == "key" and not lowered[max(0, at - 8) : at].rstrip("_- ").endswith(_KEYS):
            return None
        behind = at + len(word)
        if word == "pass" and lowered.startswith(_PASSWORDS, behind):
            behind += next(len(each) for each in _PASSWORDS if lowered.startswith(each, behind))
            word = "password"
        if word in ("pass", "pwd"):
            return self._weak(at, behind, word)
        self._read_name(behind)
        found = self._given or (self._separate if self._separate and self._is_option(at) else None)
        if found is None:
            return self._stated(behind, word)
        return None if self._is_hidden(found) or (word == "token" and self._is_number(found)) else found

    def _weak(self, at: int, behind: int, word: str) -> Span | None:
        """Return the value of a name ending in 'pass' or 'pwd', unless it is a test result, a folder or prose."""
        text = self._text
        is_option = self._is_option(at)
        if _GIVEN.match(text, behind) is None and not is_option:
            return None  # nearly always: the word is in prose
        joined = text[at - 1 : at].isalpha() and not (text[at - 1].islower() and text[at].isupper())
        if joined or text[behind : behind + 1].isalpha():
            return None
        if text.startswith("PASS:", at) and not text[at - 1 : at].strip():
            return None  # as test runners print it
        self._read_name(behind)
        found = (self._given if self._name_end == behind else None) or (self._separate if is_option else None)
        if found is None or self._is_hidden(found):
            return None
        if self._is_quoted(found):
            return found
        start, end = found
        value = text[start : min(end, start + _LONGEST_ANSWER)]
        is_whole = start + len(value) == end
        prose = is_whole and value.isalpha() and _NEXT_WORD.match(text, end)
        return None if prose or is_not_password(word, value) else found

    def _stated(self, behind: int, word: str) -> Span | None:
        """Return the value in 'the password is …'; a plain word counts only at the end of the sentence."""
        begun = _STATED.match(self._text, behind)
        found = self._value(begun.end()) if begun is not None else None
        if found is None or self._is_hidden(found):
            return None
        start, end = found
        value = self._text[start:end].rstrip(".!?)")
        if len(value) < _MIN_VALUE or (word == "token" and value.isdigit()):
            return None
        end = start + len(value)
        is_plain = _PLAIN_WORD.fullmatch(value) is not None
        if is_plain and (word != "password" or _SAID_OF.fullmatch(value) or _NEXT_WORD.match(self._text, end)):
            return None
        return start, end

    def _read_name(self, behind: int) -> None:
        """Find the end of the name around the word, and the values after it: '=value', or '--name value'."""
        if behind <= self._name_end:
            return
        self._name_end = self._end(_NAME, behind)
        given = _GIVEN.match(self._text, self._name_end)
        space = _SPACE.match(self._text, self._name_end)
        self._given = self._value(given.end()) if given is not None else None
        self._separate = self._value(space.end()) if space is not None and given is None else None

    def _value(self, start: int) -> Span | None:
        """Return the value that begins here, without its quotes."""
        quoted = _QUOTED.match(self._text, start)
        if quoted is not None:
            return quoted.start() + 1, quoted.end() - 1
        if start >= self._bare_end:
            self._bare_end = self._end(_BARE, start)
        return (start, self._bare_end) if self._bare_end - start >= _MIN_VALUE else None

    def _end(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self._text, at)
        return found.end() if found is not None else at

    def _is_quoted(self, found: Span) -> bool:
        return self._text[found[0] - 1] in "\"'"

    def _is_hidden(self, found: Span) -> bool:
        return self._text.startswith(HIDDEN, found[0]) and not self._is_quoted(found)

    def _is_number(self, found: Span) -> bool:
        return self._end(_DIGITS, found[0]) == found[1] and not self._is_quoted(found)

    def _is_option(self, at: int) -> bool:
        """Return whether the word at this position belongs to a command's option, such as --password."""
        ends = (self._text.rfind(each, self._looked_back, at) for each in " \n")
        self._word_start = max(self._word_start, *(end + 1 for end in ends))
        self._looked_back = max(self._looked_back, at)
        return self._text.startswith("--", self._word_start)
