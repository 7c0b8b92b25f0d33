"""`mission backup`, `restore`, `token`: what one does to keep things, and to keep them to oneself."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.main import cli
from mission.transports.cli.system.backup import restore
from tests.transports.cli.program import Program


def test_what_was_deleted_comes_back_and_event_numbers_go_on_above(fresh: Program, tmp_path: Path) -> None:
    file = tmp_path / "kept.zip"
    found = fresh.here("start_mission", name="dear", objective="o")["mission_id"]
    fresh.here("complete_mission", mission_id=found, status="failed", summary="s")
    backed_up = fresh.does("backup", str(file))
    fresh.does("delete", found, "--yes")
    running = fresh.running()
    assert running is not None
    for number in range(3):
        daemon.call_tool(running, "start_mission", {"name": f"later {number}", "objective": "o"})

    refused = fresh.refuses("restore", str(file), "--yes")
    still_there = daemon.call_tool(running, "workflow_list", {})["total"]
    fresh.does("down", "--force")
    highest = _newest_event(fresh)
    restored = fresh.does("restore", str(file), "--yes")

    assert refused["code"] == "INVALID_STATE"
    assert "the daemon (process" in refused["message"]
    assert "mission down" in refused["hint"]
    assert still_there == 3
    assert restored["rows"] == backed_up["rows"]
    assert [row["id"] for row in fresh.here("workflow_list")["workflows"]] == [found]
    fresh.here("start_mission", name="new", objective="o")
    assert _newest_event(fresh) > highest


def test_a_backup_without_a_name_lies_in_the_home_and_needs_no_daemon(fresh: Program) -> None:
    made = Path(fresh.does("backup")["file"])

    assert made.parent == fresh.home / "backups"
    assert zipfile.is_zipfile(made)
    assert fresh.running() is None


def test_an_earlier_backup_is_replaced_only_when_asked(fresh: Program, tmp_path: Path) -> None:
    file = tmp_path / "kept.zip"
    file.write_text("the only one")

    refused = fresh.refuses("backup", str(file))
    kept = file.read_text()
    fresh.does("backup", str(file), "--force")

    assert refused["code"] == "INVALID_STATE"
    assert "already exists" in refused["message"]
    assert "--force" in refused["hint"]
    assert kept == "the only one"
    assert zipfile.is_zipfile(file)
    assert fresh.refuses("backup", "/dev/null", "--force")["message"] == "/dev/null is not a regular file"


def test_a_backup_that_cannot_be_written_is_refused(fresh: Program, tmp_path: Path) -> None:
    error = fresh.refuses("backup", str(tmp_path / "no" / "such" / "folder" / "b.zip"))
    shutil.rmtree(fresh.home / "database.lock.holders")
    (fresh.home / "database.lock.holders").touch()
    broken = fresh.refuses("backup")

    assert error["code"] == "INVALID_INPUT"
    assert "b.zip" in error["message"]
    assert broken["code"] == "INVALID_STATE"
    assert broken["message"].endswith("database.lock.holders: File exists")


def test_what_is_no_backup_is_refused_and_everything_stays(fresh: Program, tmp_path: Path) -> None:
    found = fresh.here("start_mission", name="dear", objective="o")["mission_id"]
    good = tmp_path / "good.zip"
    fresh.does("backup", str(good))
    text = tmp_path / "text.zip"
    text.write_text("hello")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    broken = tmp_path / "broken.zip"
    foreign = tmp_path / "foreign.zip"
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(broken, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            archive.writestr(
                name, content[: len(content) // 2] + b"\n{" if name == "tables/missions.jsonl" else content
            )

    errors = [fresh.refuses("restore", str(broken), "--yes")]
    for file in (text, cut, foreign, tmp_path / "none"):
        run = CliRunner().invoke(restore, [str(file), "--yes", "--json"], env=fresh.environment)
        assert (run.exit_code, run.stdout) == (1, "")
        errors.append(json.loads(run.stderr)["error"])

    assert [error["code"] for error in errors] == ["INVALID_INPUT"] * 5
    assert all(error["hint"] for error in errors)
    assert [row["id"] for row in fresh.here("workflow_list")["workflows"]] == [found]


def test_restoring_asks_first(fresh: Program, tmp_path: Path) -> None:
    run = fresh.run("restore", str(tmp_path / "b.zip"))

    assert run.code == 2
    assert "--yes" in run.err


def test_the_token_is_shown_renewed_and_taken_by_a_running_daemon(fresh: Program) -> None:
    made = fresh.does("token", "show")["token"]
    fresh.does("up", "--detach")
    before = daemon.read(fresh.home)

    rotated = fresh.does("token", "rotate")
    after = daemon.read(fresh.home)

    assert len(made) > 30
    assert rotated == {"rotated": True}
    assert before is not None
    assert after is not None
    assert before.token == made != after.token
    assert fresh.does("token", "show")["token"] == after.token
    assert fresh.does("missions")["total"] == 0
    stale = Program(fresh.home, MISSION_TOKEN=made)
    assert stale.refuses("missions")["code"] == "UNAUTHENTICATED"


def test_a_renewed_token_of_a_daemon_that_does_not_end_is_told(fresh: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise daemon.DaemonUnavailable("The daemon still runs.", hint="End it.")

    fresh.does("up", "--detach")
    monkeypatch.setattr(daemon, "stop", refuse)

    told = CliRunner(env=fresh.environment).invoke(cli, ["token", "rotate", "--json"])

    assert told.exit_code != 0
    assert "the running daemon still accepts the old one. The daemon still runs." in told.output


def _newest_event(program: Program) -> int:
    with closing(sqlite3.connect(program.home / "mission.db")) as connection:
        return int(connection.execute("SELECT seq FROM event_counter WHERE id = 1").fetchone()[0])
