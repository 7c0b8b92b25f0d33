"""Clients of this machine, connected for all projects; the tools of tests/tools/control/test_clients.py do the rest."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mission.domain.errors import Conflict
from mission.runtime.client_setup.local_clients import LocalClients
from mission.settings import Settings
from tests.fake_mission_program import use_home, write_client, write_server


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalClients:
    home = tmp_path / "home"
    home.mkdir()
    program = write_server(tmp_path / "bin")
    write_client(program.parent, "codex", version="0.166.0")
    use_home(monkeypatch, home, program=program)
    return LocalClients(Settings(home=tmp_path / "mission"))


async def test_two_connections_at_once_write_the_file_once(clients: LocalClients, tmp_path: Path) -> None:
    preview = await clients.preview("codex")
    results = await asyncio.gather(
        *(clients.connect("codex", digest=preview.digest) for _ in range(2)), return_exceptions=True
    )

    assert sorted(type(result).__name__ for result in results) == ["Conflict", "ConnectedClient"]
    assert any(isinstance(result, Conflict) for result in results)
    assert (tmp_path / "home" / ".codex" / "config.toml").read_text().count("[mcp_servers.mission]") == 1


async def test_a_connected_client_can_be_tried_again(clients: LocalClients) -> None:
    for files in (1, 0):
        preview = await clients.preview("codex")
        assert len(preview.files) == files
        assert (await clients.connect("codex", digest=preview.digest)).tools == ["start_mission", "get_context"]
    assert (await clients.clients())[0].connected
