"""Rules for agent names: none that could be mistaken for a person, Mission Control, an id or another agent.

Names in any script are fine. They are compared by how they look: compatibility forms and case are folded (NFKC and
casefold), invisible characters are dropped, and common look-alikes of Latin letters count as those letters.
"""

from __future__ import annotations

import unicodedata

from mission.domain.errors import InvalidInput
from mission.domain.ids import PREFIXES, is_id

RESERVED_NAMES = frozenset(
    {"human", "operator", "system", "unknown", "mission", "mission control", "you", "me", "user", "all"}
)
"""Names that records, mailboxes and people use for something other than an agent."""

_LOOK_ALIKES = str.maketrans(
    "авсԁегһіїјкӏмнопрѕтухѵԝүαβεηικμνορστυχγօոսհıɩɪɑᴀʙᴄᴅᴇɢɡʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abcderhiijklmhonpstyxvwyabenikuvopotuxyonuhiiiaabcdegghjklmnoprstuvwyz",
)
"""Cyrillic, Greek, Armenian and Latin letters, after casefold, that look like another Latin letter."""
_RESERVED_LOOK_ALIKES = str.maketrans("ΗΝΥ01", "HNYol")
"""Look-alikes that count in reserved names, but stay distinct in other names: worker-0 is not worker-o."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEPARATORS = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "Zs", "Zl", "Zp", "Cc"})


def check_name(name: str) -> None:
    """Raise InvalidInput unless an agent may have this name."""
    given = unicodedata.normalize("NFKC", name).strip()
    if any(unicodedata.category(each) in _FORBIDDEN for each in name):
        raise _refused(name, "it has control characters, line breaks or invisible characters")
    if given.startswith("-"):
        raise _refused(name, "it starts with '-', like a command-line option")
    plain = _plain(given)
    if not plain:
        raise _refused(name, "it has no letter or digit")
    if plain in RESERVED_NAMES or is_id(given) or given.startswith(f"{PREFIXES['agent']}_"):
        raise _refused(name, "it is reserved for a person, Mission Control or an id")


def comparable_name(name: str) -> str:
    """Return a form that is equal for two names that look the same."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    shown = "".join(each for each in folded if not _is_invisible(each))
    return " ".join(shown.translate(_LOOK_ALIKES).split())


def _plain(name: str) -> str:
    """Return only the letters of a name, as reserved names are written: no accents, no punctuation."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_RESERVED_LOOK_ALIKES))
    letters = "".join(each for each in decomposed if unicodedata.category(each) not in {"Mn", "Me"})
    words = "".join(" " if unicodedata.category(each) in _SEPARATORS else each for each in letters)
    return comparable_name(words)


def _is_invisible(character: str) -> bool:
    variation = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return variation or character in _BLANK or unicodedata.category(character) == "Cf"


def _refused(name: str, reason: str) -> InvalidInput:
    shown = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in name[:100])
    return InvalidInput(
        f"name: '{shown}' is not a valid agent name: {reason}",
        hint="Choose a name that says what the agent does, such as 'api-tests'.",
        field="name",
    )
