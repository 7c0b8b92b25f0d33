"""Patterns of secrets in free text: by their shape, by a name before them, by the command they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

HIDDEN = "***"
MIN_LENGTH = 8
"""Shorter texts have no secrets."""
WORDS = ("token", "secret", "pass", "pwd", "authorization", "credential", "cookie", "key")
"""Words in the names of secrets."""
_PASSWORDS = ("word", "phrase", "code", "wd")
"""Endings that make 'pass' a secret; alone it may be the result of a test."""
_KEYS = ("api", "access", "private")
"""Words before 'key' that make it a secret."""
_MARKS = (
    *("sk-", "sk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza"),
    *("npm_", "pypi-", "mca_", "eyJ", "earer ", "EARER ", "asic ", "PRIVATE KEY", "://"),
)
"""Substrings of which every shape of a secret has one."""
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk[-_][A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}"
    r"|mca_[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|\b(?i:bearer|basic) +[A-Za-z0-9._~+/-]{8,}=*"
    r"|(?<=://)[^\s/:@]*:[^\s/@]+(?=@)",
    re.DOTALL,
)
_COMMANDS = ("curl", "sshpass", "mysql")
_COMMAND = re.compile(
    r"\bcurl\b[^\n;|]*?\s(?:-[A-Za-z]*[uU]|--(?:proxy-)?user)[ =]*['\"]?[^\s:'\"]+:([^\s'\"]+)"
    r"|\bsshpass\s+-p\s*['\"]?([^\s'\"]+)"
    r"|\bmysql\w*\b[^\n;|]*?\s-p['\"]?([^\s'\"]+)"
)
"""Commands whose options contain a password without a name for it."""
_VALUE = r"(\"[^\"]{3,}\"|'[^']{3,}'|[^\s\"'&,;<>]{3,})"
_ASSIGNED = re.compile(rf"[\w-]*[\"']?\s*[=:]\s*{_VALUE}")
_GIVEN = re.compile(rf"[\"']?\s*[=:]\s*{_VALUE}")
_GIVEN_SOON = re.compile(r"[\"']?\s*[=:]")
_OPTION = re.compile(rf"[\w-]*\s+{_VALUE}")
_STATED = re.compile(rf"\s+(?:is|was|will be)\s*:?\s+{_VALUE}")
_NEXT_WORD = re.compile(r"[ \t]+[A-Za-z]+(?![\w-]*\s*[=:])")
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
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def masked(text: str, words: Sequence[str] = WORDS) -> str:
    """Return the text with its secrets replaced; `words` occur in the names of secrets."""
    if len(text) < MIN_LENGTH:
        return text
    if any(mark in text for mark in _MARKS):
        text = _SHAPES.sub(HIDDEN, text)
    found = [*_in_commands(text), *_named(text, words)]
    if not found:
        return text
    kept, done = "", 0
    for start, end in sorted(found):
        if start >= done:
            kept, done = f"{kept}{text[done:start]}{HIDDEN}", end
    return kept + text[done:]


def is_not_password(name: str, value: str) -> bool:
    """Return whether the value of a name such as 'pass' or 'pwd' is a test result or a folder."""
    if name == "pwd":
        return _PLACE.match(value) is not None
    return value.lower() in _ANSWERS or _COUNT.fullmatch(value) is not None


def _in_commands(text: str) -> Iterator[tuple[int, int]]:
    if any(command in text for command in _COMMANDS):
        for found in _COMMAND.finditer(text):
            start, end = found.span(found.lastindex or 0)
            if text[start:end] != HIDDEN:
                yield start, end


def _named(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of values that the text assigns to names of secrets.

    A search for the words and then for the value after each is many times faster than one pattern for both.
    """
    lowered = text.lower() if text.isascii() else text.translate(_LOWER)
    for word in words:
        at = lowered.find(word)
        while at != -1:
            found = _value_after(text, lowered, at, word)
            if found is not None:
                yield found
            at = lowered.find(word, at + len(word))


def _value_after(text: str, lowered: str, at: int, word: str) -> tuple[int, int] | None:
    """Return the position of the value for the name with the word at this position, if it has one."""
    if word == "key" and not lowered[max(0, at - 8) : at].rstrip("_- ").endswith(_KEYS):
        return None
    behind = at + len(word)
    if word == "pass" and lowered.startswith(_PASSWORDS, behind):
        behind += next(len(each) for each in _PASSWORDS if lowered.startswith(each, behind))
        word = "password"
    if word in ("pass", "pwd"):
        return _weak_value(text, at, behind, word)
    found = _ASSIGNED.match(text, behind) or (_OPTION.match(text, behind) if _is_option(text, at) else None)
    if found is None:
        return _stated_value(text, behind, word)
    if found[1].startswith(HIDDEN) or (found[1].isdigit() and word == "token"):
        return None
    return _inside(found)


def _weak_value(text: str, at: int, behind: int, word: str) -> tuple[int, int] | None:
    """Return the value of a name ending in 'pass' or 'pwd', unless it is a test result, a folder or prose."""
    if _GIVEN_SOON.match(text, behind) is None and not _is_option(text, at):
        return None  # nearly always: the word is in prose
    joined = text[at - 1 : at].isalpha() and not (text[at - 1].islower() and text[at].isupper())
    if joined or text[behind : behind + 1].isalpha():
        return None
    if text.startswith("PASS:", at) and not text[at - 1 : at].strip():
        return None  # as test runners print it
    found = _GIVEN.match(text, behind) or (_OPTION.match(text, behind) if _is_option(text, at) else None)
    if found is None or found[1].startswith(HIDDEN):
        return None
    prose = found[1].isalpha() and _NEXT_WORD.match(text, found.end())
    return None if prose or is_not_password(word, found[1]) else _inside(found)


def _stated_value(text: str, behind: int, word: str) -> tuple[int, int] | None:
    """Return the value in 'the password is …'; a plain word counts only at the end of the sentence."""
    found = _STATED.match(text, behind)
    if found is None or found[1].startswith(HIDDEN):
        return None
    start, end = _inside(found)
    end -= len(text[start:end]) - len(text[start:end].rstrip(".!?)"))
    value = text[start:end]
    if len(value) < 3 or (word == "token" and value.isdigit()):
        return None
    plain = re.fullmatch(r"[A-Za-z]?[a-z]*(?:[-'][a-z]+)*", value) is not None
    if plain and (word != "password" or _SAID_OF.fullmatch(value) or _NEXT_WORD.match(text, end)):
        return None
    return start, end


def _inside(found: re.Match[str]) -> tuple[int, int]:
    """Return the position of the value without its quotes."""
    quoted = found[1][0] in "\"'"
    return found.start(1) + quoted, found.end(1) - quoted


def _is_option(text: str, at: int) -> bool:
    """Return whether the word at this position belongs to a command's option, such as --password."""
    start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    return text.startswith("--", start)
