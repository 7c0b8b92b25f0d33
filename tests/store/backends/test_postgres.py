"""PostgreSQL's own codes for what went wrong."""

from __future__ import annotations

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from mission.domain.errors import StorageFull, TransientError
from mission.store.backends.postgres import PostgresBackend


class Failed(psycopg.Error):
    def __init__(self, state):
        self._state = state
        super().__init__("it failed")

    @property
    def sqlstate(self):
        return self._state


def problem(cause, *, lost=False):
    backend = PostgresBackend("postgresql://localhost/nowhere", role="a test")
    return backend.translate(OperationalError("SELECT 1", None, cause, connection_invalidated=lost))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("40001", "another writer"),
        ("40P01", "another writer"),
        ("55P03", "another writer"),
        ("08006", "cannot be reached"),
        ("57P01", "cannot be reached"),
        ("53300", "out of resources"),
    ],
)
def test_what_passes_is_told_apart_and_can_be_tried_again(state, words):
    found = problem(Failed(state))

    assert type(found) is TransientError
    assert words in found.message
    assert "nothing was changed" in found.message


def test_a_full_disk_of_the_server_is_a_full_disk():
    assert isinstance(problem(Failed("53100")), StorageFull)


def test_a_broken_rule_or_statement_is_the_callers():
    assert problem(Failed("23505")) is None
    assert problem(Failed("42P01")) is None


def test_a_connection_that_broke_without_a_code_is_lost():
    assert "cannot be reached" in problem(Failed(None), lost=True).message
    assert "cannot be reached" in problem(psycopg.OperationalError("gone")).message
    assert problem(Failed(None)) is None
