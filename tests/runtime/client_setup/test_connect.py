"""Connecting a client and disconnecting it: what was there before is there again."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, InvalidState
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, discover
from mission.runtime.client_setup import connect
from mission.runtime.config_files.file_changes import Backups
from mission.settings import Settings, default_home
from tests.fault_cases import examples

ADAPTERS = discover()
COMMAND = Command(program="/opt/bin/mission")

adapters = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
scopes = pytest.mark.parametrize("scope", list(ConfigScope))


@pytest.fixture
def place(tmp_path: Path) -> ConfigLocation:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    return ConfigLocation(home=tmp_path / "home", project=tmp_path / "project", environment={}, platform="linux")


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    return Backups(tmp_path / "mission" / "backups" / "clients")


def connect_client(
    adapter: Adapter, place: ConfigLocation, scope: ConfigScope, backups: Backups, *, hooks: bool = True
) -> None:
    hooks = hooks and adapter.hooks is not None
    changes = connect.plan(adapter, place, scope, COMMAND, toolsets="", hooks=hooks)
    connect.apply(adapter, changes, backups)


def disconnect_client(adapter: Adapter, place: ConfigLocation, scope: ConfigScope, backups: Backups) -> None:
    connect.apply_removal(connect.plan_removal(adapter, place, scope, backups), backups)


def tree(place: ConfigLocation) -> dict[str, bytes | None]:
    """Everything under home and project: files with their bytes, folders with None."""
    found: dict[str, bytes | None] = {}
    for root in (place.home, place.project):
        for folder, folders, files in os.walk(root):
            found |= {str(Path(folder, name)): None for name in folders}
            found |= {str(Path(folder, name)): Path(folder, name).read_bytes() for name in files}
    return found


@adapters
@scopes
def test_a_client_is_connected_with_hooks_and_nothing_stays_when_it_is_disconnected(
    adapter: Adapter, scope: ConfigScope, place: ConfigLocation, backups: Backups
) -> None:
    connect_client(adapter, place, scope, backups)

    found = connect.get_connection(adapter, place, scope)
    assert list(found.argv) == ["/opt/bin/mission", "mcp"]
    assert bool(found.hooks) == (adapter.hooks is not None)
    assert connect.plan(adapter, place, scope, COMMAND, toolsets="", hooks=adapter.hooks is not None) == []

    disconnect_client(adapter, place, scope, backups)

    assert tree(place) == {}
    assert list(backups.folder.iterdir()) == []


@adapters
@scopes
def test_odd_but_valid_files_come_back_byte_for_byte(
    adapter: Adapter, scope: ConfigScope, place: ConfigLocation, backups: Backups
) -> None:
    odd = "[mcp_servers]\n\n\n" if adapter.name == "codex" else f'{{ "{adapter.servers.table}" : {{ }}\t}}'
    file = adapter.servers.files(place, scope)[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(odd)
    before = tree(place)

    connect_client(adapter, place, scope, backups, hooks=False)
    connect_client(adapter, place, scope, backups, hooks=True)
    disconnect_client(adapter, place, scope, backups)

    assert tree(place) == before


@adapters
def test_what_the_user_added_since_stays(adapter: Adapter, place: ConfigLocation, backups: Backups) -> None:
    connect_client(adapter, place, ConfigScope.USER, backups)
    servers = adapter.servers
    file = servers.files(place, ConfigScope.USER)[0]
    file.write_text(servers.editor.set_value(file.read_text(), (servers.table, "other"), {"command": "x"}))

    disconnect_client(adapter, place, ConfigScope.USER, backups)

    assert servers.editor.parse(file.read_text()) == {servers.table: {"other": {"command": "x"}}}


@adapters
def test_a_removal_without_what_was_kept_takes_out_ours_only(
    adapter: Adapter, place: ConfigLocation, backups: Backups, tmp_path: Path
) -> None:
    servers = adapter.servers
    file = servers.files(place, ConfigScope.USER)[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(servers.editor.set_value("", (servers.table, "other"), {"command": "x"}))
    before = tree(place)

    connect_client(adapter, place, ConfigScope.USER, backups)
    disconnect_client(adapter, place, ConfigScope.USER, Backups(tmp_path / "nothing kept"))

    after = tree(place)
    assert after[str(file)] == before[str(file)]


_names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)
_values = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=8,
)
_tables = st.dictionaries(_names.filter(lambda name: name not in {"mission", "hooks", "version"}), _values, max_size=4)


@adapters
@hypothesis_settings(
    max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(document=_tables, servers=_tables, indent=st.sampled_from([None, 2, "\t"]), keep=st.booleans())
def test_any_configuration_gains_our_entry_and_comes_back(
    adapter: Adapter,
    place: ConfigLocation,
    backups: Backups,
    document: dict[str, Any],
    servers: dict[str, Any],
    indent: Any,
    keep: bool,
) -> None:
    table = adapter.servers.table
    if servers:
        document = {**document, table: servers}
    is_toml = adapter.name == "codex"
    text = tomlkit.dumps(document) if is_toml else json.dumps(document, indent=indent)
    load = tomllib.loads if is_toml else json.loads
    file = adapter.servers.files(place, ConfigScope.USER)[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)

    connect_client(adapter, place, ConfigScope.USER, backups)

    after = load(file.read_text())
    after.pop("hooks", None)
    assert after.get(table, {}).pop("mission")
    assert {table: {}, **after} == {table: {}, **document}

    disconnect_client(adapter, place, ConfigScope.USER, backups if keep else Backups(place.home / "none"))

    assert load(file.read_text()) == document
    if keep:
        assert file.read_text() == text


@adapters
def test_a_broken_file_is_named_with_its_line_and_left_alone(adapter: Adapter, place: ConfigLocation) -> None:
    file = adapter.servers.files(place, ConfigScope.USER)[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a = 1\nb = \n" if adapter.name == "codex" else '{\n  "a": ,\n}')

    with pytest.raises(InvalidState, match="line 2") as refused:
        connect.plan(adapter, place, ConfigScope.USER, COMMAND, toolsets="", hooks=False)

    assert str(file) in refused.value.message


def test_the_file_that_opencode_has_is_used_whatever_its_ending(place: ConfigLocation, backups: Backups) -> None:
    adapter = ADAPTERS["opencode"]
    file = place.home / ".config" / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{\n  // mine\n  "$schema": "x",\n}\n')

    connect_client(adapter, place, ConfigScope.USER, backups, hooks=False)

    assert connect.get_connection(adapter, place, ConfigScope.USER).file == file
    assert not file.with_suffix(".json").exists()
    assert "// mine" in file.read_text()


def test_hooks_that_are_there_follow_the_command_without_being_asked_for(
    place: ConfigLocation, backups: Backups
) -> None:
    adapter = ADAPTERS["claude-code"]
    connect_client(adapter, place, ConfigScope.USER, backups)

    changes = connect.plan(adapter, place, ConfigScope.USER, Command(program="/new/mission"), toolsets="", hooks=False)

    assert [change.path.name for change in changes] == [".claude.json", "settings.json"]


def test_a_client_without_hooks_says_so(place: ConfigLocation) -> None:
    with pytest.raises(InvalidInput, match="not available for Visual Studio Code"):
        connect.plan(ADAPTERS["vscode"], place, ConfigScope.USER, COMMAND, toolsets="", hooks=True)


def test_taking_back_leaves_the_files_and_what_was_kept_as_before(place: ConfigLocation, backups: Backups) -> None:
    adapter = ADAPTERS["claude-code"]
    connect_client(adapter, place, ConfigScope.USER, backups, hooks=False)
    before = tree(place)

    changes = connect.plan(adapter, place, ConfigScope.USER, Command(program="/new/mission"), toolsets="", hooks=True)
    made = connect.apply(adapter, changes, backups)
    connect.take_back(adapter, changes, made, backups)

    assert tree(place) == before
    disconnect_client(adapter, place, ConfigScope.USER, backups)
    assert tree(place) == {}


def test_a_file_of_which_no_copy_can_be_kept_is_left_alone(place: ConfigLocation, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InvalidState, match="Could not save a backup of"):
        connect_client(ADAPTERS["codex"], place, ConfigScope.USER, Backups(tmp_path / "file" / "clients"))

    assert tree(place) == {}


def test_the_command_is_absolute_and_carries_an_unusual_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "mission"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    usual = connect.mission_command(Settings(home=default_home({})), invoked="mission")
    unusual = connect.mission_command(Settings(home=tmp_path / "data"), invoked=str(program))

    assert usual == Command(program=str(program))
    assert unusual == Command(program=str(program), environment={"MISSION_HOME": str(tmp_path / "data")})


def test_without_an_installed_program_the_interpreter_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))

    command = connect.mission_command(Settings(home=default_home({})), invoked="/x/pytest")

    assert command == Command(program=str(tmp_path / "python"), arguments=("-m", "mission"))


def test_the_version_of_an_installed_client_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho 'warning 1' >&2\necho codex-cli 0.166.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    assert connect.find_program(ADAPTERS["codex"]) == connect.Installed(path=str(program), version="0.166.0")
    assert connect.find_program(ADAPTERS["cursor"]) is None
