"""Visual Studio Code: where its profile lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.runtime.adapters.config_adapter import Command, ConfigLocation, ConfigScope
from mission.runtime.adapters.vscode import ADAPTER

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("environment", "platform", "folder"),
    [
        ({}, "linux", "/home/ada/.config/Code"),
        ({"XDG_CONFIG_HOME": "/conf"}, "linux", "/conf/Code"),
        ({}, "darwin", "/home/ada/Library/Application Support/Code"),
        ({"VSCODE_PORTABLE": "/stick"}, "darwin", "/stick/user-data"),
    ],
)
def test_the_users_profile_is_where_the_editor_looks_for_it(environment, platform, folder):
    place = ConfigLocation(home=HOME, project=Path("/code"), environment=environment, platform=platform)

    assert ADAPTER.servers.files(place, ConfigScope.USER) == [Path(folder) / "User" / "mcp.json"]
    assert ADAPTER.servers.files(place, ConfigScope.PROJECT) == [Path("/code/.vscode/mcp.json")]


def test_its_entry_says_that_it_is_started_as_a_program_and_it_has_no_hooks():
    assert ADAPTER.servers.entry(Command(program="/bin/mission"))["type"] == "stdio"
    assert ADAPTER.hooks is None
    assert "preview" in ADAPTER.why_no_hooks
