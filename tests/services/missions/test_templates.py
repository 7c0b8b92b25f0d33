"""Templates: kept from a definition or a mission, found in the store and in repositories, and applied."""

from __future__ import annotations

import json

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.missions.template import TemplateTask, Variable
from mission.services.missions import templates
from mission.services.missions.templates import Definition
from mission.services.work import BackgroundWork


def task(name, **fields):
    return TemplateTask(**{"name": name, "description": f"do {name}", "sequence": 1, **fields})


def create(tx, definition=None, mission_id=None, name="T"):
    return templates.create(tx, name=name, description=None, definition=definition, mission_id=mission_id)


def test_a_definition_that_cannot_be_followed_is_refused_unless_its_names_have_blanks(tx):
    with pytest.raises(InvalidInput, match="unknown tasks"):
        create(tx, Definition(tasks=[task("a", depends_on=["b"])]))

    blank = create(tx, Definition(tasks=[task("{{x}}", depends_on=["b"])], variables=[Variable(name="x")]))

    assert tx.templates.find(blank.id) == blank
    assert [event.type for event in tx.emitted] == ["template:created"]


def test_a_missions_plan_becomes_a_template_without_what_happened_in_it(tx, rows):
    mission = rows.mission()
    first = rows.task(mission, "first", requires=["rust"], owner_id="a_1", error="broken")
    second = rows.task(mission, "second", phase=2, parallel_group="g")
    tx.plans.add_dependencies([(second.id, first.id)])

    made = create(tx, mission_id=mission.id)

    assert [(each["name"], each["sequence"], each["depends_on"]) for each in made.tasks] == [
        ("first", 1, []),
        ("second", 2, ["first"]),
    ]
    assert "a_1" not in json.dumps(made.tasks)
    assert "broken" not in json.dumps(made.tasks)


def test_a_mission_without_tasks_or_with_too_many_is_no_template(tx, rows, monkeypatch):
    with pytest.raises(InvalidInput, match="no tasks"):
        create(tx, mission_id=rows.mission().id)

    monkeypatch.setattr(templates, "MAX_TASKS", 1)
    mission = rows.mission()
    for name in "ab":
        rows.task(mission, name)
    with pytest.raises(InvalidInput, match="too many tasks"):
        create(tx, mission_id=mission.id)


async def test_stored_templates_and_files_are_one_list_by_name_page_by_page(app, repository):
    folder = repository / ".mission" / "templates"
    folder.mkdir(parents=True)
    (folder / "b.json").write_text(json.dumps({"name": "b"}))
    (folder / "broken.json").write_text("{")
    for name in ("c", "a"):
        await app.database.write(create, definition=Definition(tasks=[task("x")]), name=name)

    async def gather(cursor):
        return await templates.gather(
            BackgroundWork(app.database),
            app.trees,
            repository_path=str(repository),
            directory=None,
            read=lambda document: Definition(tasks=[task("x")], name=document["name"]),
            limit=2,
            cursor=cursor,
        )

    first = await gather(None)
    rest = await gather(first.next)

    assert [each.name for each in (*first.templates, *rest.templates)] == ["a", "b", "c"]
    assert [source.endswith("broken.json") for source in first.broken] == [True]
    assert (rest.next, rest.broken) == (None, {})
    with pytest.raises(InvalidInput, match="cursor"):
        await gather("nonsense")


async def test_a_template_that_does_not_exist_is_named(app):
    work = BackgroundWork(app.database)

    with pytest.raises(NotFound, match="tpl_nowhere"):
        await templates.find(
            work, app.trees, template_id="tpl_nowhere", repository_path=None, directory=None, read=Definition
        )


async def test_a_template_is_applied_with_its_blanks_filled_in_or_not_at_all(app, call):
    tasks = [task("{{what}} a"), task("{{what}} b", depends_on=["{{what}} a"])]
    definition = Definition(tasks=tasks, variables=[Variable(name="what")])
    made = await app.database.write(create, definition=definition)
    wanted = {"template_id": made.id, "workflow_name": "W"}

    with pytest.raises(InvalidInput, match="what"):
        await call("template_apply", wanted)
    assert (await call("workflow_list"))["total"] == 0
    applied = await call("template_apply", wanted | {"variables": {"what": "Ship"}})

    found = await call("workflow_get", {"id": applied["workflow_id"], "include_tasks": True})
    assert [each["name"] for each in found["tasks"]] == ["Ship a", "Ship b"]
    assert found["source_ref"] == made.id
