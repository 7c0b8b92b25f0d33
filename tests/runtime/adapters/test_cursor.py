"""Cursor: its hooks have a shape of their own."""

from __future__ import annotations

import json
from pathlib import Path

from mission.runtime.adapters.config_adapter import Command, ConfigLocation, ConfigScope
from mission.runtime.adapters.cursor import ADAPTER

PLACE = ConfigLocation(home=Path("/home/ada"), project=Path("/code"), environment={}, platform="linux")


def test_everything_lies_in_one_folder_of_the_user_or_the_project():
    assert ADAPTER.servers.files(PLACE, ConfigScope.USER) == [Path("/home/ada/.cursor/mcp.json")]
    assert ADAPTER.hooks.file(PLACE, ConfigScope.PROJECT) == Path("/code/.cursor/hooks.json")


def test_a_new_hooks_file_has_a_version_and_a_time_limit_for_each_hook():
    text = ADAPTER.hooks.add(None, ADAPTER.name, Command(program="/bin/mission"))

    hooks = json.loads(text)
    assert hooks["version"] == 1
    assert set(hooks["hooks"]) == {"sessionStart", "postToolUse", "stop", "sessionEnd"}
    for [hook] in hooks["hooks"].values():
        assert hook["command"].startswith("/bin/mission hook cursor ")
        assert hook["timeout"] > 0
