"""`mission checks`: what must pass before a task is done, from a shell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.transports.cli.program import Program
from tests.transports.cli.proof.proof_samples import GREETING, as_arguments, start, write

MAKEFILE = "check:\n\t@echo fine\n\ntest:\n\t@echo '1 test failed'; exit 1\n"


@pytest.fixture
def project(repository: Path) -> Path:
    """A repository whose Makefile has a target that passes and one that fails."""
    (repository / "Makefile").write_text(MAKEFILE)
    return repository


def test_suggestions_say_which_pass_today_and_how_to_keep_those(mission: Program, project: Path) -> None:
    shown = mission.run("checks", "suggest", folder=project)
    found = mission.does("checks", "suggest", str(project))

    assert (shown.code, shown.err) == (0, "")
    assert [(each["name"], each["run"], each["state"]) for each in found["checks"]] == [
        ("make test", "make test", "failed"),
        ("make check", "make check", "passed"),
    ]
    assert "make test: failed\n  1 test failed" in shown.out
    assert shown.out.endswith("Keep those that pass:\n  mission checks set --suggested 'make check'\n")


def test_the_printed_command_keeps_the_suggestion_as_it_was_found(mission: Program, project: Path) -> None:
    mission.does("checks", "set", "--suggested", "make test", folder=project)

    listed = mission.does("checks", "list", folder=project)

    [kept] = listed["checks"]
    assert (kept["name"], kept["definition"]["run"]) == ("make test", "make test")
    assert kept["definition"]["seconds"] == 1800
    unknown = mission.refuses("checks", "set", "--suggested", "make tea", folder=project)
    assert unknown["hint"] == "The suggestions are: make test, make check."


def test_suggestions_that_pass_are_kept_at_once(mission: Program, project: Path) -> None:
    shown = mission.run("checks", "suggest", "--set", folder=project)

    assert "Kept: make check." in shown.out
    assert [each["name"] for each in mission.does("checks", "list", folder=project)["checks"]] == ["make check"]


def test_the_checks_of_a_mission_or_a_task_are_listed_by_its_id_alone(mission: Program, project: Path) -> None:
    made, task = start(mission, project)

    shown = [mission.run("checks", "list", id, folder=project).out for id in (made, task)]
    both = mission.run("checks", "list", task, "--mission", made)

    heads = [each.splitlines()[0] for each in shown]
    assert heads == [f"Checks for mission Greet ({made})", f"Checks for task Say it ({task})"]
    assert all("greeting" in each for each in shown)
    assert (both.code, "Give an id, or one of" in both.err) == (2, True)


def test_suggestions_can_be_read_without_running_anything(mission: Program, project: Path) -> None:
    (project / "Makefile").write_text("test:\n\ttouch ran\n")

    shown = mission.run("checks", "suggest", "--no-run", folder=project)

    assert shown.out.splitlines()[0].split() == ["NAME", "COMMAND", "WHY"]
    assert not (project / "ran").exists()
    assert mission.run("checks", "suggest", "--no-run", "--set", folder=project).code == 2


def test_a_repository_without_hints_has_no_suggestions(mission: Program, repository: Path) -> None:
    assert mission.run("checks", "suggest", folder=repository).out.startswith("No checks found in its files.\n")


def test_commands_become_required_checks_of_the_repository_around_the_folder(
    mission: Program, repository: Path
) -> None:
    shown = mission.run("checks", "set", "make test", "ruff check .", folder=repository / "src")
    listed = mission.run("checks", "list", "--repository", str(repository))

    assert shown.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[2:4]] == ["make", "ruff"]
    assert "mission checks set --mission m_… --from-repository" in listed.out
    assert mission.does("checks", "set", "--clear", folder=repository)["checks"] == []
    assert "None. 'mission checks suggest'" in mission.run("checks", "list", folder=repository).out


def test_a_mission_takes_the_checks_of_its_repository_or_its_own(mission: Program, repository: Path) -> None:
    made, task = start(mission, repository, checks=[])
    mission.does("checks", "set", "make test", folder=repository)

    mission.does("checks", "set", "--mission", made, "--from-repository")
    own = mission.does("checks", "list", "--task", task)
    mission.does("checks", "set", "--mission", made, "make lint")
    final = mission.does("checks", "set", "--mission", made, "--final", "make e2e")

    assert [(each["name"], each["origin"]) for each in own["checks"]] == [("make test", "repository")]
    assert [(each["name"], each["origin"]) for each in final["checks"]] == [("make lint", "mission")]
    assert [each["name"] for each in final["final_checks"]] == ["make e2e"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("checks.toml", '[[checks]]\nname = "unit"\nrun = "make test"\nretries = 1\n'),
        ("checks.toml", 'checks = [{name = "unit", run = "make test", retries = 1}]\n'),
        ("checks.json", '{"checks": [{"name": "unit", "run": "make test", "retries": 1}]}'),
        ("checks.json", '[{"name": "unit", "run": "make test", "retries": 1}]'),
    ],
)
def test_checks_are_read_from_a_file(mission: Program, repository: Path, name: str, text: str) -> None:
    (repository / name).write_text(text)

    found = mission.does("checks", "set", "--file", name, folder=repository)

    assert [each["definition"] for each in found["checks"]] == [{"name": "unit", "run": "make test", "retries": 1}]


@pytest.mark.parametrize("text", ["{", '{"check": []}', '{"checks": "make test"}', "3"])
def test_a_file_without_checks_is_refused(mission: Program, repository: Path, text: str) -> None:
    (repository / "checks.json").write_text(text)

    error = mission.refuses("checks", "set", "--file", "checks.json", folder=repository)

    assert error["code"] == "INVALID_INPUT"
    assert '{"checks": ["make test"]}' in error["hint"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["make test", "--clear"],
        ["--file", "a.json", "--from-repository"],
        ["--mission", "m_1", "--task", "t_1", "x"],
    ],
)
def test_it_must_be_clear_what_is_set_and_for_what(mission: Program, arguments: list[str]) -> None:
    assert mission.run("checks", "set", *arguments).code == 2


def test_commands_run_with_the_path_of_the_shell_that_set_them(
    mission: Program, repository: Path, tmp_path: Path
) -> None:
    tool = tmp_path / "bin" / "only-here"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    made, task = start(mission, repository, checks=[])
    mission.running()
    mission.environment = {**mission.environment, "PATH": f"{tool.parent}:{mission.environment['PATH']}"}

    mission.does("checks", "set", "--mission", made, "only-here")

    assert re.fullmatch(r"only-here: passed, \d+\.\d s\n", mission.run("checks", "run", task).out)


def test_the_checks_of_a_task_run_before_it_is_reported(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository)

    write(repository, "goodbye")
    failed = mission.run("checks", "run", task)
    write(repository, "hello, you")
    passed = mission.run("checks", "run", task)

    assert failed.code == 1
    assert "greeting: failed, exit 1\n  looking\n  full output: mission evidence show ev_" in failed.out
    assert passed.code == 0
    assert re.fullmatch(r"greeting: passed, \d+\.\d s\n", passed.out)
    assert mission.does("checks", "run", task)["checks"][0]["state"] == "passed"


def test_an_optional_check_may_fail(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository, checks=[{**GREETING, "required": False}])
    write(repository, "goodbye")

    assert mission.run("checks", "run", task).code == 0


def test_a_task_without_checks_says_so(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository, checks=[])

    shown = mission.run("checks", "run", task)

    assert (shown.code, f"({task}). 'mission checks suggest' finds some." in shown.out) == (0, True)


def test_a_refused_report_shows_what_failed(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository)
    write(repository, "goodbye")

    shown = mission.run("call", "complete_task", as_arguments(task))

    assert shown.code == 1
    assert shown.err.startswith("CHECKS_FAILED: 1 check failed: greeting.")
    assert shown.err.endswith("\ngreeting: echo looking; grep hello src/app.py\n  looking\n")
    assert json.loads(as_arguments(task))["task_id"] == task
