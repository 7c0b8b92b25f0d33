"""Templates: plans with blanks, of the store and of repositories; and the repositories themselves."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, MissionError, NotFound
from tests.tools.conftest import planned

TASKS = [
    {"name": "Design {{thing}}", "description": "For {{ who }}", "sequence": 1},
    {
        "name": "Build {{thing}}",
        "description": "d",
        "sequence": 2,
        "depends_on": ["Design {{thing}}"],
        "parallel_group": "{{thing}}",
    },
]
VARIABLES = [
    {"name": "thing", "description": "What to build", "required": True},
    {"name": "who", "description": "For whom", "required": False, "default": "everybody"},
]


async def tasks_of(call, id):
    found = await call("workflow_get", {"id": id, "include_tasks": True, "include_task_summaries": False})
    return found["tasks"]


async def test_a_definition_becomes_a_planned_workflow_with_its_blanks_filled_in_once(call, repository):
    made = await call("template_create", {"name": "T", "template": {"tasks": TASKS, "variables": VARIABLES}})
    wanted = {"template_id": made["id"], "workflow_name": "W"}
    with pytest.raises(InvalidInput, match="missing thing") as caught:
        await call("template_apply", wanted)
    assert caught.value.details["missing"] == ["thing"]
    with pytest.raises(InvalidInput, match="no variable 'thign'"):
        await call("template_apply", wanted | {"variables": {"thing": "x", "thign": "y"}})

    applied = await call(
        "template_apply",
        wanted
        | {"variables": {"thing": "{{who}}"}, "repository_path": str(repository / "src"), "max_parallel_tasks": 3},
    )

    found = await call("workflow_get", {"id": applied["workflow_id"]})
    assert (found["status"], found["max_parallel_tasks"], found["repository_path"]) == ("ready", 3, str(repository))
    assert (found["source_type"], found["source_ref"]) == ("custom", made["id"])
    design, build = await tasks_of(call, applied["workflow_id"])
    assert (design["name"], design["description"]) == ("Design {{who}}", "For everybody")
    assert (build["name"], build["parallel_group"], build["depends_on"]) == ("Build {{who}}", "{{who}}", [design["id"]])


async def test_a_workflow_becomes_a_template_and_a_workflow_again(call, make_workflow):
    id, _ = await make_workflow(
        planned("a", requires=["python"], files_likely_affected=["src"]),
        planned("b {{part}}", sequence=2, after=["a"], parallel_group="g", estimated_complexity="low"),
    )
    made = await call("template_create", {"name": "Again", "description": "Twice", "from_workflow_id": id})

    listed = [each for each in (await call("template_list", {}))["templates"] if each["id"] == made["id"]]
    applied = await call(
        "template_apply", {"template_id": made["id"], "workflow_name": "W", "variables": {"part": "x"}}
    )

    assert listed[0]["variables"] == [{"name": "part", "description": "", "required": True, "default": None}]
    assert listed[0]["tasks"][1]["depends_on"] == ["a"]
    first, second = await tasks_of(call, applied["workflow_id"])
    assert (first["requires"], first["files_likely_affected"], first["status"]) == (["python"], ["src"], "pending")
    assert (second["name"], second["estimated_complexity"]) == ("b x", "low")
    assert second["depends_on"] == [first["id"]]


async def test_templates_lie_in_the_repository_too_and_broken_files_are_named(call, repository, tmp_path):
    folder = repository / ".mission" / "templates"
    folder.mkdir(parents=True)
    (folder / "release.json").write_text(json.dumps({"description": "Ship", "tasks": TASKS, "variables": VARIABLES}))
    (folder / "fix.toml").write_text('name = "Fix"\n[[tasks]]\nname = "a"\ndescription = "d"\nsequence = 1\n')
    (folder / "bad.json").write_text("{")
    (folder / "cycle.json").write_text(json.dumps({"tasks": [planned("a", after=["b"]), planned("b", after=["a"])]}))
    (folder / "odd.json").write_text('{"tasks": [{"name": "\\ud800", "description": "d", "sequence": 1}]}')
    (folder / "notes.txt").write_text("no template")
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"tasks": [planned("stolen")]}))
    (folder / "link.json").symlink_to(secret)

    found = await call("template_list", {}, directory=str(repository / "src"))
    same = await call("template_list", {"repository_path": str(repository)})

    assert found == same
    assert [(each["name"], each["source"]) for each in found["templates"]] == [
        ("Fix", ".mission/templates/fix.toml"),
        ("release", ".mission/templates/release.json"),
    ]
    assert [each["source"].rpartition("/")[2] for each in found["broken"]] == ["bad.json", "cycle.json", "odd.json"]
    wanted = {"template_id": found["templates"][1]["id"], "workflow_name": "W", "variables": {"thing": "x"}}
    with pytest.raises(NotFound):
        await call("template_apply", wanted)
    applied = await call("template_apply", wanted | {"repository_path": str(repository)})
    assert [task["name"] for task in await tasks_of(call, applied["workflow_id"])] == ["Design x", "Build x"]
    known = await call("template_get", {"id": wanted["template_id"]})  # the repository is known from now on
    assert known["tasks_total"] == 2


@pytest.mark.parametrize("call_name", ["lstat", "scandir"])
async def test_a_repository_that_cannot_be_read_hides_no_template_of_another(
    call, repository, tmp_path, monkeypatch, call_name
):
    closed = tmp_path / "closed"
    for top in (repository, closed):
        folder = top / ".mission" / "templates"
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text(json.dumps({"tasks": [planned("a")]}))
        await call("template_apply", await a_template(call) | {"repository_path": str(top)})
    owner = os if call_name == "scandir" else Path
    original = getattr(owner, call_name)

    def refuse(path, *rest, **options):
        if str(path).startswith(str(closed / ".mission")):
            raise PermissionError(errno.EACCES, "Permission denied")
        return original(path, *rest, **options)

    monkeypatch.setattr(owner, call_name, refuse)

    found = await call("template_list", {})

    assert ("plan", ".mission/templates/plan.json") in [(each["name"], each["source"]) for each in found["templates"]]
    [broken] = found["broken"]
    assert broken["source"] == str(closed / ".mission" / "templates")
    assert broken["problem"] == "the folder cannot be read: Permission denied"


async def a_template(call):
    made = await call("template_create", {"name": "T", "template": {"tasks": [planned("a")]}})
    return {"template_id": made["id"], "workflow_name": "W"}


async def test_what_cannot_become_a_plan_is_refused(call, make_workflow):
    empty, _ = await make_workflow()
    doubled = [{"name": "{{x}}", "description": "d", "sequence": 1}, {"name": "a", "description": "d", "sequence": 1}]
    made = await call("template_create", {"name": "T", "template": {"tasks": doubled}})
    wanted = {"template_id": made["id"], "workflow_name": "W"}
    task = planned("a")
    for tool, arguments, words in [
        ("template_create", {"name": "T"}, "either from_workflow_id or template"),
        ("template_create", {"name": "T", "from_workflow_id": empty, "template": {"tasks": [task]}}, "either"),
        ("template_create", {"name": "T", "from_workflow_id": empty}, "no tasks"),
        ("template_create", {"name": "T", "template": {"tasks": [planned("a", after=["b"])]}}, "unknown tasks"),
        (
            "template_create",
            {"name": "T", "template": {"tasks": [task], "variables": [{"name": "a b"}]}},
            "variables.0.name",
        ),
        (
            "template_create",
            {"name": "T", "template": {"tasks": [task], "variables": [{"name": "x"}, {"name": "x"}]}},
            "declared twice",
        ),
        ("template_apply", wanted | {"variables": {"x": "a"}}, "unique"),
        ("template_apply", wanted | {"variables": {"x": " "}}, "1 to 200"),
        ("template_apply", wanted | {"variables": {"x": "x" * 300}}, "1 to 200"),
        ("template_apply", wanted | {"template_id": "tpl_0000000000"}, "no template"),
    ]:
        with pytest.raises(MissionError, match=words):
            await call(tool, arguments)
    many = [{"name": f"n{number}", "description": "{{x}}" * 10, "sequence": 1} for number in range(200)]
    made = await call("template_create", {"name": "T", "template": {"tasks": many}})
    with pytest.raises(MissionError, match="more than"):
        await call(
            "template_apply", {"template_id": made["id"], "workflow_name": "W", "variables": {"x": "x" * 900_000}}
        )


async def test_a_repository_is_known_by_its_top_and_keeps_its_id(call, repository, tmp_path):
    first = await call("repository_register", {"path": str(repository / "src"), "name": "App"})
    again = await call("repository_register", {"path": str(repository)})
    folder = tmp_path / "plain"
    folder.mkdir()
    await call("repository_register", {"path": str(folder)})

    listed = await call("repository_list", {})
    found = await call("repository_get", {"path": str(repository)})

    assert again == first
    assert [(each["name"], each["path"]) for each in listed["repositories"]] == [
        ("App", str(repository)),
        ("plain", str(folder)),
    ]
    assert found["repository"] == listed["repositories"][0]
    assert (await call("repository_list", {"limit": 1, "offset": 1}))["repositories"] == listed["repositories"][1:]
    assert await call("repository_get", {"path": "/nowhere/at/all"}) == {"repository": None}
    for path in ("relative", "~/x", str(repository / ".git")):
        with pytest.raises(InvalidInput):
            await call("repository_register", {"path": path})
