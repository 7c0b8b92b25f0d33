"""MISSION_HOME: the folder for all data of Mission Control, including the operator's token."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress

from mission.domain.errors import InvalidState
from mission.private_files import write_private, write_sealed
from mission.settings import Settings

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}", re.ASCII)
"""A bearer token that fits into a header and is too long to guess."""


class UnusableHome(InvalidState):
    """MISSION_HOME cannot be used."""

    default_hint = "Set MISSION_HOME to a folder you can write to."


class UnusableToken(InvalidState):
    """The operator's token cannot be read."""

    default_hint = (
        "Restore the file. To get a new token instead, run 'mission token rotate' or delete the file; "
        "clients configured with the old token then need the new one."
    )


def make_home(settings: Settings) -> None:
    """Create the folder if necessary, readable only by its owner."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be created: {error.strerror}") from None
    if not os.access(settings.home, os.R_OK | os.W_OK | os.X_OK):
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be read and written by this user")
    if "host_id" not in settings.sources:
        with suppress(OSError):
            settings.host_path.write_text(f"{settings.host_id}\n")


def operator_token(settings: Settings) -> str:
    """Return the operator's token, which is created at the first start."""
    path = settings.token_path
    try:
        token = path.read_bytes().decode("ascii", "replace").strip()
    except FileNotFoundError:
        return renew_token(settings)
    except OSError as error:
        raise UnusableToken(f"{path} cannot be read: {error.strerror}") from None
    if not token:
        raise UnusableToken(f"{path} is empty: the operator's token was lost")
    if not _TOKEN.fullmatch(token):
        raise UnusableToken(f"{path} is damaged: a token is one line of 16 to 512 letters, digits or -._~+/=")
    return token


def renew_token(settings: Settings) -> str:
    """Create a new token. Browser sessions end with the old one, so the list of ended sessions starts empty."""
    token = secrets.token_urlsafe(32)
    write_private(settings.token_path, f"{token}\n")
    with suppress(OSError):  # an old list is harmless, and a missing one makes browsers sign in again
        write_sealed(settings.sessions_path, "")
    return token
