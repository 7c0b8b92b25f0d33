"""MISSION_HOME: the folder for everything Mission Control keeps, and the operator's token in it."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress

from mission.domain.errors import InvalidState
from mission.private_files import write_private, write_sealed
from mission.settings import Settings

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}", re.ASCII)
"""What a header can carry as a bearer token, and nobody guesses."""


class UnusableHome(InvalidState):
    """MISSION_HOME cannot be used."""

    default_hint = "Set MISSION_HOME to a folder you may write to."


class UnusableToken(InvalidState):
    """The operator's token cannot be read."""

    default_hint = (
        "Put the old file back. Or run 'mission token rotate', or remove the file, for a new token: "
        "clients that have the old one written down need the new one then."
    )


def make_home(settings: Settings) -> None:
    """Make the folder if need be; nobody else may look in."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be made: {error.strerror}") from None
    if not os.access(settings.home, os.R_OK | os.W_OK | os.X_OK):
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be read and written by this user")
    if "host_id" not in settings.sources:
        with suppress(OSError):
            settings.host_path.write_text(f"{settings.host_id}\n")


def operator_token(settings: Settings) -> str:
    """Return the operator's token, which is made at the first start."""
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
        raise UnusableToken(f"{path} is damaged: a token is one line of 16 to 512 letters, digits and -._~+/=")
    return token


def renew_token(settings: Settings) -> str:
    """Make a new token. No session of a browser outlives the old one, so none has been signed out of the new one."""
    token = secrets.token_urlsafe(32)
    write_private(settings.token_path, f"{token}\n")
    with suppress(OSError):  # what was there before does no harm, and one that is gone makes browsers sign in again
        write_sealed(settings.sessions_path, "")
    return token
