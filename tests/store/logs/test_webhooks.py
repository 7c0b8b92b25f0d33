"""How far each receiver of webhooks has come."""

from __future__ import annotations

from mission.domain.webhook import DeliveryProgress
from tests.store.rows import at


def test_a_receiver_is_served_by_one_at_a_time_and_only_when_due(tx):
    assert tx.webhooks.get("k") is None
    tx.webhooks.add(DeliveryProgress(key="k", seq=3, failures=0, due_at=at(1)))

    assert not tx.webhooks.take("k", now=at(0), until=at(5))
    assert tx.webhooks.take("k", now=at(1), until=at(5))
    assert not tx.webhooks.take("k", now=at(4), until=at(9))
    assert not tx.webhooks.take("other", now=at(4), until=at(9))
    assert tx.webhooks.get("k") == DeliveryProgress(key="k", seq=3, failures=0, due_at=at(5))


def test_progress_is_saved_for_its_receiver_alone(tx):
    for key in ("k", "other"):
        tx.webhooks.add(DeliveryProgress(key=key, seq=0, failures=0, due_at=at(1)))
    saved = DeliveryProgress(key="k", seq=7, failures=2, due_at=at(8))

    tx.webhooks.save(saved)

    assert tx.webhooks.get("k") == saved
    assert tx.webhooks.get("other").seq == 0
