"""Repositories: remembered by their top, found from inside and after they are gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput
from mission.git.working_tree import Tree
from mission.services.repositories import registration as repositories
from mission.services.repositories.working_trees import TreeLocation
from mission.services.work import BackgroundWork
from tests.store.rows import at


def place(path, host_id="here"):
    return TreeLocation(tree=Tree(path=Path(path), kind="folder"), host_id=host_id)


def test_a_known_place_keeps_its_id_and_takes_a_new_name(tx):
    first = repositories.remember(tx, place=place("/code/shop"), name=None)

    again = repositories.remember(tx, place=place("/code/shop"), name="Store")

    assert (first.name, again.name, again.id) == ("shop", "Store", first.id)
    assert repositories.remember(tx, place=place("/code/shop"), name=None).name == "Store"
    assert repositories.remember(tx, place=place("/code/shop", "there"), name=None).id != first.id


def test_repositories_are_listed_by_name_and_those_of_a_host_the_newest_first(tx, rows):
    rows.repository("/code/b", created_at=at(1))
    rows.repository("/code/a")
    rows.repository("/code/c", host_id="there")

    page, total = repositories.list_repositories(tx, limit=2, offset=0)

    assert ([each.name for each in page], total) == (["a", "b"], 3)
    assert [each.name for each in repositories.local(tx, host_id="here", limit=9)] == ["b", "a"]
    assert len(repositories.local(tx, host_id="here", limit=1)) == 1


async def test_a_repository_is_found_from_inside_and_when_its_folder_is_gone(app, call, repository):
    known = await call("repository_register", {"path": str(repository / "src"), "name": "Shop"})
    work = BackgroundWork(app.database)

    async def at(path):
        found = await repositories.at(work, app.trees, path=path)
        return found and found.id

    assert await at(str(repository / "src")) == await at(str(repository)) == known["id"]
    assert await at(str(repository.parent)) is None
    shutil.rmtree(repository)
    assert await at(f"{repository}/") == known["id"]
    with pytest.raises(InvalidInput, match="absolute"):
        await at("relative")
