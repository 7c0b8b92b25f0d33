"""`mission run`: the example, the check of a plan, and what is not available yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mission.transports.cli.main import cli
from mission.transports.cli.runs.run import RunTarget, target_kind
from tests.transports.cli.program import Program

PLAN = """\
[mission]
name = "Login"
checks = ["make test"]

[[agents]]
client = "codex"
count = 2

[budget]
usd = 20.0
per_task = {minutes = 30}

[[tasks]]
name = "a"
description = "d"

[[tasks]]
name = "b"
description = "d"
depends_on = ["a"]
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has the working directory for itself, and a plan in it."""
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)


def run(*arguments: str) -> Result:
    result = CliRunner(env={"COLUMNS": None}).invoke(cli, ["run", *arguments])
    assert not isinstance(result.exception, Exception), result.exception
    return result


def test_the_example_is_a_valid_plan(mission: Program, tmp_path: Path) -> None:
    example = mission.run("run", "--example")
    (tmp_path / "example.toml").write_text(example.out)
    checked = mission.run("run", "--check", "example.toml", folder=tmp_path)

    assert (example.code, example.err) == (0, "")
    assert (checked.code, checked.err) == (0, "")
    assert checked.out.startswith("example.toml is valid.\n'JWT login': 2 tasks in 2 phases, 1 can start immediately\n")
    assert mission.does("run", "--example") == {"plan": example.out}


def test_a_valid_plan_is_summarized() -> None:
    assert run("--check", "plan.toml").stdout == (
        "plan.toml is valid.\n"
        "'Login': 2 tasks in 2 phases, 1 can start immediately\n"
        "  agents  2 × codex\n"
        "  checks  1\n"
        "  budget  20.0 usd; each task 30 minutes\n"
    )
    assert json.loads(run("--check", "plan.toml", "--json").stdout) == {
        "file": "plan.toml",
        "valid": True,
        "mission": "Login",
        "tasks": 2,
        "phases": 2,
        "ready": ["a"],
        "agents": {"codex": 2},
        "checks": 1,
        "final_checks": 0,
        "budget": {"usd": 20.0, "per_task": {"minutes": 30}},
        "options": {},
        "warnings": [],
    }


def test_what_is_probably_not_meant_is_a_warning() -> None:
    plan = PLAN.replace('checks = ["make test"]', 'checks = [{run = "x", required = false}]')
    Path("plan.toml").write_text(plan + 'agent = "claude-code"\nchecks = ["y"]\n')
    Path("bare.toml").write_text('[mission]\nname = "m"\n[[tasks]]\nname = "a"\ndescription = "d"\n')
    Path("own.toml").write_text(
        '[mission]\nname = "m"\nchecks = "repository"\n[[tasks]]\nname = "a"\ndescription = "d"\n'
    )

    checked = run("--check", "plan.toml")

    assert checked.exit_code == 0
    assert checked.stderr.splitlines() == [
        "Warning: 'b' is only for claude-code, which no [[agents]] table has",
        "Warning: 'a' has no required check: results would count as unproved. 'mission checks suggest' finds some.",
    ]
    assert "agents  none\n  checks  0\n  budget  unlimited\n" in run("--check", "bare.toml").stdout
    assert "checks  those of the repository" in run("--check", "own.toml").stdout
    assert run("--check", "own.toml").stderr == ""


def test_a_task_that_no_agent_can_do_is_a_warning() -> None:
    Path("plan.toml").write_text(PLAN + 'requires = ["python"]\n')
    able = PLAN.replace('client = "codex"\n', 'client = "codex"\ncapabilities = ["python"]\n')
    Path("able.toml").write_text(able + 'requires = ["python"]\n')

    assert run("--check", "plan.toml").stderr == "Warning: 'b' requires python, which no agent has\n"
    assert run("--check", "able.toml").stderr == ""


def test_every_problem_of_a_plan_is_listed_with_its_line(mission: Program, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN + 'depend_on = ["a"]\n\n[budgets]\nusd = 1\n')

    words = mission.run("run", "--check", "plan.toml", folder=tmp_path)
    error = mission.refuses("run", "--check", "plan.toml", folder=tmp_path)

    assert (words.code, words.out) == (1, "")
    assert words.err.splitlines() == [
        "INVALID_INPUT: plan.toml has 2 problems:",
        "plan.toml:21: tasks[1] has no key 'depend_on'. Did you mean 'depends_on'?",
        "plan.toml:23: the plan has no key 'budgets'. Did you mean 'budget'?",
        "  'mission run --example' prints a plan with every key.",
    ]
    assert [(each["line"], each["column"]) for each in error["details"]["problems"]] == [(21, 1), (23, 1)]


def test_an_unknown_client_is_a_problem() -> None:
    Path("plan.toml").write_text(PLAN.replace("codex", "cursor"))

    assert "plan.toml:6: agents[0].client 'cursor' is not a known client" in run("--check", "plan.toml").stderr


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.toml", None, "missing.toml does not exist"),
        ("bytes.toml", b"[mission]\nname = '\xff'\n", "bytes.toml:2: byte 0xff is not UTF-8 text"),
        ("/dev/null", None, "/dev/null is not a regular file"),
        (".", None, ". is not a regular file"),
        ("syntax.toml", b"[mission\n", "syntax.toml:1: not valid TOML"),
        ("mark.toml", b"\xef\xbb\xbf[mission]\nx = 1\n", "mark.toml:2: mission has no key 'x'"),
    ],
)
def test_a_file_that_is_not_a_plan_is_refused(name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        Path(name).write_bytes(content)

    refused = run("--check", name)

    assert refused.exit_code == 1
    assert words in refused.stderr


def test_a_plan_is_checked_before_the_daemon_is_asked() -> None:
    Path("plan.toml").write_text("")

    wrong = run("plan.toml")

    assert wrong.exit_code == 1
    assert "the plan has no tasks" in wrong.stderr


def test_a_text_cannot_run_yet_and_a_task_is_not_a_mission() -> None:
    task = run("t_0123456789")
    text = run("Add JWT login to the API")

    assert "is the id of a task, not a mission id" in task.stderr
    assert text.stderr == (
        "INVALID_INPUT: not available yet: planning by an agent, for 'Add JWT login to the API'\n"
        "  Write a plan file: 'mission run --example' prints one to start from.\n"
    )


def test_only_a_plan_can_be_checked_and_something_must_be_given() -> None:
    for arguments in ([], ["--check"], ["--check", "some text"], ["--check", "m_0123456789"]):
        assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("plan.toml", RunTarget.PLAN),
        ("missing.toml", RunTarget.PLAN),
        ("plans/login", RunTarget.PLAN),
        (".", RunTarget.PLAN),
        ("m_0123456789", RunTarget.MISSION),
        ("m_01", RunTarget.TEXT),
        ("Add input/output tests", RunTarget.TEXT),
        ("word", RunTarget.TEXT),
        ("x " * 5_000, RunTarget.TEXT),
        ("a\0b", RunTarget.TEXT),
    ],
)
def test_a_person_may_give_a_file_an_id_or_a_text(target: str, kind: RunTarget) -> None:
    assert target_kind(target) is kind
