"""The search index: built from what there is, then following what happens, in steps that two may take at once."""

from __future__ import annotations

from mission.domain.search_text import DocumentKind
from mission.services.search import index, search
from mission.store.views.search_index import IndexPosition


def build(tx):
    """Take in everything there is; return the steps."""
    tx.search.advance(tx.search.progress(), IndexPosition(seq=tx.events.newest(), stage=index.CLEARING))
    steps = []
    while (step := index.next_step(tx)) is not None:
        index.take(tx, step=step)
        steps.append(step)
    return steps


def find(tx, query, *, limit=9, offset=0, **narrowed):
    wanted = search.wanted(query=query, **{"kinds": None, "mission_id": None, "reader": None, **narrowed})
    return search.find(tx, wanted=wanted, limit=limit, offset=offset)


def ids(found):
    return [hit.document.id for hit in found.hits]


def test_everything_that_was_there_before_the_index_is_found(tx, rows):
    mission = rows.mission("Shoes")
    task = rows.task(mission, "Sort the shoes")
    entry = rows.entry(task, summary="shoes are sorted")
    message = rows.message("a_1", body="where are the shoes?")

    build(tx)

    assert set(ids(find(tx, "shoes"))) == {mission.id, task.id, entry.id, message.id}
    assert ids(find(tx, "shoes", kinds=[DocumentKind.TASK])) == [task.id]
    assert ids(find(tx, "sort shoe", mission_id=mission.id, kinds=[DocumentKind.TASK])) == [task.id]
    assert "shoes" in find(tx, "where").hits[0].snippet


def test_a_step_that_another_process_took_already_changes_nothing(tx, rows):
    build(tx)
    rows.mission("Shoes")
    tx.search.advance(tx.search.progress(), IndexPosition(seq=tx.events.newest(), stage=DocumentKind.MISSION))
    step = index.next_step(tx)
    index.take(tx, step=step)
    before = tx.search.progress()

    index.take(tx, step=step)

    assert tx.search.progress() == before
    assert find(tx, "shoes").total == 1


def test_building_again_forgets_what_is_gone(tx, rows):
    mission = rows.mission("Shoes")
    build(tx)
    tx.missions.delete(mission.id)

    build(tx)

    assert find(tx, "shoes").total == 0


def test_a_long_text_is_taken_in_alone(tx, rows, monkeypatch):
    monkeypatch.setattr(index, "MAX_WORDS", 100)
    for _ in range(3):
        rows.task(rows.mission("m"), "long", goal="word " * 40)

    steps = build(tx)

    assert max(len(step.rows) for step in steps if step.before.stage == DocumentKind.TASK) == 1
    assert find(tx, "long").total == 3


async def test_the_index_follows_new_changed_and_deleted_missions(call, app):
    def found(query):
        return app.database.read(find, query=query)

    await index.catch_up(app.database)
    mission = (await call("start_mission", {"name": "Shoes", "objective": "sell"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "Sort", "goal": "by size"})

    assert await index.catch_up(app.database)
    assert ids(await found("shoes")) == [mission]
    assert ids(await found("size")) == [task["task_id"]]
    await call("complete_mission", {"mission_id": mission, "status": "failed", "summary": "bankrupt"})
    await call("mission_delete", {"mission_id": mission})
    await index.catch_up(app.database)
    assert (await found("shoes")).total == (await found("size")).total == 0


async def test_a_log_that_lost_events_has_the_index_built_again(call, app):
    await index.catch_up(app.database)
    mission = (await call("start_mission", {"name": "Shoes", "objective": "sell"}))["mission_id"]
    await app.database.write(lambda tx: tx.events.continue_after(tx.events.newest() + 5))

    step = await app.database.read(index.next_step)

    assert step.after.stage == index.CLEARING
    assert await index.catch_up(app.database)
    assert ids(await app.database.read(find, query="shoes")) == [mission]


async def test_whoever_has_no_time_is_told_that_the_index_is_not_up_to_date(call, app):
    await call("start_mission", {"name": "Shoes", "objective": "sell"})

    assert await index.catch_up(app.database, seconds=-1) is False
