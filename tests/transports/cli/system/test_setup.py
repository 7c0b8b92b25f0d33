"""`mission setup` as a person runs it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mission.runtime.adapters.config_adapter import discover
from mission.settings import load
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.system.setup import setup
from tests.fake_mission_program import use_home, write_server

CLIENTS = list(discover())
WITHOUT_HOOKS = {"vscode"}


@pytest.fixture
def mission(tmp_path: Path) -> Path:
    """A program of the name `mission` that serves two tools."""
    return write_server(tmp_path / "bin")


@pytest.fixture
def home(tmp_path: Path, mission: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and no client's variables."""
    home = tmp_path / "home"
    project = tmp_path / "project"
    home.mkdir()
    project.mkdir()
    use_home(monkeypatch, home, program=mission)
    monkeypatch.chdir(project)
    return home


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(setup, list(arguments))
    assert result.exit_code == code, result.output
    return result


def files(home: Path) -> dict[str, str]:
    """Every file of the home and the project that is not Mission Control's own."""
    found = [*home.rglob("*"), *(home.parent / "project").rglob("*")]
    return {str(file): file.read_text() for file in found if file.is_file() and "mission-control" not in file.parts}


def install(mission: Path, program: str, version: str = "1.2.3") -> None:
    file = mission.with_name(program)
    file.write_text(f"#!/bin/sh\necho {program} {version}\n")
    file.chmod(0o755)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_setting_up_twice_changes_nothing_the_second_time_and_removing_leaves_nothing(
    client: str, scope: str, home: Path, mission: Path
) -> None:
    hooks = [] if client in WITHOUT_HOOKS else ["--hooks"]

    first = run(client, "--scope", scope, "--yes", *hooks)
    written = files(home)
    second = run(client, "--scope", scope, "--yes", *hooks)

    assert "+" in first.output
    assert "2 tools: start_mission, get_context" in first.output
    assert "already set up" in second.output
    assert files(home) == written
    assert any(str(mission) in text for text in written.values())

    run("--remove", client, "--scope", scope, "--yes")

    assert files(home) == {}
    assert "Mission Control is not set up in" in run("--remove", client, "--scope", scope, "--yes").output


def test_print_shows_the_difference_and_writes_nothing(home: Path) -> None:
    (home / ".claude.json").write_text('{"theme": "dark"}\n')
    before = files(home)

    result = run("claude-code", "--hooks", "--print")

    assert "+++" in result.output
    assert '"alwaysLoad"' in result.output
    assert files(home) == before


def test_without_a_terminal_and_without_yes_it_refuses(home: Path) -> None:
    result = run("codex", code=1)

    assert "no terminal" in result.stderr
    assert "--yes" in result.stderr
    assert files(home) == {}


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 1)])
def test_on_a_terminal_it_asks(answer: str, code: int, home: Path, mission: Path) -> None:
    script = f"""
import sys
from mission.transports.cli.system.setup import setup
sys.argv = [{str(mission)!r}, 'codex']
setup()
"""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = _read_until(ours, b"[Y/n]")
    os.write(ours, f"{answer}\n".encode())
    _read_until(ours, None)

    assert process.wait(timeout=30) == code
    assert b"\x1b[32m+" in said
    assert (home / ".codex" / "config.toml").exists() == (code == 0)


def _read_until(terminal: int, words: bytes | None) -> bytes:
    said = b""
    while words is None or words not in said:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side has closed
            break
        if not data:
            break
        said += data
    return said


def test_a_server_that_does_not_start_is_taken_out_again(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text("# mine\n")

    result = run("codex", "--toolsets", "crew", "--yes", code=1)

    assert "ended before it listed its tools" in result.stderr
    assert "no crew today" in result.stderr
    assert files(home) == {str(file): "# mine\n"}
    run("codex", "--yes")
    run("--remove", "codex", "--yes")
    assert files(home) == {str(file): "# mine\n"}


def test_toolsets_and_an_unusual_home_stand_in_the_entry(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISSION_HOME", str(home / "data"))

    run("cursor", "--toolsets", "mission,tasks", "--yes")

    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["mission"]
    assert entry["args"] == ["mcp", "--toolsets", "mission,tasks"]
    assert entry["env"] == {"MISSION_HOME": str(home / "data")}


def test_a_broken_file_is_named_with_its_line_and_nothing_is_written(home: Path) -> None:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "theme": "x"\n  "ui": {}\n}\n')
    before = files(home)

    error = json.loads(run("gemini-cli", "--yes", "--json", code=1).stderr)["error"]

    assert error["code"] == "INVALID_STATE"
    assert error["details"] == {"file": str(file), "line": 3}
    assert files(home) == before


def test_a_project_is_set_up_where_it_lies(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()

    run("vscode", "--scope", "project", "--project", str(project), "--yes")

    assert list(json.loads((project / ".vscode" / "mcp.json").read_text())["servers"]) == ["mission"]
    assert files(home) == {}


def test_all_sets_up_every_client_that_is_installed(home: Path, mission: Path) -> None:
    install(mission, "codex")
    install(mission, "code")

    answer = json.loads(run("all", "--hooks", "--yes", "--json").stdout)

    assert answer["clients"] == ["codex", "vscode"]
    assert answer["tools"] == ["start_mission", "get_context"]
    assert {Path(file["path"]).name for file in answer["files"]} == {"config.toml", "hooks.json", "mcp.json"}
    run("--remove", "all", "--yes")
    assert files(home) == {}


def test_without_a_client_it_lists_what_is_installed_and_set_up(home: Path, mission: Path) -> None:
    install(mission, "claude", "2.1.0")
    run("claude-code", "--hooks", "--yes")

    rows: list[dict[str, Any]] = json.loads(run("--json").stdout)["clients"]
    table = run().output

    assert [row["client"] for row in rows] == CLIENTS
    claude = next(row for row in rows if row["client"] == "claude-code")
    assert claude["version"] == "2.1.0"
    assert claude["scopes"]["user"]["set_up"] is claude["scopes"]["user"]["hooks"] is True
    assert claude["scopes"]["project"]["set_up"] is False
    assert "2.1.0" in table


def test_the_real_server_is_started_and_a_session_of_the_client_comes_and_goes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Path(sys.executable).with_name("mission")
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("MISSION_PORT", "0")
    settings = load()
    try:
        tools = json.loads(run("codex", "--hooks", "--yes", "--json").stdout)["tools"]
        running = daemon.find(settings)
        assert running is not None
        statuses = []
        for event in ("SessionStart", "SessionEnd"):
            subprocess.run([program, "hook", "codex", event], input='{"session_id": "s1", "cwd": "/"}', text=True)
            [agent] = daemon.call_tool(running, "agent_list", {})["agents"]
            statuses.append((agent["name"], agent["runtime"], agent["status"]))
    finally:
        if running := daemon.find(settings):
            daemon.stop(settings, running)

    assert {"start_mission", "complete_task"} <= set(tools)
    assert statuses == [("codex-s1", "codex", "online"), ("codex-s1", "codex", "offline")]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["emacs"], 1, "Known clients: claude-code"),
        (["claude"], 1, "did you mean 'claude-code'?"),
        (["code"], 1, "did you mean 'vscode'?"),
        (["vscode", "--hooks", "--yes"], 1, "Hooks are not available for Visual Studio Code"),
        (["all", "--yes"], 1, "No agent client was found"),
        (["--remove"], 2, "Name the client"),
        (["codex", "--scope", "planet"], 2, "planet"),
        (
            ["codex", "--toolsets", "mission,taks", "--print"],
            1,
            "did you mean 'tasks'?\n  Choose from: mission, workflow",
        ),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], code: int, words: str, home: Path) -> None:
    assert words in run(*arguments, code=code).stderr
