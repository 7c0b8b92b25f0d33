"""A transaction on each of the two databases, undone after the test, and a way to fill it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mission.settings import Settings
from mission.store.open_database import new_backend
from mission.store.transaction import Tx
from tests.postgres_databases import Shelf
from tests.store.rows import NOW, Rows


@pytest.fixture(scope="session")
def _sqlite_for_all(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Any]:
    home = tmp_path_factory.mktemp("store")
    shutil.copy(_sqlite_template, home / "all.db")
    yield from _opened(Settings(home=home, database_url=f"sqlite:///{home / 'all.db'}"))


@pytest.fixture(scope="session")
def _postgres_for_all(tmp_path_factory: pytest.TempPathFactory, postgres_shelf: Shelf) -> Iterator[Any]:
    with postgres_shelf.lent() as url:
        yield from _opened(Settings(home=tmp_path_factory.mktemp("store"), database_url=url))


@pytest.fixture(params=["_sqlite_for_all", "_postgres_for_all"], ids=["sqlite", "postgresql"])
def tx(request: pytest.FixtureRequest) -> Iterator[Tx]:
    """A transaction that is never committed: the tests of a worker share its databases."""
    backend, connection = request.getfixturevalue(request.param)
    backend.begin_write(connection)
    yield Tx(connection, now=NOW, silence=timedelta(minutes=3))
    backend.rollback(connection)


@pytest.fixture
def rows(tx: Tx) -> Rows:
    return Rows(tx)


def _opened(settings: Settings) -> Iterator[Any]:
    backend = new_backend(settings, role="a test")
    with backend.connect() as connection:
        yield backend, connection
    backend.close()
