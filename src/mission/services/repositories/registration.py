"""Use cases of repositories: register one, list them, find the one at a path."""

from __future__ import annotations

import os
from dataclasses import replace

from mission.domain.errors import InvalidInput
from mission.domain.missions.repository import Repository
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.work import Work
from mission.store.transaction import Tx


async def register(work: Work, trees: Trees, *, path: str, name: str | None) -> Repository:
    """Register the tree at the path; a known one keeps its id."""
    place = await trees.named(path, field="path")
    assert place is not None
    return await work.finish(remember, place=place, name=name)


async def registered(work: Work, trees: Trees, *, path: str) -> Repository:
    """Return the repository at the path, registered if it is new, before a call's last write."""
    place = await trees.named(path, field="repository_path")
    assert place is not None
    return await work.write(remember, place=place, name=None)


async def at(work: Work, trees: Trees, *, path: str) -> Repository | None:
    """Return the repository around the path, if it is known; the path itself need not exist."""
    try:
        place = await trees.named(path, field="path")
    except InvalidInput:
        if not path.startswith("/"):
            raise
        place = None
    found = str(place.tree.path) if place is not None else os.path.normpath(path)
    return await work.read(_at, path=found, host_id=trees.host_id)


def remember(tx: Tx, *, place: TreeLocation, name: str | None) -> Repository:
    """Return the repository at the location, registered if new, under the name if one is given."""
    found = tx.missions.repository(place.known_to(tx))
    assert found is not None
    if name is None or name == found.name:
        return found
    renamed = replace(found, name=name)
    tx.missions.save_repository(renamed)
    return renamed


def list_repositories(tx: Tx, *, limit: int, offset: int) -> tuple[list[Repository], int]:
    """Return a page of the known repositories, by name, and how many there are in all."""
    return tx.missions.repositories(limit=limit, offset=offset)


def local(tx: Tx, *, host_id: str, limit: int) -> list[Repository]:
    """Return repositories of this host, newest first."""
    return tx.missions.repositories_of(host_id=host_id, limit=limit)


def _at(tx: Tx, *, path: str, host_id: str) -> Repository | None:
    return tx.missions.repository_at(host_id=host_id, path=path)
