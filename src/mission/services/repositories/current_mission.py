"""The default mission of a caller that names none: the newest open one of its repository."""

from __future__ import annotations

from mission.domain.actions import Action
from mission.domain.errors import InvalidInput, NotFound
from mission.domain.missions.mission import Mission
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.work import Work
from mission.store.transaction import Tx


async def newest_here(work: Work, trees: Trees, *, named: TreeLocation | None = None, directory: str | None) -> Mission:
    """Return the newest open mission of the repository that the caller named or is in."""
    place = named or await trees.around(directory)
    if place is None:
        raise InvalidInput(
            "mission_id: no mission was given, and there is no repository to find it from",
            action=Action.START_MISSION,
            field="mission_id",
        )
    return await work.read(_newest_open, place=place)


def _newest_open(tx: Tx, *, place: TreeLocation) -> Mission:
    path = str(place.tree.path)
    mission = tx.missions.newest_open(host_id=place.host_id, path=path, common_dir=place.common_dir)
    if mission is None:
        raise NotFound(
            "there is no open mission for this repository",
            action=Action.START_MISSION,
        )
    return mission
