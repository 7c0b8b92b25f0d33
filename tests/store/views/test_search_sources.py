"""All missions, tasks, entries and messages, read in order of their ids."""

from __future__ import annotations

import pytest

from mission.domain.search_text import DocumentKind


@pytest.mark.parametrize("kind", list(DocumentKind))
def test_everything_of_a_kind_is_reached_once_by_going_from_id_to_id(tx, rows, kind):
    missions = [rows.mission(str(n)) for n in range(3)]
    tasks = [rows.task(mission) for mission in missions]
    entries = [rows.entry(task) for task in tasks]
    messages = [rows.message("a_1") for _ in range(3)]
    everything = dict(zip(DocumentKind, (missions, tasks, entries, messages), strict=True))[kind]

    found, after = [], ""
    while page := tx.search_sources.ids_after(kind, after, limit=2):
        found += page
        after = page[-1]

    assert sorted(found) == sorted(each.id for each in everything)
    read = tx.search_sources.of(kind, [*found, "x_nowhere"], source_characters=9)
    assert {(each[0] if kind is DocumentKind.MISSION else each).id for each in read} == set(found)
    assert tx.search_sources.of(kind, [], source_characters=9) == []


def test_a_mission_comes_with_the_beginning_of_its_source(tx, rows):
    told, plain = rows.mission(), rows.mission("plain")
    tx.missions.set_source(told.id, "Build the shop")

    read = tx.search_sources.of(DocumentKind.MISSION, [told.id, plain.id], source_characters=5)

    assert {mission.id: start for mission, start in read} == {told.id: "Build", plain.id: ""}
