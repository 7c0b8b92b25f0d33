"""Settings that keep git from running programs configured by the repository, but not those of the user."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mission.git.command import Settings, run

OWN_SCOPES = (b"local", b"worktree")
"""Configuration that comes with the repository, not from the user or the system."""
USER_SCOPES = (b"system", b"global")
SILENT = {"clean": "", "smudge": "", "process": "", "required": "false"}
USUAL = {"core.sshcommand": "ssh", "core.askpass": ""}
"""Git's own defaults for settings that name a program for the network."""
HELPER = re.compile(r"credential\.(.*\.)?helper", re.DOTALL)
CLOSED = re.compile(
    r"extensions\.partialclone|remote\..*\.(promisor|partialclonefilter|uploadpack|receivepack|vcs)|protocol\..*"
    r"|core\.(gitproxy|alternaterefscommand)|lfs\.(customtransfer\..*|extension\..*|(.*\.)?standalonetransferagent)",
    re.DOTALL,
)
"""Settings that can lead to a program and cannot be overridden one by one. In a partial clone git would fetch."""

Rows = list[tuple[str, str]]


def without_filters(cwd: Path) -> Settings:
    """Return settings that disable filters configured by the repository; the user's own still work."""
    own = _rows(cwd, OWN_SCOPES)
    drivers = {key.rpartition(".")[0] for key, _ in own if key.startswith("filter.")}
    files = {key: value for key, value in own if key in ("core.attributesfile", "core.excludesfile")}
    return (
        *((f"{driver}.{name}", value) for driver in sorted(drivers) for name, value in SILENT.items()),
        *((key, os.devnull) for key, value in files.items() if not _is_ordinary(cwd, value)),
    )


def for_network(cwd: Path) -> Settings | None:
    """Return settings that allow the user's own filters the network; None if the repository makes that unsafe."""
    own = _rows(cwd, OWN_SCOPES)
    if any(CLOSED.fullmatch(key) for key, _ in own):
        return None
    users = _rows(cwd, USER_SCOPES)
    chosen = {**USUAL, **{key: value for key, value in users if key in USUAL}}
    settings = [(key, chosen[key]) for key in USUAL if any(key == each for each, _ in own)]
    if any(HELPER.fullmatch(key) for key, _ in own):
        # An empty value makes git forget the earlier ones.
        settings += [("credential.helper", ""), *((key, value) for key, value in users if HELPER.fullmatch(key))]
    return tuple(settings)


def _rows(cwd: Path, scopes: tuple[bytes, ...]) -> Rows:
    """Return the settings of these scopes, in git's order; git lowercases keys, except for names inside them."""
    words = run("config", "-z", "--show-scope", "--list", cwd=cwd, allowed=(0, 1)).out.split(b"\0")[:-1]
    rows = [row.partition(b"\n") for scope, row in zip(words[::2], words[1::2], strict=False) if scope in scopes]
    return [(os.fsdecode(key), os.fsdecode(value)) for key, _, value in rows]


def _is_ordinary(cwd: Path, chosen: str) -> bool:
    try:
        return (cwd / os.path.expanduser(chosen)).is_file()  # noqa: PTH111 (an unknown user must not raise)
    except ValueError:
        return False
