"""Steps that the command line and the page share: clients by name, all changes or none, and a server that is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.runtime.client_setup import connect, setup
from mission.runtime.client_setup.setup import PlannedSetup
from mission.runtime.config_files.file_changes import Backups, Change
from tests.fake_mission_program import use_home, write_client, write_server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    program = write_server(tmp_path / "bin")
    write_client(program.parent, "codex", version="0.166.0")
    use_home(monkeypatch, home, program=program)
    return home


def test_a_client_is_found_by_name_and_its_program_leads_to_its_name():
    assert setup.find_client("codex").title == "Codex"
    with pytest.raises(InvalidInput, match="did you mean 'claude-code'"):
        setup.find_client("claude")


def test_clients_are_described_by_program_version_and_scope(home):
    rows = {row["client"]: row for row in setup.describe_clients(connect.here(project=home))}

    assert (rows["codex"]["version"], rows["codex"]["scopes"]["user"]["set_up"]) == ("0.166.0", False)
    assert rows["cursor"]["program"] is None


def test_all_changes_are_written_or_none(home, tmp_path):
    backups = Backups(tmp_path / "backups")
    good = PlannedSetup(
        adapter=setup.find_client("codex"), changes=[Change(path=home / "good", before=None, after="x")]
    )
    (home / "file").write_text("no folder")
    bad = PlannedSetup(
        adapter=setup.find_client("cursor"), changes=[Change(path=home / "file" / "bad", before=None, after="x")]
    )

    with pytest.raises((InvalidState, OSError)):
        setup.apply_all([good, bad], backups)
    assert not (home / "good").exists()

    made = setup.apply_all([good], backups)
    assert (home / "good").read_text() == "x"
    setup.take_all_back([good], made, backups)
    assert not (home / "good").exists()


async def test_a_server_is_tried_and_one_that_fails_is_named(home, tmp_path):
    settings_command = connect.Command(program=str(tmp_path / "bin" / "mission"))
    serve = setup.serve_command(settings_command)
    assert await setup.try_server(serve, directory=home) == ["start_mission", "get_context"]

    with pytest.raises(InvalidState, match="no crew today"):
        await setup.try_server(setup.serve_command(settings_command, toolsets="crew"), directory=home)
