"""Writes that must not be lost are tried until the store takes them."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound, TransientError
from mission.runtime.running import durable_write
from mission.runtime.running.durable_write import write_until_stored
from mission.services.work import BackgroundWork


async def test_a_write_is_tried_until_the_store_takes_it(app, monkeypatch):
    monkeypatch.setattr(durable_write, "AGAIN_SECONDS", 0)
    attempts = []

    def write(tx, *, name):
        attempts.append(name)
        tx.jobs.take(name, now=tx.now, every=tx.silence)
        if len(attempts) < 3:
            raise TransientError("the disk is away")
        return tx.now

    written = await write_until_stored(BackgroundWork(app.database), write, name="sweep")

    assert attempts == ["sweep"] * 3
    again = await app.database.write(lambda tx: tx.jobs.take("sweep", now=written, every=tx.silence))
    assert again is False


async def test_a_mistake_is_not_tried_again(app):
    attempts = []

    def write(tx):
        attempts.append(1)
        raise NotFound("there is none")

    with pytest.raises(NotFound):
        await write_until_stored(BackgroundWork(app.database), write)

    assert attempts == [1]
