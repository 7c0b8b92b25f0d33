"""Commands over a running daemon: tools, call, missions, show, archive, delete, agents, audit, config."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mission.transports.cli.main import COMMANDS, GUESSED, cli
from tests.transports.cli.program import PATIENCE, PROGRAM, Program
from tests.transports.live_server import until

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def started(mission: Program) -> str:
    """A mission with a task and a decision, in the shared home."""
    found = mission.call("start_mission", name="Übersicht", objective="Works")["mission_id"]
    task = mission.call("start_task", mission_id=found, name="The task", goal="g")["task_id"]
    mission.call("log_decision", task_id=task, category="other", question="Why?", chosen="So", reasoning="r")
    return str(found)


def test_tools_are_listed_without_a_daemon(mission: Program) -> None:
    everything = json.loads(CliRunner().invoke(cli, ["tools", "--json"]).stdout)["tools"]
    chosen = json.loads(CliRunner().invoke(cli, ["tools", "--toolsets", "mission", "--json"]).stdout)["tools"]
    one = json.loads(CliRunner().invoke(cli, ["tools", "start_mission"]).stdout)
    wrong = CliRunner().invoke(cli, ["tools", "start_mision"])
    unknown = mission.refuses("tools", "--toolsets", "nonsense")

    assert {"start_mission", "agent_list", "audit_list"} <= {tool["name"] for tool in everything}
    assert len(chosen) == 13
    assert one["input_schema"]["required"] == ["name", "objective"]
    assert unknown["code"] == "INVALID_INPUT"
    assert "did you mean 'start_mission'?" in wrong.output


def test_a_call_answers_with_the_result_as_one_document(mission: Program) -> None:
    plain = mission.run("call", "start_mission", '{"name": "a", "objective": "b"}')
    from_stdin = mission.run("call", "start_mission", "-", stdin='{"name": "ü", "objective": "b"}')

    assert plain.code == from_stdin.code == 0
    assert plain.json["mission_id"].startswith("m_")
    assert from_stdin.json["mission_id"] != plain.json["mission_id"]


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
def test_an_answer_that_finds_no_space_is_not_said_to_have_changed_nothing(mission: Program) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "call", "workflow_list"], env=mission.environment, stdout=full, stderr=subprocess.PIPE, text=True
        )

    assert done.returncode == 1
    assert done.stderr.startswith("TRANSIENT_ERROR: The disk is full.")
    assert "Earlier changes were saved" in done.stderr


def test_a_refused_call_has_its_error_on_stderr(mission: Program) -> None:
    error = mission.refuses("call", "start_mission", '{"name": "x", "objektive": "y"}')
    words = mission.run("call", "start_mission", '{"name": "x"}')
    unknown = mission.refuses("call", "no/such tool\n")

    assert error["code"] == "INVALID_INPUT"
    assert "did you mean 'objective'?" in error["message"]
    assert (words.code, words.out) == (1, "")
    assert words.err.startswith("INVALID_INPUT: objective is required")
    assert unknown["code"] in {"TOOL_NOT_FOUND", "RESOURCE_NOT_FOUND"}


def test_a_call_may_be_made_as_an_agent(mission: Program) -> None:
    agent = mission.call("agent_register", name="worker bee", runtime="codex")["id"]

    for reference in (agent, "worker bee"):
        denied = mission.refuses("call", "--agent", reference, "start_mission", '{"name": "x", "objective": "y"}')
        assert denied["code"] == "PERMISSION_DENIED"
    assert mission.refuses("call", "--agent", "nobody", "workflow_list")["code"] == "AGENT_NOT_FOUND"


def test_a_call_is_about_the_folder_it_is_made_in(mission: Program, repository: Path) -> None:
    started = mission.does("call", "start_mission", '{"name": "x", "objective": "y"}', folder=repository)
    task = mission.does("call", "start_task", '{"name": "t", "goal": "g"}', folder=repository)

    assert task["mission_id"] == started["mission_id"]
    assert task["snapshot_type"] == "git"


def test_missions_tasks_and_decisions_are_found(mission: Program, started: str) -> None:
    found = mission.does("search", "-ubersicht")  # what looks like an option is a word too
    words = mission.run("search", "why?", "so", "--mission", started)
    nothing = mission.run("search", "--kind", "message", '"no such" OR')

    assert [(row["id"], row["title"]) for row in found["results"]] == [(started, "Übersicht")]
    assert words.code == nothing.code == 0
    assert "Why? → So" in words.out
    assert "No results." in nothing.out


def test_missions_are_listed(mission: Program, started: str) -> None:
    listed = mission.does("missions", "--limit", "200")
    filtered = mission.does("missions", "--status", "completed")
    table = mission.run("missions")

    assert started in [row["id"] for row in listed["workflows"]]
    assert filtered["workflows"] == []
    assert "Übersicht" in table.out


def test_a_mission_is_shown(mission: Program, started: str) -> None:
    found = mission.does("show", started)
    words = mission.run("show", started)

    assert found["mission_id"] == started
    assert [row["question"] for row in found["decisions"]] == ["Why?"]
    assert "The task" in words.out
    assert "Why? → So: r" in words.out
    unknown = mission.refuses("show", "m_0000000000")
    assert (unknown["code"], unknown["hint"]) == ("RESOURCE_NOT_FOUND", "'mission missions' lists the missions.")
    assert mission.refuses("show", "t_0000000000")["code"] == "RESOURCE_NOT_FOUND"
    assert mission.refuses("show", "p_0000000000")["code"] == "INVALID_INPUT"


def test_a_task_is_shown_with_its_journal(mission: Program, started: str) -> None:
    (row,) = mission.does("show", started)["tasks"]

    words = mission.run("show", row["id"])

    assert mission.does("show", row["id"])["id"] == row["id"]
    assert "The task" in words.out
    assert re.search(r"  1\. \d\d:\d\d decision: Why\? → So", words.out)


def test_a_completed_task_is_shown_with_what_was_verified(mission: Program, repository: Path) -> None:
    started = mission.call("start_mission", name="V", objective="o", repository_path=str(repository))["mission_id"]
    task = mission.call("start_task", mission_id=started, name="t", goal="g", areas=["src"])["task_id"]
    (repository / "notes.txt").write_text("outside")
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Done."})

    words, found = mission.run("show", task).out, mission.does("show", task)

    assert "+ notes.txt (outside the task's areas)" in words
    assert "1 file changed" in words
    assert "Areas:      src" in words
    assert f"Repository: {repository}" in words
    assert found["verification"]["unexpected_files"] == ["notes.txt"]


def test_what_agents_wrote_cannot_steer_the_terminal(mission: Program) -> None:
    wild = "red\x1b[31m title\x1b]0;x\x07 back\r over\x9b2J \u202eturned"
    found = mission.call("start_mission", name=wild, objective=f"{wild}\r\nnext line")["mission_id"]

    for command in (("missions",), ("show", found)):
        text = mission.run(*command).out
        assert "red\ufffd[31m title" in text
        assert not set(text) & set("\x1b\x07\r\x9b\u202e")
    assert "\ufffdturned\nnext line" in text
    assert mission.does("show", found)["mission_name"] == wild


def test_only_an_ended_mission_is_archived_and_deleted(mission: Program) -> None:
    found = mission.call("start_mission", name="short", objective="o")["mission_id"]
    too_early = [mission.refuses("archive", found), mission.refuses("delete", found, "--yes")]
    mission.call("complete_mission", mission_id=found, status="failed", summary="s")

    archived = mission.does("archive", found)
    hidden = mission.does("missions", "--archived")
    back = mission.does("archive", found, "--undo")
    unasked = mission.run("delete", found)
    deleted = mission.does("delete", found, "--yes")

    assert [error["code"] for error in too_early] == ["INVALID_STATE"] * 2
    assert archived["archived_at"]
    assert [row["id"] for row in hidden["workflows"]] == [found]
    assert back["archived_at"] is None
    assert unasked.code == 2
    assert "--yes" in unasked.err
    assert deleted == {"mission_id": found, "name": "short"}
    assert mission.refuses("show", found)["code"] == "RESOURCE_NOT_FOUND"


def test_agents_are_listed(mission: Program) -> None:
    agent = mission.call("agent_register", name="lister", runtime="codex")["id"]

    assert agent in [row["id"] for row in mission.does("agents", "--status", "online")["agents"]]
    assert "lister" in mission.run("agents").out


def test_the_audit_trail_tells_who_called_what(mission: Program, started: str) -> None:
    mission.run("call", "start_mission", '{"objective": "audited"}')

    def found() -> list[dict[str, object]]:
        entries: list[dict[str, object]] = mission.does("audit", "--status", "error")["entries"]
        return [entry for entry in entries if entry["arguments"] == {"objective": "audited"}]

    entry = until(found)[0]
    lines = mission.run("audit", "--tool", "start_mission", "--limit", "5")

    assert (entry["tool"], entry["transport"], entry["caller"]) == ("start_mission", "cli", "operator")
    assert "INVALID_INPUT" in lines.out
    assert len(lines.out.splitlines()) <= 7
    assert mission.run("audit", "--limit", "2").out.splitlines()[3:] == [
        "Only the newest 2 are shown. Use --limit for more.",
        "Calls that only read are left out. --all includes them.",
    ]
    assert "are shown" not in mission.run("audit", "--tool", "mission_delete", "--limit", "500").out
    assert mission.refuses("audit", "--since", "yesterday")["code"] == "INVALID_INPUT"


def test_settings_are_shown_with_their_source_and_without_passwords(mission: Program) -> None:
    (mission.home / "settings.toml").write_text("lease_seconds = 60\n")
    url = "postgresql://ada:pa55word@db.example/mission"
    other = Program(mission.home, MISSION_DATABASE_URL=url, MISSION_LOG_LEVEL="debug")

    shown = other.does("config")
    table = other.run("config")
    (mission.home / "settings.toml").unlink()
    misspelled = Program(mission.home, MISSION_PROT="1")

    rows = {row["name"]: row for row in shown["settings"]}
    assert str(mission.home) in table.out  # a value is never shortened
    assert (rows["lease_seconds"]["value"], rows["lease_seconds"]["source"]) == (60.0, "settings.toml")
    assert (rows["log_level"]["value"], rows["log_level"]["source"]) == ("debug", "MISSION_LOG_LEVEL")
    assert rows["host"]["source"] == "default"
    assert "pa55word" not in json.dumps(shown) + table.out
    assert (shown["warnings"], table.err) == ([], "")
    assert misspelled.run("config").err.endswith("did you mean MISSION_PORT?\n")


def test_help_names_every_command(mission: Program) -> None:
    overview = mission.run("--help")

    assert overview.code == 0
    for command in COMMANDS:
        assert f"  {command} " in overview.out
    titles = re.findall(r"^(\w[\w ]*):$", overview.out, flags=re.MULTILINE)
    assert titles == ["Options", "Start", "Watch", "Answer", "Run agents", "Manage", "Data", "Examples"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("taks", "tasks"),
        ("stauts", "status"),
        ("anwser", "answer"),
        ("ps", "executions"),
        ("ls", "missions"),
        ("log", "logs"),
        ("new", "run"),
        ("watch", "top"),
        ("hsitory", "audit"),
    ],
)
def test_an_unknown_command_is_answered_with_the_one_that_was_meant(typed: str, meant: str) -> None:
    refused = CliRunner().invoke(cli, [typed])

    assert refused.exit_code == 2
    assert f"There is no command '{typed}'. Did you mean 'mission {meant}'?" in refused.output


def test_every_guess_leads_to_a_command() -> None:
    assert {name for name in GUESSED.values() if not name.startswith("--")} <= COMMANDS.keys()
    assert not GUESSED.keys() & COMMANDS.keys()


HELP = """
from click.testing import CliRunner
from mission.transports.cli.main import COMMANDS, cli
for name in [*COMMANDS, "agent create", "token show"]:
    short, long = (CliRunner().invoke(cli, [*name.split(), word]) for word in ("-h", "--help"))
    print(name, short.exit_code, long.exit_code, short.output == long.output, short.output.startswith("Usage: "))
"""


def test_every_command_explains_itself_by_either_word() -> None:
    """In a process of its own: a command that another test ran by itself would remember that run's words for help."""
    said = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, timeout=PATIENCE, check=True)

    lines = said.stdout.splitlines()
    assert len(lines) > 30
    assert [line for line in lines if not line.endswith(" 0 0 True True")] == []


def test_an_agent_is_made_renewed_and_revoked(mission: Program) -> None:
    made = mission.does("agent", "create", "--type", "worker", "--name", "wilma", "--expires", "8h")
    assert made.keys() == {"id", "type", "name", "token"}
    wilma = Program(mission.home, MISSION_TOKEN=made["token"])

    assert wilma.call("agent_heartbeat", agent_id=made["id"])["success"]
    assert wilma.refuses("agent", "create", "--type", "WORKER", "--name", "x")["code"] == "PERMISSION_DENIED"
    renewed = mission.does("agent", "token", "wilma")
    assert renewed["id"] == made["id"]
    assert "was revoked" in wilma.refuses("agents")["message"]
    assert "wilma" in mission.run("agent", "list").out
    assert mission.does("agent", "revoke", "wilma") == {"id": made["id"], "revoked": 1}
    rules = mission.does("permissions", "wilma")
    assert (rules["agent_id"], rules["type"]) == (made["id"], "WORKER")
    decided = {name: rule["pattern"] for rule in rules["rules"] for name in rule["tools"]}
    assert (decided["mcp__epic__create"], decided["message_send"]) == ("mcp__epic__*", "message_*")
    assert "start_mission" in rules["denied_by_default"]


def test_what_waits_for_a_person_is_shown_answered_and_dismissed(mission: Program, started: str) -> None:
    task = mission.call("start_task", mission_id=started, name="Held", goal="g")["task_id"]
    outcome = {"summary": "s", "manual_review_needed": True, "manual_review_reason": "Read the copy"}
    issue = {"task_id": task, "type": "other", "resolution": "r", "requires_human_review": True}
    for question in ("Which region?", "Which colour?"):
        mission.call("log_issue", **issue, description=question)
    mission.call("complete_task", task_id=task, status="success", outcome=outcome)
    items = {item["subject"]: item["id"] for item in mission.does("inbox")["items"] if item["task_id"] == task}

    table, one = mission.run("inbox"), mission.run("inbox", items["Read the copy"])
    mission.run("answer", items["Which region?"], "eu", "west")
    mission.run("dismiss", items["Which colour?"])
    back = mission.run("answer", items["Read the copy"], "--choice", "2", "Mend the title")

    assert all(word in table.out for word in ("Which region?", "blocker"))
    assert f"Task: Held ({task})" in one.out
    assert "  2  Send back …" in one.out
    assert "Added a task for the missing work: Follow up: Held (t_" in back.out
    closed = {item["subject"]: (item["state"], item["answer"]) for item in mission.does("inbox", "--all")["items"]}
    assert {subject: closed[subject] for subject in items} == {
        "Which region?": ("answered", "eu west"),
        "Which colour?": ("dismissed", None),
        "Read the copy": ("answered", "Mend the title"),
    }
    assert mission.refuses("answer", items["Which region?"], "again")["code"] == "INVALID_STATE"


def test_workspaces_and_templates_are_listed(mission: Program, repository: Path) -> None:
    id = mission.call(
        "workflow_create", name="W", source_type="prompt", source_content="x", repository_path=str(repository)
    )["id"]
    path = repository.parent / "wt"
    made = mission.call("workspace_create", workflow_id=id, path=str(path), branch="side", create=True)["id"]
    (path / "half.txt").write_text("x")
    (repository / ".mission" / "templates").mkdir(parents=True)
    task = {"name": "Ship {{version}}", "description": "d", "sequence": 1}
    (repository / ".mission" / "templates" / "release.json").write_text(json.dumps({"tasks": [task]}))

    (row,) = mission.does("workspaces", "--mission", id)["workspaces"]
    table = mission.run("workspaces", "--mission", id)
    shelf = mission.does("templates", folder=repository)
    lines = mission.run("templates", folder=repository)

    assert (row["id"], row["state"]["ahead"], row["state"]["uncommitted"]) == (made, 0, ["half.txt"])
    assert "side" in table.out
    assert [each["name"] for each in shelf["templates"]] == ["release"]
    assert "version*" in lines.out
