"""What a transaction function works with."""

from __future__ import annotations

from mission.domain import events


def test_only_the_last_of_several_updates_of_a_mission_is_told(tx, rows):
    one, two = rows.mission(), rows.mission("other")

    for mission in (one, two, one):
        tx.emit(events.MissionUpdated(mission=mission))

    assert [event.mission_id for event in tx.emitted] == [two.id, one.id]


def test_an_update_that_tells_of_new_tasks_is_never_lost(tx, rows):
    mission = rows.mission()

    tx.emit(events.MissionUpdated(mission=mission, tasks_created=3))
    tx.emit(events.MissionUpdated(mission=mission))

    assert [event.data().get("tasks_created") for event in tx.emitted] == [3, None]


def test_other_events_all_stay_in_their_order(tx, rows):
    mission = rows.mission()

    tx.emit(events.MissionCreated(mission=mission))
    tx.emit(events.MissionUpdated(mission=mission))
    tx.emit(events.MissionCreated(mission=mission))

    assert [event.type for event in tx.emitted] == ["workflow:created", "workflow:updated", "workflow:created"]


def test_queries_of_one_concept_are_made_once_on_the_transactions_connection(tx, rows):
    rows.agent()
    assert tx.agents is tx.agents
    assert tx.agents.count() == 1
