"""`mission import`: task lists of other tools as plans."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mission.transports.cli.main import cli
from tests.transports.cli.program import Program

SAMPLES = Path(__file__).parents[3] / "domain" / "plans" / "samples"
LIST = "# Release\n\n1. [x] Test\n2. [ ] Tag\n3. [ ] Upload\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has the working directory for itself, and a checklist in it."""
    monkeypatch.chdir(tmp_path)
    Path("todo.md").write_text(LIST)


def do(*arguments: str) -> Result:
    result = CliRunner(env={"COLUMNS": None}).invoke(cli, list(arguments))
    assert not isinstance(result.exception, Exception), result.exception
    return result


def test_the_plan_is_shown_and_nothing_is_written() -> None:
    assert do("import", "todo.md").stdout.splitlines() == [
        "Release (Markdown checklist: todo.md)",
        "#  TASK    WAITS FOR",
        "1  Tag",
        "2  Upload  1",
        "- Left out (done): 'Test'.",
        "Nothing was written. Add '--output plan.toml' to write the plan.",
    ]
    assert [path.name for path in Path().iterdir()] == ["todo.md"]


def test_the_plan_is_written_when_asked_and_never_over_another_file(mission: Program, tmp_path: Path) -> None:
    written = mission.run("import", "todo.md", "--output", "plan.toml", folder=tmp_path)
    first = Path("plan.toml").read_text()
    checked = mission.run("run", "--check", "plan.toml", folder=tmp_path)
    Path("plan.toml").write_text("mine")
    refused = mission.refuses("import", "todo.md", "-o", "plan.toml", folder=tmp_path)
    kept = Path("plan.toml").read_text()
    forced = mission.run("import", "todo.md", "-o", "plan.toml", "--force", folder=tmp_path)

    assert (written.code, checked.code, forced.code) == (0, 0, 0)
    assert "Wrote plan.toml." in written.out
    assert first.startswith("# Imported from todo.md (Markdown checklist).\n# Left out (done): 'Test'.\n\n[mission]\n")
    assert (refused["code"], refused["message"], kept) == ("INVALID_STATE", "plan.toml exists", "mine")
    assert Path("plan.toml").read_text() == first


def test_a_program_gets_one_document() -> None:
    found = json.loads(do("import", "todo.md", "--json").stdout)

    assert found.pop("plan").startswith("# Imported from todo.md")
    assert found == {
        "format": "Markdown checklist",
        "file": None,
        "mission": "Release",
        "tasks": [{"name": "Tag", "depends_on": []}, {"name": "Upload", "depends_on": ["Tag"]}],
        "notes": ["Left out (done): 'Test'."],
    }


@pytest.mark.parametrize(
    ("sample", "place", "given", "name", "tasks"),
    [
        ("task-master-tasks.json", ".taskmaster/tasks/tasks.json", ".taskmaster", None, 3),
        ("task-master-tasks.json", "shop/.taskmaster/tasks/tasks.json", "shop", "shop", 3),
        ("beads-issues.jsonl", "shop/.beads/issues.jsonl", "shop/.beads", "Search", 3),
        ("beads-issues.jsonl", "shop/.beads/issues.jsonl", "shop", "Search", 3),
        ("spec-kit-tasks.md", "specs/004-tokens/tasks.md", "specs/004-tokens", "Expiring Login Tokens", 9),
        ("WORKFLOW.md", "shop/WORKFLOW.md", "shop", "order-desk-1f2e", 0),
        ("backlog", "shop/backlog", "shop/backlog", "shop", 2),
        ("backlog", "shop/backlog", "shop/backlog/tasks", "shop", 2),
        ("backlog", "shop/backlog", "shop", "shop", 2),
    ],
)
def test_a_folder_is_searched_for_its_task_list(
    sample: str, place: str, given: str, name: str | None, tasks: int
) -> None:
    Path(place).parent.mkdir(parents=True)
    copy = shutil.copytree if (SAMPLES / sample).is_dir() else shutil.copy
    copy(SAMPLES / sample, place)

    found = json.loads(do("import", given, "--json").stdout)

    assert len(found["tasks"]) == tasks
    assert found["mission"] == name or name is None


def test_a_list_of_task_master_is_chosen_by_its_tag() -> None:
    found = json.loads(do("import", str(SAMPLES / "task-master-tasks.json"), "--tag", "billing", "--json").stdout)

    assert [task["name"] for task in found["tasks"]] == ["1 Send invoices"]


def test_a_plan_without_tasks_says_what_is_missing() -> None:
    written = do("import", str(SAMPLES / "WORKFLOW.md"), "-o", "plan.toml")
    checked = do("run", "--check", "plan.toml")

    assert "Wrote plan.toml. Add tasks, then" in written.stdout
    assert "plan.toml:1: the plan has no tasks" in checked.stderr


def test_what_cannot_be_imported_is_refused() -> None:
    Path("two/.beads").mkdir(parents=True)
    Path("two/.beads/issues.jsonl").write_text("{}")
    Path("two/tasks.md").write_text("- [ ] T001 a")
    Path("empty").mkdir()
    Path("bytes.md").write_bytes(b"- [ ] \xff")
    cases = {
        "missing.md": "missing.md does not exist",
        "two": "two has more than one task list: tasks.md, .beads/issues.jsonl",
        "empty": "no task list was found in empty",
        "bytes.md": "bytes.md:1: byte 0xff is not UTF-8 text",
        "/dev/zero": "/dev/zero is not a regular file",
    }

    for given, words in cases.items():
        refused = do("import", given)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert words in refused.stderr


def test_a_folder_that_is_no_place_for_a_plan_is_named() -> None:
    refused = do("import", "todo.md", "-o", "missing/plan.toml")

    assert refused.exit_code == 1
    assert "missing/plan.toml: No such file or directory" in refused.stderr
