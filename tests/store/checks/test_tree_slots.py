"""Queries about the slots of worktrees."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.checks.slot import TreeSlot
from tests.store.rows import NOW, at


def slot(number, path, host="here"):
    return TreeSlot(host_id=host, path=path, slot=number, port_base=20_000 + number, name=f"n{number}", used_at=NOW)


def test_slots_are_those_of_a_host_and_a_path(tx):
    for each in (slot(1, "/b"), slot(0, "/a"), slot(0, "/a", host="there")):
        tx.tree_slots.add(each)

    assert [each.path for each in tx.tree_slots.all("here")] == ["/a", "/b"]
    assert tx.tree_slots.find(host_id="here", path="/b") == slot(1, "/b")
    assert tx.tree_slots.find(host_id="there", path="/b") is None


def test_a_slot_is_used_and_freed(tx):
    tx.tree_slots.add(slot(0, "/a"))

    tx.tree_slots.use(slot(0, "/a"), at=at(5))
    assert tx.tree_slots.find(host_id="here", path="/a").used_at == at(5)
    tx.tree_slots.remove(host_id="here", path="/a")

    assert tx.tree_slots.all("here") == []


def test_one_number_belongs_to_one_worktree_of_a_host(tx):
    tx.tree_slots.add(slot(0, "/a"))

    with pytest.raises(IntegrityError), tx.connection.begin_nested():
        tx.tree_slots.add(slot(0, "/b"))
