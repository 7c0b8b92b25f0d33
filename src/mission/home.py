"""MISSION_HOME: the folder for everything Mission Control keeps, and the operator's token in it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

from mission.domain.errors import InvalidState
from mission.private_files import write_private
from mission.settings import Settings


class UnusableHome(InvalidState):
    """MISSION_HOME cannot be used."""

    default_hint = "Set MISSION_HOME to a folder you may write to."


class UnusableToken(InvalidState):
    """The operator's token cannot be read."""

    default_hint = (
        "Make a new one with 'mission token rotate', or put the old file back. "
        "Clients that have the old token written down need the new one."
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
    """The operator's token, made at the first start."""
    try:
        token = settings.token_path.read_bytes().decode("ascii").strip()
    except FileNotFoundError:
        token = ""
    except OSError as error:
        raise UnusableToken(f"{settings.token_path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnusableToken(f"{settings.token_path} holds no token, but something that is no text") from None
    return token or renew_token(settings)


def renew_token(settings: Settings) -> str:
    token = secrets.token_urlsafe(32)
    write_private(settings.token_path, f"{token}\n")
    return token
