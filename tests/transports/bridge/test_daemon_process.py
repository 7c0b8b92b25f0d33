"""Finding, starting and replacing the daemon, with real processes."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mission import __version__
from mission.settings import Settings, load
from mission.transports.bridge import daemon_process
from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable, ToolFailed

STANDIN = Path(__file__).parents[1] / "fake_daemon.py"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A MISSION_HOME in which `mission up` starts the stand-in; what was started is ended afterwards."""
    home = tmp_path / "home"
    (home / "mission").mkdir(parents=True)
    (home / "mission" / "__init__.py").write_text(f"__version__ = {__version__!r}\n")
    (home / "mission" / "__main__.py").write_text(STANDIN.read_text())
    monkeypatch.setenv("MISSION_HOME", str(home))
    monkeypatch.setenv("MISSION_PORT", "0")
    monkeypatch.delenv("MISSION_TOKEN", raising=False)
    yield home
    end_daemons(home)


@pytest.fixture
def settings(home: Path) -> Settings:
    return load()


def end_daemons(home: Path) -> None:
    for pid in started(home):
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            continue
    for child in daemon_process._children:
        child.kill()  # perhaps it has not come to writing its pid
        child.wait(60)
    daemon_process._children.clear()


def started(home: Path) -> list[int]:
    path = home / "starts"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def behave(home: Path, **behaviour: Any) -> None:
    (home / "standin.json").write_text(json.dumps(behaviour))


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def describe(home: Path, **values: Any) -> None:
    found = {"url": "http://127.0.0.1:1", "token": "t", "pid": os.getpid(), "version": __version__, **values}
    (home / "daemon.json").write_text(json.dumps(found))


def test_without_a_daemon_none_is_found(settings: Settings) -> None:
    assert daemon_process.find(settings) is None


def test_a_daemon_is_started_found_again_and_stopped(settings: Settings, home: Path) -> None:
    said: list[str] = []

    first = daemon_process.ensure(settings, report=said.append)
    second = daemon_process.ensure(settings, report=said.append)

    assert started(home) == [first.pid] == [second.pid]
    assert said == ["starting Mission Control"]
    daemon_process.stop(settings, first)
    assert daemon_process.find(settings) is None


def test_a_daemon_that_we_start_has_its_own_session_directory_and_private_log(settings: Settings, home: Path) -> None:
    daemon = daemon_process.ensure(settings, options=["--port", "0"])

    seen = json.loads((home / "environment.json").read_text())
    assert os.getsid(daemon.pid) == daemon.pid
    assert seen["directory"] == str(home)
    assert seen["arguments"] == ["up", "--port", "0"]
    assert stat.S_IMODE(settings.log_path.stat().st_mode) == 0o600


def test_a_daemon_that_we_start_sees_only_the_allowed_environment(
    settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "GIT_DIR", "MISSION_TOKEN", "PYTHONPATH", "LANGUAGE", "CLAUDE_PROJECT_DIR"):
        monkeypatch.setenv(name, "secret")
    for name in ("LC_TIME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "MISSION_LOG_LEVEL", "TZ"):
        monkeypatch.setenv(name, "info")

    daemon_process.ensure(settings)

    seen = json.loads((home / "environment.json").read_text())["environment"]
    assert "secret" not in seen.values()
    assert {"PATH", "HOME", "LC_TIME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "MISSION_LOG_LEVEL", "TZ"} <= seen.keys()
    assert seen["MISSION_HOME"] == str(home)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"url": 5, "token": "t", "pid": 1, "version": "1"}', "\udcff"])
def test_an_unreadable_description_counts_as_none(settings: Settings, home: Path, content: str) -> None:
    (home / "daemon.json").write_text(content, errors="surrogateescape")

    assert daemon_process.find(settings) is None


def test_a_description_of_a_dead_daemon_counts_as_none_and_is_replaced(settings: Settings, home: Path) -> None:
    first = daemon_process.ensure(settings)
    os.kill(first.pid, 9)
    until(lambda: not daemon_process._is_held(str(home / "daemon.lock")))

    assert (home / "daemon.json").exists()
    assert daemon_process.find(settings) is None
    assert daemon_process.ensure(settings).pid != first.pid


def test_a_description_that_names_another_pid_than_the_one_who_answers_counts_as_none(
    settings: Settings, home: Path
) -> None:
    daemon = daemon_process.ensure(settings)
    describe(home, url=daemon.url, pid=os.getpid())

    assert daemon_process.find(settings) is None


def test_a_stranger_who_accepts_and_says_nothing_counts_as_none(
    settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_process.health, "__kwdefaults__", {"timeout": 0.05})
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        describe(home, url=f"http://127.0.0.1:{stranger.getsockname()[1]}")

        assert daemon_process.find(settings) is None


def test_a_taken_port_is_named(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        settings = load({**os.environ, "MISSION_PORT": str(port)})
        behave(home, die="address already in use")

        with pytest.raises(DaemonUnavailable, match=f"another program listens on 127.0.0.1:{port}") as refused:
            daemon_process.ensure(settings)

    assert "MISSION_PORT" in refused.value.hint


def test_a_daemon_that_dies_while_starting_leaves_its_last_words_in_the_error(settings: Settings, home: Path) -> None:
    settings.log_path.write_text("words of an earlier daemon\n")
    behave(home, die="the database is newer than this program")

    with pytest.raises(DaemonUnavailable) as refused:
        daemon_process.ensure(settings)

    assert "the database is newer than this program" in refused.value.message
    assert "earlier" not in refused.value.message
    assert str(settings.log_path) in refused.value.hint


def test_of_a_traceback_only_the_last_line_is_shown(settings: Settings, home: Path) -> None:
    (home / "mission" / "__main__.py").write_text("raise RuntimeError('out of luck')\n")

    with pytest.raises(DaemonUnavailable) as refused:
        daemon_process.ensure(settings)

    assert refused.value.message.splitlines()[1:] == ["RuntimeError: out of luck"]


def test_a_daemon_that_does_not_answer_in_time_is_reported(settings: Settings, home: Path) -> None:
    behave(home, start_seconds=60)

    with pytest.raises(DaemonUnavailable, match="no daemon answered in time"):
        daemon_process.ensure(settings, timeout=0.5)


def test_a_home_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = load({**os.environ, "MISSION_HOME": str(tmp_path / "file" / "home")})

    with pytest.raises(DaemonUnavailable, match="Cannot write to") as refused:
        daemon_process.ensure(settings)

    assert "MISSION_HOME" in refused.value.hint


def test_many_who_start_a_daemon_at_once_get_the_same_one(settings: Settings, home: Path) -> None:
    behave(home, start_seconds=0.2)
    found: list[Daemon] = []
    threads = [threading.Thread(target=lambda: found.append(daemon_process.ensure(settings))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert [daemon.pid for daemon in found] == started(home) * 6


def test_a_daemon_that_another_process_is_starting_is_waited_for(settings: Settings, home: Path) -> None:
    behave(home, start_seconds=0.3)
    other = subprocess.Popen([sys.executable, "-m", "mission"], cwd=home)
    until(lambda: started(home))

    assert daemon_process.ensure(settings).pid == other.pid
    assert started(home) == [other.pid]
    other.kill()
    other.wait(60)


def test_an_older_daemon_without_executions_is_replaced(settings: Settings, home: Path) -> None:
    behave(home, version="0.0.9")
    old = daemon_process.ensure(settings)
    behave(home)
    said: list[str] = []

    new = daemon_process.ensure(settings, report=said.append)

    assert started(home) == [old.pid, new.pid]
    assert new.version == __version__
    assert said == [f"replacing the daemon 0.0.9 with {__version__}", "starting Mission Control"]


@pytest.mark.parametrize(
    ("version", "executions", "word"),
    [
        ("0.0.9", 2, "has running executions"),
        ("0.0.9", None, "does not report its executions"),
        ("99.0.0", 0, "using it anyway"),
        ("x", 0, "using it anyway"),
    ],
)
def test_a_daemon_that_is_newer_or_busy_stays(
    settings: Settings, home: Path, version: str, executions: int | None, word: str
) -> None:
    behave(home, version=version, executions=executions)
    first = daemon_process.ensure(settings)
    said: list[str] = []

    assert daemon_process.ensure(settings, report=said.append).pid == first.pid
    assert len(said) == 1
    assert word in said[0]


@pytest.mark.parametrize(
    ("newer", "older"), [("0.2.0", "0.1.9"), ("0.10.0", "0.9.9"), ("1.0", "0.9.1"), ("1.0.1rc1", "1.0.0")]
)
def test_versions_are_compared_by_their_numbers(newer: str, older: str) -> None:
    assert daemon_process._is_newer(newer, than=older)
    assert not daemon_process._is_newer(older, than=newer)
    assert not daemon_process._is_newer(older, than=older)


def test_a_tool_is_called_over_the_rest_door(settings: Settings) -> None:
    daemon = daemon_process.ensure(settings)

    result = daemon_process.call_tool(daemon, "task_get", {"task_id": "t_ö"}, headers={"Idempotency-Key": "k1"})

    assert result == {"path": "/api/tools/task_get", "sent": {"task_id": "t_ö"}, "key": "k1"}


def test_a_tool_that_refuses_gives_its_error_object(settings: Settings) -> None:
    daemon = daemon_process.ensure(settings)

    with pytest.raises(ToolFailed) as refused:
        daemon_process.call_tool(daemon, "refuse", {})

    assert refused.value.status == 400
    assert refused.value.error == {
        "code": "INVALID_INPUT",
        "message": "no",
        "hint": "try yes",
        "details": {"field": "x"},
    }


def test_a_tool_call_to_a_daemon_that_is_gone_says_so() -> None:
    gone = Daemon(url="http://127.0.0.1:1", token="t", pid=1, version="0.1.0")

    with pytest.raises(DaemonUnavailable, match="did not answer task_get"):
        daemon_process.call_tool(gone, "task_get", {})


def test_the_token_is_not_shown_in_a_description() -> None:
    assert "hush" not in repr(Daemon(url="http://127.0.0.1:1", token="hush", pid=1, version="0.1.0"))


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"MISSION_HOME": ""},
        {"MISSION_HOME": "/x/y"},
        {"MISSION_HOME": "~/m"},
        {"MISSION_HOME": "a/../b"},
        {"MISSION_HOME": "/x/"},
        {"XDG_DATA_HOME": ""},
        {"XDG_DATA_HOME": "/data"},
        {"XDG_DATA_HOME": "relative"},
    ],
)
def test_the_home_is_the_one_that_the_settings_find(environment: dict[str, str]) -> None:
    assert Path(daemon_process.home_directory(environment)) == load(environment).home
