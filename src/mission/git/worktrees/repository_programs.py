"""Settings under which no program that the repository itself names is run, while the user's own still are."""

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
"""What git does by itself where a setting names a program for the network."""
HELPER = re.compile(r"credential\.(.*\.)?helper", re.DOTALL)
CLOSED = re.compile(
    r"extensions\.partialclone|remote\..*\.(promisor|partialclonefilter|uploadpack|receivepack|vcs)|protocol\..*"
    r"|core\.(gitproxy|alternaterefscommand)|lfs\.(customtransfer\..*|extension\..*|(.*\.)?standalonetransferagent)",
    re.DOTALL,
)
"""Settings that can lead to a program and cannot be overruled one by one. In a partial clone git itself would fetch."""

Rows = list[tuple[str, str]]


def without_filters(cwd: Path) -> Settings:
    """Settings that silence the filters which the repository itself configures; the user's own still work."""
    own = _rows(cwd, OWN_SCOPES)
    drivers = {key.rpartition(".")[0] for key, _ in own if key.startswith("filter.")}
    files = {key: value for key, value in own if key in ("core.attributesfile", "core.excludesfile")}
    return (
        *((f"{driver}.{name}", value) for driver in sorted(drivers) for name, value in SILENT.items()),
        *((key, os.devnull) for key, value in files.items() if not _is_ordinary(cwd, value)),
    )


def for_network(cwd: Path) -> Settings | None:
    """Settings with which the user's own filters may use the network; None where the repository leaves no safe way."""
    own = _rows(cwd, OWN_SCOPES)
    if any(CLOSED.fullmatch(key) for key, _ in own):
        return None
    users = _rows(cwd, USER_SCOPES)
    chosen = {**USUAL, **{key: value for key, value in users if key in USUAL}}
    settings = [(key, chosen[key]) for key in USUAL if any(key == each for each, _ in own)]
    if any(HELPER.fullmatch(key) for key, _ in own):
        # An empty one makes git forget those before it.
        settings += [("credential.helper", ""), *((key, value) for key, value in users if HELPER.fullmatch(key))]
    return tuple(settings)


def _rows(cwd: Path, scopes: tuple[bytes, ...]) -> Rows:
    """The settings of these scopes, in git's order; git spells keys in small letters, but for names inside."""
    words = run("config", "-z", "--show-scope", "--list", cwd=cwd, allowed=(0, 1)).out.split(b"\0")[:-1]
    rows = [row.partition(b"\n") for scope, row in zip(words[::2], words[1::2], strict=False) if scope in scopes]
    return [(os.fsdecode(key), os.fsdecode(value)) for key, _, value in rows]


def _is_ordinary(cwd: Path, chosen: str) -> bool:
    try:
        return (cwd / os.path.expanduser(chosen)).is_file()  # noqa: PTH111 (an unknown user must not raise)
    except ValueError:
        return False
