"""Repositories that missions work in."""

from __future__ import annotations

from mission.domain.missions.repository import Repository
from tests.domain.samples import NOW, SHOWN


def test_a_repository_is_shown_without_the_machine_it_is_on():
    one = Repository(id="r_1", host_id="laptop", path="/r", name="r", created_at=NOW, common_dir="/r/.git")

    assert one.record() == {"id": "r_1", "path": "/r", "name": "r", "created_at": SHOWN}
