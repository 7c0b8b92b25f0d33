"""Measure the lower bound of durability: one row into SQLite, committed with `synchronous=FULL`."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.timing import WARM_UP, Turn


@contextmanager
def commit_turn(*, calls: int) -> Iterator[Turn]:
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        connection = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE rows (text TEXT)"):
            connection.execute(statement)

        def commit() -> float:
            start = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows VALUES ('one durable row')")
            connection.execute("COMMIT")
            return time.perf_counter() - start

        yield lambda: [commit() for _ in range(calls + WARM_UP)][WARM_UP:]
        connection.close()
