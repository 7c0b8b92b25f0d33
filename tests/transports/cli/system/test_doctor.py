"""`mission doctor`: each thing that can be wrong is found and comes with its remedy."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mission import __version__
from mission.app import App
from mission.domain.errors import MissionError
from mission.domain.timestamps import utc_now
from mission.gateway.caller import Caller
from mission.private_files import write_private
from mission.runtime.adapters.config_adapter import Command, ConfigScope, discover
from mission.runtime.client_setup import connect
from mission.runtime.config_files.file_changes import Backups
from mission.services.missions import creation as missions
from mission.settings import Settings, default_home
from mission.store.backends.file_locks import FileLock
from mission.store.migrate import HEAD
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.system import doctor as module
from mission.transports.cli.system.doctor import doctor

Findings = list[dict[str, Any]]
ADAPTERS = discover()


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The only folder on PATH: `mission` and git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    make_program(folder / "mission", "true")
    git = shutil.which("git")
    assert git is not None
    (folder / "git").symlink_to(git)
    return folder


@pytest.fixture
def home(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A healthy MISSION_HOME of its own, with no daemon and a free port."""
    for name in [name for name in os.environ if name.startswith(("MISSION_", "XDG_", "CLAUDE", "CODEX", "COPILOT"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(sys, "argv", [str(programs / "mission")])
    monkeypatch.setattr(module, "LITTLE_SPACE", 0)
    monkeypatch.setattr(module, "TOO_LITTLE_SPACE", 0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("MISSION_PORT", str(free.getsockname()[1]))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    home = default_home({})
    home.mkdir(parents=True, mode=0o700)
    return home


def make_program(file: Path, script: str) -> None:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def examine(*, code: int) -> Findings:
    result = CliRunner().invoke(doctor, ["--json"])
    assert result.exit_code == code, result.output
    answer = json.loads(result.stdout)
    assert answer["ok"] is (code == 0)
    found: Findings = answer["findings"]
    return found


def trouble(*, code: int = 1) -> Findings:
    """Return the warnings and problems; each comes with a fix."""
    found = [finding for finding in examine(code=code) if finding["status"] != "ok"]
    assert all(finding["mend"] for finding in found)
    return found


def test_a_healthy_machine_has_nothing_to_mend(home: Path) -> None:
    findings = examine(code=0)

    assert {finding["status"] for finding in findings} == {"ok"}
    checks = [finding["check"] for finding in findings]
    assert checks == ["python", "program", "settings", "home", "disk", "daemon", "database", "git"]


def test_a_person_sees_each_finding_its_remedy_and_the_sum(home: Path, programs: Path) -> None:
    (programs / "git").unlink()

    result = CliRunner().invoke(doctor, [])

    assert result.exit_code == 1
    assert "✓ python" in result.output
    assert "✗ git" in result.output
    assert "→ Install git 2.31 or newer" in result.output
    assert result.output.splitlines()[-1] == "1 problem"


def test_a_home_that_cannot_be_made_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("MISSION_HOME", str(home / "file" / "home"))

    (found,) = [finding for finding in trouble() if finding["status"] == "problem"]

    assert (found["check"], found["message"].partition(": ")[2]) == ("home", f"{home / 'file'} is not writable")


def test_nothing_is_made_on_a_machine_that_never_ran_mission_control(home: Path) -> None:
    home.rmdir()

    examine(code=0)

    assert not home.exists()


def _old_git(home: Path, programs: Path) -> None:
    (programs / "git").unlink()
    make_program(programs / "git", "echo git version 2.25.1")


def _open_token(home: Path, programs: Path) -> None:
    (home / "token").write_text("secret")
    (home / "token").chmod(0o644)


def _bad_setting(home: Path, programs: Path) -> None:
    (home / "settings.toml").write_text("prot = 1\n")


def _home_is_a_file(home: Path, programs: Path) -> None:
    home.rmdir()
    home.write_text("")


def _not_a_database(home: Path, programs: Path) -> None:
    (home / "mission.db").write_bytes(b"this is no database, though it is long enough to be one" * 40)


def _newer_database(home: Path, programs: Path) -> None:
    _make_database(home / "mission.db", "9999")


def _make_database(file: Path, revision: str) -> None:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
    connection.commit()
    connection.close()


def _broken_client(home: Path, programs: Path) -> None:
    Path.home().joinpath(".claude.json").write_text("{\n\n")


def _program_is_gone(home: Path, programs: Path) -> None:
    _connect("cursor", Command(program="/no/longer/mission"))


def _hook_is_gone(home: Path, programs: Path) -> None:
    _connect("cursor", Command(program=str(programs / "mission")))
    file = Path.home() / ".cursor" / "hooks.json"
    file.write_text(file.read_text().replace(str(programs / "mission"), "/no/longer/mission"))


def _connect(client: str, command: Command) -> None:
    adapter = ADAPTERS[client]
    changes = connect.plan(adapter, connect.here(), ConfigScope.USER, command, toolsets="", hooks=True)
    connect.apply(adapter, changes, Backups(Path.home() / "backups"))


@pytest.mark.parametrize(
    ("break_it", "check", "words"),
    [
        (_old_git, "git", "version 2.25.1 is too old"),
        (_open_token, "home", "accessible to others (mode 0644)"),
        (_bad_setting, "settings", "unknown setting 'prot'"),
        (_home_is_a_file, "home", "is not a folder"),
        (_not_a_database, "database", "damaged or not a database"),
        (_newer_database, "database", "newer version of Mission Control"),
        (_broken_client, "client", ".claude.json, line 3"),
        (_program_is_gone, "client", "/no/longer/mission, which does not exist"),
        (_hook_is_gone, "client", "/no/longer/mission, which does not exist"),
    ],
)
def test_what_is_wrong_is_found(
    break_it: Callable[[Path, Path], None], check: str, words: str, home: Path, programs: Path
) -> None:
    break_it(home, programs)

    found = [finding for finding in trouble() if finding["status"] == "problem"]

    assert [finding["check"] for finding in found][:1] == [check]
    assert words in found[0]["message"]


def test_a_database_of_the_present_revision_is_in_order_and_an_older_one_is_a_warning(
    home: Path, sqlite_settings: Settings
) -> None:
    shutil.copy(sqlite_settings.sqlite_path, home / "mission.db")
    findings = examine(code=0)
    assert findings[6]["message"].endswith(f"revision {HEAD}")
    assert findings[7]["message"] == "no internal errors in the last 24 hours"

    (home / "mission.db").unlink()
    _make_database(home / "mission.db", "0000")
    [found] = trouble(code=0)
    assert (found["check"], found["status"]) == ("database", "warning")


def test_recent_internal_errors_are_reported_with_the_command_that_shows_the_newest(
    home: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret detail")

    async def call(tool: str, *, ago: timedelta = timedelta()) -> str:
        app = App(settings, role="a test", clock=lambda: utc_now() - ago)
        async with app.running(periodic=False):
            with pytest.raises(MissionError) as caught:
                await app.gateway(tool, {"name": "x", "objective": "y"}, Caller(transport="test"))
        return str(caught.value.details.get("incident"))

    monkeypatch.setattr(missions, "create", fail)
    asyncio.run(call("start_mission", ago=timedelta(hours=30)))
    asyncio.run(call("no_such_tool"))
    asyncio.run(call("start_mission"))
    newest = asyncio.run(call("start_mission"))
    if settings.database_url:
        monkeypatch.setenv("MISSION_DATABASE_URL", settings.database_url)
    else:
        shutil.copy(settings.sqlite_path, home / "mission.db")

    [found] = trouble(code=0)

    assert (found["check"], found["status"], found["mend"]) == ("errors", "warning", f"mission audit {newest}")
    assert found["message"] == (
        f"2 internal errors in the last 24 hours; the newest is {newest} (start_mission, just now)"
    )


def test_a_damaged_database_is_found(home: Path) -> None:
    file = home / "mission.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE a (b TEXT PRIMARY KEY)")
    connection.executemany("INSERT INTO a VALUES (?)", [(f"{n:0300}",) for n in range(400)])
    connection.commit()
    connection.close()
    data = bytearray(file.read_bytes())
    data[4096 * 5 : 4096 * 8] = b"\x07" * (4096 * 3)
    file.write_bytes(data)

    [found] = trouble()

    assert "damaged" in found["message"]
    assert "mission restore" in found["mend"]


def test_a_database_server_that_cannot_be_reached_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "MISSION_DATABASE_URL", f"postgresql://ada:secret@127.0.0.1:{os.environ['MISSION_PORT']}/mission"
    )

    [found] = trouble()

    assert "could not connect to PostgreSQL" in found["message"]
    assert "secret" not in json.dumps(found)


def test_a_port_that_another_program_has_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setenv("MISSION_PORT", str(other.getsockname()[1]))
        [found] = trouble()

    assert "another program is listening" in found["message"]


def test_a_daemon_that_runs_is_in_order_and_one_of_another_version_is_a_warning(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = daemon.Daemon(url="http://127.0.0.1:1", token="t", pid=os.getpid(), version=__version__)
    monkeypatch.setattr(daemon, "find", lambda _settings: running)
    monkeypatch.setattr(daemon, "health", lambda _daemon: {"pid": os.getpid()})
    assert "running at http://127.0.0.1:1" in examine(code=0)[5]["message"]

    running.version = "0.0.1"
    [found] = trouble(code=0)
    assert "version 0.0.1" in found["message"]


def test_a_daemon_that_does_not_answer_is_found(home: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        url = f"http://127.0.0.1:{os.environ['MISSION_PORT']}"
        about = {"url": url, "token": "t", "pid": process.pid, "version": __version__}
        (home / "daemon.json").write_text(json.dumps(about))
        (home / "daemon.json").chmod(0o600)
        [found] = trouble()
    finally:
        process.communicate(b"\n")

    assert "does not respond" in found["message"]


def test_a_daemon_that_is_stuck_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon.health, "__kwdefaults__", {"timeout": 0.05})
    lock = FileLock(home / "daemon.lock")
    assert lock.acquire()
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        about = {"url": url, "token": "t", "pid": os.getpid(), "version": __version__}
        write_private(home / "daemon.json", json.dumps(about))
        [found] = trouble()
    lock.close()

    assert f"{url} but does not respond" in found["message"]


def test_a_misspelled_variable_is_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISSION_DATABASE_ULR", "postgresql://db.example/mission")

    (found,) = trouble(code=0)

    assert (found["check"], found["status"]) == ("settings", "warning")
    assert "did you mean MISSION_DATABASE_URL?" in found["message"]


def test_a_program_that_is_not_on_the_path_is_a_warning(home: Path, programs: Path) -> None:
    (programs / "mission").rename(programs / "elsewhere")

    [found] = trouble(code=0)

    assert found["message"] == "'mission' is not on PATH"
    assert found["mend"].startswith("Run it as /")


def test_clients_are_listed_with_what_is_set_up(home: Path, programs: Path) -> None:
    make_program(programs / "codex", "echo codex-cli 0.166.0")
    make_program(programs / "claude", "echo 2.1.0")
    _connect("codex", Command(program=str(programs / "mission")))

    messages = [finding["message"] for finding in examine(code=0) if finding["check"] == "client"]

    assert messages == [
        "Claude Code 2.1.0: not set up ('mission setup claude-code')",
        "Codex 0.166.0, user scope: set up, hooks installed",
    ]


def test_a_client_that_uses_another_home_is_a_warning(home: Path, programs: Path) -> None:
    _connect("codex", Command(program=str(programs / "mission"), environment={"MISSION_HOME": "/other"}))

    [found] = trouble(code=0)

    assert "its agents use /other" in found["message"]
