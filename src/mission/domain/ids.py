"""Short typed ids that a model copies without mistakes: a prefix for the kind, and ten characters."""

from __future__ import annotations

import random

from mission.domain.errors import InvalidInput

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
LENGTH = 10

KINDS = {
    "m": "mission",
    "p": "phase",
    "t": "task",
    "a": "agent",
    "x": "execution",
    "w": "workspace",
    "r": "repository",
    "msg": "message",
    "thr": "thread",
    "tpl": "template",
    "dec": "decision",
    "iss": "issue",
    "mil": "milestone",
    "cp": "checkpoint",
    "ev": "evidence",
    "cr": "check round",
    "run": "run",
    "cd": "candidate",
    "rv": "review",
    "log": "audit entry",
    "obs": "observation",
    "q": "inbox item",
}
_random = random.Random()  # seeded by the system; an id is a name, not a secret
_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]

PREFIXES = {kind: prefix for prefix, kind in KINDS.items()}


def new_id(kind: str) -> str:
    """Return a new id of that kind ('task' → 't_3k9x…')."""
    number = _random.randrange(36**LENGTH)
    text = ""
    for _ in range(LENGTH // 2):
        number, pair = divmod(number, len(_PAIRS))
        text += _PAIRS[pair]
    return f"{PREFIXES[kind]}_{text}"


def is_id(value: str) -> bool:
    """Return whether the text has the form of an id of any kind."""
    prefix, _, rest = value.partition("_")
    return prefix in KINDS and len(rest) == LENGTH and set(rest) <= set(ALPHABET)


def expect_kind(value: str, kind: str, *, field: str) -> str:
    """Return the id, or raise an error that says which kind of id was given instead."""
    prefix = value.split("_", 1)[0] if "_" in value else ""
    if prefix == PREFIXES[kind]:
        return value
    article = "an" if kind[0] in "aeiou" else "a"
    example = f"Ids of this kind look like '{PREFIXES[kind]}_…'."
    if prefix in KINDS:
        raise InvalidInput(
            f"{field}: '{value[:60]}' is the id of {_with_article(KINDS[prefix])}, not {article} {kind} id",
            hint=example,
            field=field,
        )
    raise InvalidInput(f"{field}: '{value[:60]}' is not {article} {kind} id", hint=example, field=field)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
