"""Patterns of secrets in free text: by their shape, by a name before them, by the command they belong to.

Each takes time in proportion to the length of the text, because the text comes from programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mission.gateway.audit.named_secrets import HIDDEN, WORDS, named

MIN_LENGTH = 8
"""Shorter texts have no secrets."""
_MARKS = (
    *("sk-", "sk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza"),
    *("npm_", "pypi-", "mca_", "earer ", "EARER ", "asic ", "PRIVATE KEY", "://"),
)
"""Substrings of which every shape of a secret has one."""
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk[-_][A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}"
    r"|mca_[\w-]{20,})"
    r"|\b(?i:bearer|basic) +[A-Za-z0-9._~+/-]{8,}=*"
    r"|(?<=://)[^\s/:@]*:[^\s/@]+(?=@)",
    re.DOTALL,
)
_JWT = "eyJ"
_JWT_START = re.compile(r"\beyJ[\w-]{8,}+")
_JWT_REST = re.compile(r"\.[\w-]{8,}\.[\w-]*")
_SSHPASS = re.compile(r"\bsshpass\s+-p\s*['\"]?([^\s'\"]+)")
_OPTIONS = {
    "curl": (
        re.compile(r"\bcurl\b"),
        re.compile(
            r"\s(?:(?:-[A-Za-z]*+(?<=[uU])|--(?:proxy-)?user)[ =]*+|-(?>[A-Za-z]*?[uU]))"
            r"['\"]?[^\s:'\"]*+:([^\s'\"]+)"
        ),
    ),
    "mysql": (re.compile(r"\bmysql\w*\b"), re.compile(r"\s-p['\"]?([^\s'\"]+)")),
}
"""Commands, and their options that contain a password without a name for it."""
_END_OF_COMMAND = "\n;|"


def masked(text: str, words: Sequence[str] = WORDS) -> str:
    """Return the text with its secrets replaced; `words` occur in the names of secrets."""
    if len(text) < MIN_LENGTH:
        return text
    if any(mark in text for mark in _MARKS):
        text = _SHAPES.sub(HIDDEN, text)
    found = [*_jwts(text), *_in_commands(text), *named(text, words)]
    return _without(text, sorted(found)) if found else text


def _without(text: str, found: Iterable[tuple[int, int]]) -> str:
    """Return the text with these parts, which may overlap, replaced."""
    kept, done = [], 0
    for start, end in found:
        if start >= done:
            kept += [text[done:start], HIDDEN]
        done = max(done, end)
    return "".join([*kept, text[done:]])


def _jwts(text: str) -> Iterator[tuple[int, int]]:
    at = text.find(_JWT)
    while at != -1:
        begun = _JWT_START.match(text, at)
        if begun is not None and (rest := _JWT_REST.match(text, begun.end())) is not None:
            yield at, rest.end()
        at = text.find(_JWT, at + 1 if begun is None else begun.end())


def _in_commands(text: str) -> Iterator[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    if "sshpass" in text:
        spans += [found.span(1) for found in _SSHPASS.finditer(text)]
    for name, (command, option) in _OPTIONS.items():
        if name in text:
            spans += _options(text, command, option)
    for start, end in spans:
        if text[start:end] != HIDDEN:
            yield start, end


def _options(text: str, command: re.Pattern[str], option: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of the passwords in a command's options, wherever in its line they are."""
    seen, is_command = 0, False
    for found in option.finditer(text):
        end = max(text.rfind(each, seen, found.start()) for each in _END_OF_COMMAND)
        if end != -1:
            seen, is_command = end, False
        is_command = is_command or command.search(text, seen, found.start()) is not None
        seen = found.end()
        if is_command:
            yield found.span(1)
