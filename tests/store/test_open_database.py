"""Which database the settings name, and what is said when it cannot be opened."""

from __future__ import annotations

import socket

import pytest

from mission.domain.errors import InvalidState, StorageUnusable
from mission.settings import Settings
from mission.store.backends.postgres import PostgresBackend
from mission.store.backends.sqlite import SqliteBackend
from mission.store.migrate import HEAD, revision_of
from mission.store.open_database import DatabaseUnreachable, new_backend, open_backend


def test_without_an_address_it_is_a_file_in_the_home_at_the_present_schema(tmp_path):
    settings = Settings(home=tmp_path / "home")

    backend = open_backend(settings, role="a test")

    with backend.connect() as connection:
        assert revision_of(connection) == HEAD
    assert isinstance(backend, SqliteBackend)
    assert backend.presence.holders() != []
    backend.close()
    assert settings.sqlite_path.exists()


@pytest.mark.parametrize("start", ["postgresql:", "postgres:", "postgresql+psycopg:"])
def test_each_way_to_write_a_postgresql_address_is_understood(tmp_path, start):
    backend = new_backend(Settings(home=tmp_path, database_url=f"{start}//ada:pw@db.example/shop"), role="a test")

    assert isinstance(backend, PostgresBackend)
    assert (backend._url.host, backend._url.database, backend._url.drivername) == (
        "db.example",
        "shop",
        "postgresql+psycopg",
    )


def test_a_file_can_be_named_by_its_path(tmp_path):
    backend = new_backend(Settings(home=tmp_path, database_url=f"sqlite:///{tmp_path}/other.db"), role="a test")

    assert backend.path == tmp_path / "other.db"


def test_any_other_address_is_refused_without_repeating_it(tmp_path):
    with pytest.raises(InvalidState) as raised:
        new_backend(Settings(home=tmp_path, database_url="mysql://ada:secret@db/shop"), role="a test")

    assert "postgresql://" in raised.value.hint
    assert "secret" not in str(raised.value)


def test_a_server_that_does_not_answer_is_named_as_the_reason_and_not_tried_again(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"postgresql://ada:secret@127.0.0.1:{taken.getsockname()[1]}/shop"

        with pytest.raises(DatabaseUnreachable) as raised:
            open_backend(Settings(home=tmp_path, database_url=url), role="a test")

    assert raised.value.retryable is False
    assert "refused" in raised.value.message
    assert "secret" not in raised.value.message
    assert "\n" not in raised.value.message


def test_a_file_that_is_not_a_database_is_unusable(tmp_path):
    settings = Settings(home=tmp_path)
    settings.sqlite_path.write_bytes(b"not a database, but long enough to be taken for one" * 20)

    with pytest.raises(StorageUnusable):
        open_backend(settings, role="a test")
