"""Connecting the clients of the daemon's machine: found, previewed, written exactly as shown, tried, and undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mission.domain.errors import Conflict, InvalidInput, InvalidState, PermissionDenied
from tests.fake_mission_program import use_home, write_client, write_program, write_server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Claude Code is installed, has a configuration, and is not connected."""
    home = tmp_path / "home"
    home.mkdir()
    program = write_server(tmp_path / "bin")
    write_client(program.parent, "claude", version="2.1.325")
    use_home(monkeypatch, home, program=program)
    (home / ".claude.json").write_text('{"theme": "dark"}\n')
    return home


async def claude(call):
    return next(row for row in (await call("client_list", {}))["clients"] if row["name"] == "claude-code")


async def connect(call, client="claude-code"):
    preview = await call("client_preview", {"client": client})
    return await call("client_connect", {"client": client, "digest": preview["digest"]})


async def test_installed_clients_come_first_with_version_and_file(call, home):
    rows = (await call("client_list", {}))["clients"]

    assert [row["path"] is None for row in rows] == sorted(row["path"] is None for row in rows)
    assert rows[0] == {
        "name": "claude-code",
        "title": "Claude Code",
        "path": str(home.parent / "bin" / "claude"),
        "version": "2.1.325",
        "connected": False,
        "hooks": False,
        "file": str(home / ".claude.json"),
        "problem": None,
    }


async def test_the_preview_writes_nothing_and_connecting_writes_what_it_showed(call, home):
    before = (home / ".claude.json").read_text()
    preview = await call("client_preview", {"client": "claude-code"})
    assert [(file["path"], file["change"]) for file in preview["files"]] == [(str(home / ".claude.json"), "edited")]
    assert '"mission": {' in preview["files"][0]["diff"]
    assert (home / ".claude.json").read_text() == before

    made = await call("client_connect", {"client": "claude-code", "digest": preview["digest"]})

    assert made["files"] == [str(home / ".claude.json")]
    assert made["tools"] == ["start_mission", "get_context"]
    written = json.loads((home / ".claude.json").read_text())
    assert written["theme"] == "dark"
    assert written["mcpServers"]["mission"]["args"] == ["mcp"]
    assert (await claude(call))["connected"] is True
    assert (await call("client_preview", {"client": "claude-code"}))["files"] == []


async def test_a_file_that_changed_since_the_preview_is_not_written(call, home):
    preview = await call("client_preview", {"client": "claude-code"})
    (home / ".claude.json").write_text('{"theme": "light"}\n')

    with pytest.raises(Conflict, match="has changed since the preview"):
        await call("client_connect", {"client": "claude-code", "digest": preview["digest"]})
    assert (home / ".claude.json").read_text() == '{"theme": "light"}\n'


async def test_a_connection_that_does_not_work_is_undone(call, home):
    write_program(home.parent / "bin", "mission", "#!/bin/sh\necho 'out of order' >&2\nexit 3\n")

    with pytest.raises(InvalidState, match="out of order"):
        await connect(call)
    assert (home / ".claude.json").read_text() == '{"theme": "dark"}\n'
    assert (await claude(call))["connected"] is False


async def test_a_file_that_may_not_be_written_is_refused_with_what_to_do(call, home, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(home / ".claude.json"))

    monkeypatch.setattr("mission.runtime.config_files.file_changes.tempfile.mkstemp", refuse)

    with pytest.raises(InvalidState, match="Permission denied") as refused:
        await connect(call)
    assert "Check the owner and permissions" in (refused.value.hint or "")


async def test_a_broken_configuration_is_named_and_left_alone(call, home):
    (home / ".claude.json").write_text('{"theme": \n')

    assert "line" in (await claude(call))["problem"]
    with pytest.raises(InvalidState):
        await call("client_preview", {"client": "claude-code"})


async def test_an_unknown_client_gets_the_closest_name(call, home):
    with pytest.raises(InvalidInput, match="did you mean 'claude-code'"):
        await call("client_preview", {"client": "claude"})


async def test_only_the_operator_connects_clients(call, home):
    agent = (await call("agent_register", {"name": "a", "runtime": "codex", "role": "coordinator"}))["id"]

    for tool, arguments in (
        ("client_list", {}),
        ("client_preview", {"client": "codex"}),
        ("client_connect", {"client": "codex", "digest": "0" * 64}),
    ):
        with pytest.raises(PermissionDenied):
            await call(tool, arguments, agent=agent)
