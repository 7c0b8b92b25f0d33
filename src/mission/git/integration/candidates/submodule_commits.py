"""Check that the commits of changed submodules are published: one that only this machine has breaks every clone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.command import LONG, run
from mission.git.errors import GitFailed
from mission.git.file_names import display_name
from mission.git.integration.errors import Unpublished
from mission.git.snapshots.manifest import Difference, content_of
from mission.git.working_tree import locate

LINK = b"160000"


def check_published(top: Path, differences: Iterable[Difference]) -> None:
    """Raise Unpublished unless a branch of its remote, as last seen, contains the commit of each changed submodule."""
    unknown = [
        display_name(each.path)
        for each in differences
        if each.new is not None
        and each.new.split(b" ")[1] == LINK
        and not _is_published(top, each.path, content_of(each.new).decode())
    ]
    if unknown:
        raise Unpublished(unknown)


def _is_published(top: Path, path: bytes, commit: str) -> bool:
    folder = top / os.fsdecode(path)
    if Path(os.path.realpath(folder)) != folder or not (folder / ".git").exists():
        return False  # it is not checked out, so nothing here knows its remote
    try:
        if locate(folder).top != folder:
            return False
        listed = run("for-each-ref", "--contains", commit, "--count=1", "refs/remotes", cwd=folder, timeout=LONG)
    except (GitFailed, InvalidInput, InvalidState):  # it cannot be read
        return False
    return bool(listed.out)
