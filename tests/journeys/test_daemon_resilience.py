"""What happens to a daemon that is left alone overnight: killed, out of room, without rights, started twice."""

from __future__ import annotations

import ctypes
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable, ToolFailed, call_tool
from tests import fault_cases
from tests.transports.cli.program import PROGRAM, Program, program
from tests.transports.live_server import until

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
CLIENTS = 8


@pytest.fixture
def mission(tmp_path: Path, _sqlite_template: Path) -> Iterator[Program]:
    """The program with a MISSION_HOME of its own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    with program(home) as made:
        yield made
        home.chmod(0o700)


def running(mission: Program) -> Daemon:
    """The daemon, started if need be."""
    mission.does("up", "--detach")
    found = mission.running()
    assert found is not None
    return found


def rows(mission: Program, statement: str) -> list[tuple[object, ...]]:
    """What stands in the file itself."""
    with closing(sqlite3.connect(mission.home / "mission.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute(statement).fetchall()


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=15))
def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_done(mission: Program, seed: str) -> None:
    writes = random.Random(seed).randint(20, 250)
    daemon = running(mission)
    started = call_tool(daemon, "start_mission", {"name": "m", "objective": "o"})["mission_id"]
    acknowledged: dict[str, str] = {}
    enough = threading.Event()

    def work(number: int) -> None:
        """Start tasks and log milestones until the daemon is gone."""
        try:
            for turn in range(10_000):
                task = call_tool(daemon, "start_task", {"mission_id": started, "name": f"{number}.{turn}", "goal": "g"})
                acknowledged[task["task_id"]] = "task"
                for _ in range(3):
                    arguments = {"task_id": task["task_id"], "message": "m" * 400}
                    acknowledged[call_tool(daemon, "log_milestone", arguments)["milestone_id"]] = "milestone"
                if len(acknowledged) > writes:
                    enough.set()
        except DaemonUnavailable:
            enough.set()

    clients = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    assert enough.wait(60)
    os.kill(daemon.pid, signal.SIGKILL)
    for client in clients:
        client.join(20)
    again = running(mission)

    assert again.pid != daemon.pid
    tasks = {str(id) for (id,) in rows(mission, "SELECT id FROM tasks")}
    milestones = {str(id) for (id,) in rows(mission, "SELECT id FROM journal")}
    assert {id for id, kind in acknowledged.items() if kind == "task"} <= tasks
    assert {id for id, kind in acknowledged.items() if kind == "milestone"} <= milestones
    assert len(tasks) + len(milestones) <= len(acknowledged) + CLIENTS, "at most one call of each client was under way"
    told = [
        json.loads(str(data))["id"] for (data,) in rows(mission, "SELECT data FROM events WHERE type LIKE '%:created'")
    ]
    assert sorted(id for id in told if id.startswith(("t_", "mil_"))) == sorted(tasks | milestones)
    numbers = [seq for (seq,) in rows(mission, "SELECT seq FROM events ORDER BY seq")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert rows(mission, "SELECT seq FROM event_counter") == [(len(numbers),)]
    audited = rows(
        mission, "SELECT count(*) FROM audit WHERE tool IN ('start_task', 'log_milestone') AND status = 'ok'"
    )
    assert audited == [(len(tasks) + len(milestones),)]
    context = call_tool(again, "get_context", {"mission_id": started, "include": ["tasks", "milestones"]})
    assert (context["tasks_count"], context["milestones_count"]) == (len(tasks), len(milestones))


@contextmanager
def small_disk(home: Path) -> Iterator[Callable[[], None]]:
    """A file system of 4 MB under the home that is filled to the brim; the result makes room again."""
    template = (home / "mission.db").read_bytes()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(home)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a file system")
    try:
        (home / "mission.db").write_bytes(template)
        ballast = home / "ballast"
        yield ballast.unlink
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as ballast:
        for size in (65536, 512, 1):
            try:
                while True:
                    ballast.write(b"x" * size)
            except OSError:
                continue


def refused(daemon: Daemon, *, size: int) -> ToolFailed | None:
    """The first error of calls that need room."""
    for _ in range(200):
        try:
            call_tool(daemon, "start_mission", {"name": "big", "objective": "o" * size})
        except ToolFailed as failed:
            return failed
    return None


def check_no_room(failed: ToolFailed | None, mission: Program) -> None:
    assert failed is not None
    assert failed.status == 503
    assert failed.error["code"] == "TRANSIENT_ERROR"
    assert "full" in failed.error["message"]
    assert "space" in failed.error["hint"]
    assert str(mission.home) not in json.dumps(failed.error)


def test_a_full_disk_is_a_clear_error_and_the_daemon_goes_on_once_there_is_room(mission: Program) -> None:
    with small_disk(mission.home) as make_room:
        daemon = running(mission)
        first = call_tool(daemon, "start_mission", {"name": "first", "objective": "o"})["mission_id"]
        fill(mission.home / "ballast")

        failed = refused(daemon, size=20_000)
        before = call_tool(daemon, "workflow_list", {"limit": 1})["total"]
        make_room()
        second = call_tool(daemon, "start_mission", {"name": "second", "objective": "o"})["mission_id"]
        after = call_tool(daemon, "workflow_list", {"limit": 200})
        mission.does("down", "--force")

    check_no_room(failed, mission)
    assert after["total"] == before + 1
    assert {first, second} <= {row["id"] for row in after["workflows"]}


def test_a_limit_on_files_is_a_clear_error_and_the_daemon_goes_on_once_it_is_lifted(mission: Program) -> None:
    daemon = running(mission)
    call_tool(daemon, "start_mission", {"name": "first", "objective": "o"})
    none = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (200_000, none[1]))

    failed = refused(daemon, size=20_000)
    before = call_tool(daemon, "workflow_list", {"limit": 1})["total"]
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, none)
    call_tool(daemon, "start_mission", {"name": "second", "objective": "o"})

    check_no_room(failed, mission)
    assert call_tool(daemon, "workflow_list", {"limit": 1})["total"] == before + 1
    assert mission.running() is not None


def give_up_privilege() -> None:
    """Obey the modes of files, also as root."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_a_read_only_database_can_be_read_and_says_why_nothing_is_written(mission: Program) -> None:
    mission.here("start_mission", name="kept", objective="o")
    (mission.home / "mission.db").chmod(0o400)

    listed = mission.does("missions", preexec_fn=give_up_privilege)
    error = mission.refuses("call", "start_mission", '{"name": "x", "objective": "y"}')

    assert listed["total"] == 1
    assert error["code"] == "TRANSIENT_ERROR"
    assert "database" in error["message"]
    assert "mission doctor" in error["hint"]
    (mission.home / "mission.db").chmod(0o600)
    mission.does("down")
    mission.does("up", "--detach")
    mission.call("start_mission", name="after", objective="o")
    assert mission.does("missions")["total"] == 2


@pytest.mark.parametrize("command", ["up", "missions", "token show", "backup"])
def test_a_home_that_cannot_be_read_is_a_clear_error(mission: Program, command: str) -> None:
    mission.home.chmod(0)

    error = mission.refuses(*command.split(), preexec_fn=give_up_privilege)

    assert str(mission.home) in error["message"]


@pytest.mark.parametrize("command", ["up", "missions", "token show", "backup"])
def test_a_home_that_cannot_be_written_is_a_clear_error(mission: Program, command: str) -> None:
    mission.home.chmod(0o500)

    error = mission.refuses(*command.split(), preexec_fn=give_up_privilege)

    assert str(mission.home) in error["message"]
    assert "MISSION_HOME" in error["hint"]


def test_a_home_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    mission = Program(tmp_path / "file")

    for command in (["up"], ["missions"], ["token", "show"]):
        assert "file" in mission.refuses(*command)["message"]


def test_of_daemons_started_at_once_one_runs_and_all_the_others_say_so(mission: Program) -> None:
    starting = [
        subprocess.Popen(
            [*PROGRAM, "up"], env=mission.environment, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    until(lambda: sum(process.poll() is None for process in starting) == 1 and mission.running() is not None, 180)

    found = mission.running()
    assert found is not None
    for process in starting:
        if process.pid != found.pid:
            out, err = process.communicate(timeout=60)
            assert b"runs already" in out or b"already running" in err, (out, err)
    os.kill(found.pid, signal.SIGTERM)
    for process in starting:
        process.communicate(timeout=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another owner")
def test_a_repository_of_another_owner_is_named_and_the_daemon_goes_on(mission: Program, repository: Path) -> None:
    for path in (repository, *repository.rglob("*")):
        os.chown(path, 12345, 12345)
    daemon = running(mission)
    wanted = {"name": "m", "objective": "o", "repository_path": str(repository)}

    def work() -> None:
        started = call_tool(daemon, "start_mission", wanted)["mission_id"]
        call_tool(daemon, "start_task", {"mission_id": started, "name": "t", "goal": "g"})

    with pytest.raises(ToolFailed) as caught:
        work()

    assert caught.value.status < 500
    assert "another user" in json.dumps(caught.value.error)
    assert "safe.directory" in json.dumps(caught.value.error)
    assert call_tool(daemon, "start_mission", {"name": "m", "objective": "o"})["mission_id"]
