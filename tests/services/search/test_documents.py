"""By which texts missions, tasks, entries and messages are found."""

from __future__ import annotations

from mission.domain.search_text import DocumentKind
from mission.domain.tasks.journal import EntryKind
from mission.services.search import documents


def only(tx, kind, id):
    [found] = documents.of(tx, kind, [id, "x_nowhere"])
    return found


def test_a_mission_is_found_by_its_goal_its_source_its_plan_and_its_end(tx, rows):
    mission = rows.mission(
        objective="sell", scope="shoes", plan={"steps": [{"name": "measure"}]}, summary="sold", achievements=["profit"]
    )
    tx.missions.set_source(mission.id, "the letter")

    found = only(tx, DocumentKind.MISSION, mission.id)

    assert found.title == "Shop"
    assert found.text.split("\n") == ["sell", "shoes", "sold", "profit", "measure", "the letter"]


def test_a_task_is_found_by_everything_said_about_it_each_text_once(tx, rows):
    task = rows.task(rows.mission(), goal="sort", error="sort", outcome={"summary": "sorted"}, areas=["src"])

    found = only(tx, DocumentKind.TASK, task.id)

    assert (found.text, found.task_id, found.type) == ("sort\nsorted\nsrc", task.id, "pending")


def test_an_entry_names_its_author_or_the_agent_of_its_task(tx, rows):
    task = rows.task(rows.mission())
    named = rows.entry(task, EntryKind.DECISION, author="a_1", agent_name="ada", detail={"why": ["a", {"b": "c"}]})
    unnamed = rows.entry(task, EntryKind.MILESTONE, agent_name="ada")

    assert (only(tx, DocumentKind.JOURNAL, named.id).author, only(tx, DocumentKind.JOURNAL, named.id).text) == (
        "a_1",
        "a\nc",
    )
    assert only(tx, DocumentKind.JOURNAL, unnamed.id).author == "ada"


def test_a_message_is_found_by_its_subject_and_every_text_of_its_body(tx, rows):
    message = rows.message("a_1", sender_id="a_2", subject="Hi", body={"text": "there", "n": 1})

    found = only(tx, DocumentKind.MESSAGE, message.id)

    assert (found.title, found.text, found.author, found.recipient_id) == ("Hi", "there", "a_2", "a_1")
