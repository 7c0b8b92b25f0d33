"""The mission that a caller means who names none."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.services.repositories import current_mission
from mission.services.work import BackgroundWork


@pytest.fixture
def newest(app):
    async def find(directory=None, named=None):
        work = BackgroundWork(app.database)
        tree = await app.trees.named(str(named)) if named is not None else None
        found = await current_mission.newest_here(
            work, app.trees, named=tree, directory=None if directory is None else str(directory)
        )
        return found.id

    return find


async def start(call, repository, name="m"):
    wanted = {"name": name, "objective": "o", "repository_path": str(repository)}
    return (await call("start_mission", wanted))["mission_id"]


async def test_it_is_the_newest_open_one_of_the_repository_around_the_caller(call, newest, repository, git):
    first, second = await start(call, repository), await start(call, repository)
    worktree = repository.parent / "worktree"
    git(repository, "worktree", "add", "-q", str(worktree))

    assert await newest(repository / "src") == await newest(worktree) == second
    await call("complete_mission", {"mission_id": second, "status": "failed", "summary": "no"})
    assert await newest(repository) == first


async def test_a_named_repository_outranks_where_the_caller_stands(call, newest, repository, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    await start(call, repository)
    there = await start(call, other)

    assert await newest(repository, named=other) == there


async def test_without_a_mission_or_a_repository_the_caller_is_told_to_start_one(newest, repository, tmp_path):
    with pytest.raises(NotFound, match="no open mission for this repository"):
        await newest(repository)
    with pytest.raises(InvalidInput, match="mission_id"):
        await newest(None)
    with pytest.raises(InvalidInput, match="mission_id"):
        await newest("/")
