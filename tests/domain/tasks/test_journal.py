"""The journal: every entry is a checkpoint to those who recover a task."""

from __future__ import annotations

import pytest

from mission.domain.ids import PREFIXES
from mission.domain.tasks.journal import CheckpointType, EntryKind
from tests.domain.samples import SHOWN, entry

OWN = {EntryKind.DECISION, EntryKind.ISSUE, EntryKind.MILESTONE}


@pytest.mark.parametrize("kind", list(EntryKind))
def test_every_kind_has_an_id_of_its_own_kind_and_is_a_checkpoint(kind):
    assert kind.id_kind in PREFIXES
    assert (kind.id_kind == "checkpoint") is (kind not in OWN)
    assert kind in kind.checkpoint.kinds


@pytest.mark.parametrize("type", list(CheckpointType))
def test_a_checkpoint_is_written_as_a_kind_that_reads_back_as_the_same_type(type):
    assert type.kind.checkpoint is type
    assert type.kind not in OWN


def test_the_kinds_of_all_types_are_all_kinds_once():
    listed = [kind for type in CheckpointType for kind in type.kinds]

    assert sorted(listed) == sorted(EntryKind)
    assert CheckpointType.ERROR.kinds == [EntryKind.ISSUE, EntryKind.ERROR]


def test_a_checkpoint_shows_its_type_and_a_decision_shows_its_own_fields():
    common = {
        "id": "cp_1",
        "mission_id": "m_1",
        "task_id": "t_1",
        "sequence": 3,
        "author": "a_1",
        "agent_name": "ada",
        "created_at": SHOWN,
    }
    who = {"author": "a_1", "agent_name": "ada"}

    progress = entry(EntryKind.PROGRESS, detail={"files_changed": ["a.py"]}, **who)
    decision = entry(EntryKind.DECISION, detail={"decision": "JWT"}, **who)

    assert progress.record() == {**common, "type": "progress", "summary": "Half way", "files_changed": ["a.py"]}
    assert decision.record() == {**common, "decision": "JWT"}


def test_content_and_files_come_from_where_the_kind_keeps_them():
    detail = {"files_changed": ["a.py"], "detail": {"steps": 2}}

    progress, issue = entry(EntryKind.PROGRESS, detail=detail), entry(EntryKind.ISSUE, detail=detail)

    assert (progress.files_changed, progress.content) == (["a.py"], {"steps": 2})
    assert (issue.files_changed, issue.content) == ([], detail)
    assert (entry(EntryKind.ERROR).files_changed, entry(EntryKind.ERROR).content) == ([], {})
