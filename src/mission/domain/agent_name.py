"""The names agents may have: none that can be taken for a person, for Mission Control, for an id or for another agent.

Names in any script are fine. They are compared by how they look: compatibility forms and case are folded (NFKC and
casefold), characters that show nothing are left out, and common look-alikes of Latin letters count as those letters.
"""

from __future__ import annotations

import unicodedata

from mission.domain.errors import InvalidInput
from mission.domain.ids import PREFIXES, is_id

RESERVED_NAMES = frozenset(
    {"human", "operator", "system", "unknown", "mission", "mission control", "you", "me", "user", "all"}
)
"""Names that records, mailboxes and people give to others than agents."""

_LOOK_ALIKES = str.maketrans(
    "авсԁегһіїјкӏмнопрѕтухѵԝүαβεηικμνορστυχγօոսհıɩɪɑᴀʙᴄᴅᴇɢɡʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abcderhiijklmhonpstyxvwyabenikuvopotuxyonuhiiiaabcdegghjklmnoprstuvwyz",
)
"""Cyrillic, Greek, Armenian and Latin letters, after casefold, that pass for another Latin letter."""
_RESERVED_LOOK_ALIKES = str.maketrans("ΗΝΥ01", "HNYol")
"""What passes for a letter of a reserved name, but must stay apart in other names: worker-0 is not worker-o."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEPARATORS = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "Zs", "Zl", "Zp", "Cc"})


def check_name(name: str) -> None:
    """Raise InvalidInput for a name that no agent may have."""
    given = unicodedata.normalize("NFKC", name).strip()
    if any(unicodedata.category(each) in _FORBIDDEN for each in name):
        raise _refused(name, "it has control characters, line breaks or characters that show nothing")
    if given.startswith("-"):
        raise _refused(name, "it starts with '-' and would be taken for an option")
    plain = _plain(given)
    if not plain:
        raise _refused(name, "it has neither a letter nor a digit")
    if plain in RESERVED_NAMES or is_id(given) or given.startswith(f"{PREFIXES['agent']}_"):
        raise _refused(name, "it stands for a person, Mission Control or an id")


def comparable_name(name: str) -> str:
    """Return what two names that look the same have in common."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    shown = "".join(each for each in folded if not _is_invisible(each))
    return " ".join(shown.translate(_LOOK_ALIKES).split())


def _plain(name: str) -> str:
    """Return the letters of a name alone, as reserved names are written: no accents, no punctuation."""
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
        f"name: '{shown}' is no name for an agent: {reason}",
        hint="Choose a name that says what the agent does, such as 'api-tests'.",
        field="name",
    )
