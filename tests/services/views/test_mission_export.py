"""A mission as a document: the same story in Markdown, HTML and JSON, and words that stay words."""

from __future__ import annotations

import json
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.proof import Proof
from mission.domain.display_status import TASK_LABELS
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.agents.registration import LivenessSettings
from mission.services.views import mission_export
from tests.store.rows import IN_TRANSACTION, at, undone

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


def export(tx, mission, format="markdown"):
    return mission_export.export(tx, mission_id=mission.id, format=format, liveness=LIVENESS)


@pytest.fixture
def mission(rows):
    made = rows.mission("Sell *shoes*!", objective="Open\na shop", summary="it sells", started_at=at(0))
    ada = rows.agent("ada")
    first = rows.task(
        made,
        "<b>Sort</b>",
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        owner_id=ada.id,
        changes={"added": ["a_b.py"], "modified": [], "deleted": [], "renamed": [], "commits": []},
    )
    rows.entry(
        first, EntryKind.DECISION, summary="Use SQL", detail={"chosen": "SQL", "reasoning": "simple"}, author=ada.id
    )
    rows.entry(first, EntryKind.MILESTONE, summary="Half", created_at=at(5))
    rows.task(made, "Ship", phase=2)
    return made


def test_markdown_tells_the_state_the_tasks_by_phase_the_journal_and_the_files(tx, mission):
    made = export(tx, mission)

    assert (made.filename, made.media_type) == ("sell-shoes.md", "text/markdown")
    lines = made.content.split("\n")
    assert lines[0] == r"# Sell \*shoes\*!"
    assert "Open a shop" in lines
    assert "- Tasks: 1 of 2 done, 0 failed" in lines
    assert "- Summary: it sells" in lines
    assert lines.index(r"- \<b\>Sort\</b\>: done, unproved, by ada") < lines.index("## 2. Phase 2")
    assert lines.index("- Ship: ready") > lines.index("## 2. Phase 2")
    assert lines.index("Use SQL") < lines.index("Half")
    assert "- Reasoning: simple" in lines
    assert r"- `a_b.py`: \<b\>Sort\</b\> (A)" in lines


def test_the_evidence_of_a_task_is_exported(tx, rows):
    made = rows.mission("Proof")
    proof = Proof(
        state=ProofState.ACCEPTED,
        tree="a" * 40,
        checks=[{"name": "make test", "state": "failed", "seconds": 1.26, "evidence_id": "ev_1", "required": True}],
        reason="known\nissue",
    )
    rows.task(
        made,
        "Sort",
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        proof_state=ProofState.ACCEPTED,
        proof=proof.as_dict(),
    )

    lines = export(tx, made).content.split("\n")
    document = json.loads(export(tx, made, "json").content)

    assert "- Evidence: 1 accepted by a person" in lines
    assert "- Sort: accepted by a person (make test failed in 1.3 s; tree `aaaaaaaaaaaa`; known issue)" in lines
    assert document["tasks"][0]["evidence"] == proof.as_dict()


def test_html_shows_every_word_of_an_agent_as_text(tx, mission):
    content = export(tx, mission, "html").content

    assert "<b>" not in content
    assert "<li>&lt;b&gt;Sort&lt;/b&gt;: done, unproved, by ada</li>" in content
    assert "<h1>Sell *shoes*!</h1>" in content
    assert "<code>a_b.py</code>" in content
    assert content.count("<ul>") == content.count("</ul>")


def test_json_holds_the_same_story_as_data(tx, mission):
    made = json.loads(export(tx, mission, "json").content)

    assert [(task["name"], task["state"], task["agent"]) for task in made["tasks"]] == [
        ("<b>Sort</b>", "unproved", "ada"),
        ("Ship", "ready", None),
    ]
    assert [entry["kind"] for entry in made["journal"]] == ["decision", "milestone"]
    assert [file["path"] for file in made["files"]] == ["a_b.py"]


@IN_TRANSACTION
@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="`"), min_size=1, max_size=40))
def test_a_name_is_read_in_html_as_it_was_written(tx, name):
    with undone(tx) as rows:
        mission = rows.mission(name)

        content = export(tx, mission, "html").content

        assert " ".join(name.split()) == heading(content)


@given(name=st.text(max_size=100))
def test_a_file_name_is_plain_whatever_the_mission_is_called(name):
    slug = mission_export._slug(name)

    assert 1 <= len(slug) <= 60
    assert slug.strip("-") == slug or len(slug) == 60
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_every_word_a_task_can_have_is_told():
    assert set(mission_export.WORDS) >= set(TASK_LABELS)


def heading(content):
    found = []

    class Reader(HTMLParser):
        def handle_data(self, data):
            if self.get_starttag_text() == "<h1>":
                found.append(data)

    Reader().feed(content)
    return "".join(found).split("\n")[0]
