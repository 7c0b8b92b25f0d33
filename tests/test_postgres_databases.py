"""The ground that tests on PostgreSQL stand on."""

from __future__ import annotations

import psycopg
import pytest

from mission.app import App
from mission.settings import Settings
from mission.store.tables import metadata
from tests import postgres_databases as databases
from tests.conftest import Front
from tests.postgres_databases import Shelf, rows_of

NEXT_NUMBER = "SELECT nextval(pg_get_serial_sequence('search_documents', 'number'))"


@pytest.mark.parametrize("large", [0, databases.LARGE], ids=["truncated", "deleted"])
async def test_a_database_that_a_test_gave_back_is_as_new(large, postgres_shelf: Shelf, tmp_path, clock, monkeypatch):
    monkeypatch.setattr(databases, "LARGE", large)
    with postgres_shelf.lent() as url:
        new = rows_of(url)
        app = App(Settings(home=tmp_path, database_url=url), role="a test", clock=clock)
        async with app.running(periodic=False):
            await Front(app)("start_mission", {"name": "x", "objective": "y"})
            await Front(app)("agent_register", {"name": "ada", "runtime": "codex"})
        late = psycopg.connect(url)
        late.execute(NEXT_NUMBER)
        assert rows_of(url).keys() > new.keys()

    with postgres_shelf.lent() as again:
        assert again == url
        assert rows_of(again) == new
        with psycopg.connect(again) as connection:
            assert connection.execute(NEXT_NUMBER).fetchone() == (1,)
    assert set(metadata.tables) > set(new) == {"event_counter", "search_progress"}
    with pytest.raises(psycopg.OperationalError):
        late.execute("SELECT 1")
