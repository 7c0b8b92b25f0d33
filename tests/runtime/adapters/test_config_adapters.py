"""Each client's adapter: where it keeps its configuration and what of ours goes into it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.adapters.config_adapter import (
    Adapter,
    Command,
    ConfigLocation,
    ConfigScope,
    discover,
    is_hook_line,
    is_mission,
)
from mission.runtime.config_files.editor import look_up

ADAPTERS = discover()
COMMAND = Command(program="/opt/bin/mission")
SERVE = COMMAND.with_arguments("mcp")

FILES = {
    "claude-code": (".claude.json", ".mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "opencode": (".config/opencode/opencode.json", "opencode.json"),
    "copilot-cli": (".copilot/mcp-config.json", ".github/mcp.json"),
    "gemini-cli": (".gemini/settings.json", ".gemini/settings.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json"),
}
HOOK_FILES = {
    "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/hooks.json", ".codex/hooks.json"),
    "opencode": (".config/opencode/plugins/mission.js", ".opencode/plugins/mission.js"),
    "copilot-cli": (".copilot/hooks/mission.json", ".github/hooks/mission.json"),
    "gemini-cli": (".gemini/settings.json", ".gemini/settings.json"),
    "cursor": (".cursor/hooks.json", ".cursor/hooks.json"),
}
ENTRIES: dict[str, dict[str, Any]] = {
    "claude-code": {"type": "stdio", "command": "/opt/bin/mission", "args": ["mcp"], "alwaysLoad": True},
    "codex": {"command": "/opt/bin/mission", "args": ["mcp"]},
    "opencode": {"type": "local", "command": ["/opt/bin/mission", "mcp"], "enabled": True},
    "copilot-cli": {"type": "local", "command": "/opt/bin/mission", "args": ["mcp"], "tools": ["*"]},
    "gemini-cli": {"command": "/opt/bin/mission", "args": ["mcp"]},
    "cursor": {"command": "/opt/bin/mission", "args": ["mcp"]},
    "vscode": {"type": "stdio", "command": "/opt/bin/mission", "args": ["mcp"]},
}
VARIABLES = [
    ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json", "settings.json"),
    ("codex", "CODEX_HOME", "config.toml", "hooks.json"),
    ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json", "opencode/plugins/mission.js"),
    ("copilot-cli", "COPILOT_HOME", "mcp-config.json", "hooks/mission.json"),
    ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json", ".gemini/settings.json"),
    ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json", None),
    ("vscode", "VSCODE_PORTABLE", "user-data/User/mcp.json", None),
]

adapters = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
with_hooks = pytest.mark.parametrize("adapter", [a for a in ADAPTERS.values() if a.hooks], ids=lambda a: a.name)


def place(**environment: str) -> ConfigLocation:
    return ConfigLocation(home=Path("/home/ada"), project=Path("/src/shop"), environment=environment, platform="linux")


def load(adapter: Adapter, text: str) -> dict[str, Any]:
    return tomllib.loads(text) if adapter.name == "codex" else json.loads(text)


def test_every_client_has_an_adapter() -> None:
    assert set(ADAPTERS) == set(FILES)


@adapters
def test_each_scope_has_its_file(adapter: Adapter) -> None:
    user, project = FILES[adapter.name]

    assert adapter.servers.files(place(), ConfigScope.USER)[0] == Path("/home/ada", user)
    assert adapter.servers.files(place(), ConfigScope.PROJECT)[0] == Path("/src/shop", project)


@with_hooks
def test_each_scope_has_its_hooks_file(adapter: Adapter) -> None:
    user, project = HOOK_FILES[adapter.name]
    assert adapter.hooks is not None

    assert adapter.hooks.file(place(), ConfigScope.USER) == Path("/home/ada", user)
    assert adapter.hooks.file(place(), ConfigScope.PROJECT) == Path("/src/shop", project)


@pytest.mark.parametrize(("client", "variable", "servers", "hooks"), VARIABLES)
def test_the_variables_that_move_a_client_are_followed(
    client: str, variable: str, servers: str, hooks: str | None
) -> None:
    adapter = ADAPTERS[client]
    moved = place(**{variable: "/elsewhere"})

    assert adapter.servers.files(moved, ConfigScope.USER)[0] == Path("/elsewhere", servers)
    if hooks is not None:
        assert adapter.hooks is not None
        assert adapter.hooks.file(moved, ConfigScope.USER) == Path("/elsewhere", hooks)


def test_on_a_mac_the_editor_keeps_its_profile_in_the_library() -> None:
    mac = ConfigLocation(home=Path("/Users/ada"), project=Path("/src"), environment={}, platform="darwin")

    [file] = ADAPTERS["vscode"].servers.files(mac, ConfigScope.USER)

    assert file == Path("/Users/ada/Library/Application Support/Code/User/mcp.json")


@adapters
def test_the_entry_has_the_shape_the_client_reads(adapter: Adapter) -> None:
    text = adapter.servers.add(None, SERVE)

    assert load(adapter, text) == {adapter.servers.table: {"mission": ENTRIES[adapter.name]}}


@adapters
def test_the_environment_is_carried_only_when_there_is_one(adapter: Adapter) -> None:
    command = Command(program="/m/mission", arguments=("mcp",), environment={"MISSION_HOME": "/data/a b"})

    entry = adapter.servers.find(adapter.servers.add(None, command))

    assert entry is not None
    assert entry[adapter.servers.environment_key] == {"MISSION_HOME": "/data/a b"}


@adapters
def test_adding_twice_changes_nothing(adapter: Adapter) -> None:
    once = adapter.servers.add(None, SERVE)

    assert adapter.servers.add(once, SERVE) == once


@adapters
def test_an_entry_that_is_brought_up_to_date_keeps_what_the_user_put_into_it(adapter: Adapter) -> None:
    servers = adapter.servers
    text = servers.add(None, Command(program="/old/mission", arguments=("mcp",), environment={"MISSION_HOME": "/old"}))
    text = servers.editor.set_value(text, (servers.table, "mission", "timeout"), 90)
    text = servers.editor.set_value(text, (servers.table, "mission", servers.environment_key, "LOG"), "1")

    entry = servers.find(servers.add(text, SERVE.with_arguments("--toolsets", "all")))

    wanted = ENTRIES[adapter.name]
    more = ["--toolsets", "all"]
    key = "command" if adapter.name == "opencode" else "args"
    assert entry == {**wanted, key: wanted[key] + more, "timeout": 90, servers.environment_key: {"LOG": "1"}}


@adapters
def test_an_environment_that_is_no_longer_needed_goes(adapter: Adapter) -> None:
    text = adapter.servers.add(
        None, Command(program="/m/mission", arguments=("mcp",), environment={"MISSION_HOME": "/x"})
    )

    assert adapter.servers.find(adapter.servers.add(text, SERVE)) == ENTRIES[adapter.name]


@adapters
def test_another_programs_server_of_the_same_name_is_replaced_whole_but_never_removed(adapter: Adapter) -> None:
    servers = adapter.servers
    text = servers.editor.set_value("", (servers.table, "mission"), {"url": "https://example.org/mcp"})

    assert servers.remove(text) == text
    assert servers.find(servers.add(text, SERVE)) == ENTRIES[adapter.name]


@with_hooks
def test_hooks_name_the_session_start_a_sign_of_life_and_the_end(adapter: Adapter) -> None:
    assert adapter.hooks is not None
    lines = adapter.hooks.commands(adapter.hooks.add(None, adapter.name, COMMAND), adapter.name)

    assert lines
    assert all(line.startswith(f"/opt/bin/mission hook {adapter.name}") for line in lines)
    if adapter.name != "opencode":
        events = {line.rsplit(" ", 1)[1].lower() for line in lines}
        assert {"sessionstart", "sessionend"} < events
        assert len(events) == len(lines) == 4


@with_hooks
def test_hooks_that_are_added_twice_stand_once(adapter: Adapter) -> None:
    assert adapter.hooks is not None
    once = adapter.hooks.add(None, adapter.name, COMMAND)
    moved = adapter.hooks.add(once, adapter.name, Command(program="/new/mission", environment={"MISSION_HOME": "/a b"}))

    assert adapter.hooks.add(once, adapter.name, COMMAND) == once
    lines = adapter.hooks.commands(moved, adapter.name)
    assert len(lines) == len(adapter.hooks.commands(once, adapter.name))
    assert all(line.startswith("env 'MISSION_HOME=/a b' /new/mission hook") for line in lines)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "cursor"])
def test_hooks_of_others_stay_where_they_are(client: str) -> None:
    hooks = ADAPTERS[client].hooks
    assert hooks is not None
    first = json.loads(hooks.add(None, client, COMMAND))["hooks"]
    event = next(iter(first))
    theirs = {"version": 1, "hooks": {event: [{"hooks": [{"type": "command", "command": "say mission hook"}]}]}}
    text = json.dumps(theirs, indent=4)

    added = hooks.add(text, client, COMMAND)

    assert json.loads(added)["hooks"][event] == [*theirs["hooks"][event], *first[event]]  # type: ignore[index]
    assert hooks.remove(added, client) == text


def test_our_hook_is_found_in_a_group_that_it_shares() -> None:
    hooks = ADAPTERS["claude-code"].hooks
    assert hooks is not None
    other = {"type": "command", "command": "lint"}
    ours = {"type": "command", "command": "/x/mission hook claude-code Stop"}
    text = json.dumps({"hooks": {"Stop": [{"matcher": "", "hooks": [ours, other]}]}})

    assert json.loads(hooks.remove(text, "claude-code") or "") == {
        "hooks": {"Stop": [{"matcher": "", "hooks": [other]}]}
    }


@pytest.mark.parametrize("client", ["opencode", "copilot-cli"])
def test_a_file_of_our_own_is_removed_only_when_it_is_ours(client: str) -> None:
    hooks = ADAPTERS[client].hooks
    assert hooks is not None

    assert hooks.remove(hooks.add(None, client, COMMAND), client) is None
    assert hooks.remove('{"hooks": {}} // mine', client) == '{"hooks": {}} // mine'


def test_what_runs_mission_control_is_recognised() -> None:
    assert is_mission(["/a/mission", "mcp"], verb="mcp")
    assert is_mission(["/usr/bin/python3", "-m", "mission", "mcp", "--toolsets", "all"], verb="mcp")
    assert not is_mission(["/a/submission", "mcp"], verb="mcp")
    assert not is_mission(["npx", "mission-mcp"], verb="mcp")
    assert not is_mission(["mission"], verb="mcp")
    assert not is_mission([], verb="mcp")
    assert is_hook_line("env MISSION_HOME=/x '/a b/mission' hook codex Stop", "codex")
    assert not is_hook_line("/a/mission hook codex Stop", "claude-code")
    assert not is_hook_line("echo 'unclosed", "codex")


def test_looking_up_a_path_that_is_not_there_gives_nothing() -> None:
    assert look_up({"a": [1]}, ("a", 0)) == 1
    assert look_up({"a": [1]}, ("a", 1)) is None
    assert look_up({"a": [1]}, ("b", "c")) is None
