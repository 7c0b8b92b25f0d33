"""What must be true at the end of a case, no matter what was killed: nothing half-done, nothing proved by accident."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from mission.store.open_database import new_backend
from tests.kill_points.scene import KILLED_GIT, Json, Scene, until

SETTLE_SECONDS = 30.0
OPEN_CANDIDATES = {"reported", "queued", "built", "checked"}


def check(scene: Scene, outcome: Json) -> None:
    """Check the end of a case, once everything that was under way has ended."""
    _settle(scene)
    until(lambda: not _open_rows(Rows(scene)), seconds=SETTLE_SECONDS, otherwise=lambda: str(_open_rows(Rows(scene))))
    rows = Rows(scene)
    for wanted in ("proved", "unproved", "accepted"):
        for task in outcome.get(wanted, ()):
            _check_task(rows, task, wanted)
    for task in rows.of("tasks"):
        if task["proof_state"] == "proved":
            _check_proof(rows, task)
    _check_whole(scene, rows)
    _check_repository(scene)
    if "run" in outcome:
        _check_run(scene, rows, outcome)


class Rows:
    """The rows of the database itself."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._tables: dict[str, list[Json]] = {}

    def of(self, table: str) -> list[Json]:
        """Return all rows of a table; its JSON columns are decoded."""
        if table not in self._tables:
            with closing(new_backend(self._scene.settings, role="a test")) as backend:
                connection = backend.connect()
                found = connection.exec_driver_sql(f"SELECT * FROM {table}").mappings().all()
                self._tables[table] = [{key: _decoded(value) for key, value in row.items()} for row in found]
                connection.close()
        return self._tables[table]

    def find(self, table: str, id: str) -> Json:
        return next(row for row in self.of(table) if row["id"] == id)


def _decoded(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _settle(scene: Scene) -> None:
    """Wait until no process of the home runs and the daemon has cleaned up."""
    scene.daemon()
    try:
        until(lambda: not _leftovers(scene) and not scene.processes(), seconds=SETTLE_SECONDS)
    except TimeoutError:
        shown = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in scene.processes()]
        raise AssertionError(f"left: {shown} {_leftovers(scene)}\n{scene.log()}") from None


def _leftovers(scene: Scene) -> list[str]:
    """Return rebuilt start trees, plans of programs and locks that nobody needs any more."""
    trees = scene.settings.snapshots_path / "start-trees"
    found = [str(each) for each in trees.iterdir() if not each.name.startswith(".")] if trees.is_dir() else []
    plans = [str(each) for folder in ("checks", "executions") for each in (scene.home / folder).glob("*/plan.json")]
    return [*found, *plans, *(str(each) for each in (scene.repository / ".git").rglob("*.lock"))]


def _check_task(rows: Rows, task_id: str, wanted: str) -> None:
    task = rows.find("tasks", task_id)
    assert (task["status"], task["proof_state"]) == ("completed", wanted), task
    states = [each["data"] for each in rows.of("events") if each["type"] == "task:updated"]
    ended = [each for each in states if each.get("id") == task_id and each.get("status") == "completed"]
    assert ended, "nobody was told that it was completed"


def _check_proof(rows: Rows, task: Json) -> None:
    """Every required check has passed on exactly the tree of the proof, in the round that decided."""
    proof = task["proof"]
    round = rows.find("check_rounds", proof["round_id"])
    assert (round["state"], round["tree"]) == ("passed", proof["tree"]), round
    for each in proof["checks"]:
        row = rows.find("evidence", each["evidence_id"])
        if each["required"]:
            assert (row["state"], row["tree"], row["round_id"]) == ("passed", proof["tree"], round["id"]), row
            while row["reused_from"] is not None:
                row = rows.find("evidence", row["reused_from"])
            assert (row["state"], row["tree"]) == ("passed", proof["tree"]), row
            assert row["exit_code"] in {0, None}, row


def _open_rows(rows: Rows) -> list[str]:
    """Return the rows of what is still under way."""
    live = {"starting", "running", "waiting"}
    asked = [row["subject"] for row in rows.of("queue_items") if row["state"] == "open"]
    return [
        *(row["id"] for row in rows.of("check_rounds") if row["state"] == "open"),
        *(row["id"] for row in rows.of("evidence") if row["state"] in {"queued", "running"}),
        *(row["id"] for row in rows.of("executions") if row["status"] in live),
        *(subject for subject in asked if KILLED_GIT not in subject),  # a person is told of it
    ]


def _check_whole(scene: Scene, rows: Rows) -> None:
    """The database is whole, and its log has no gap."""
    numbers = sorted(row["seq"] for row in rows.of("events"))
    assert numbers == list(range(1, len(numbers) + 1))
    if not scene.settings.database_url:
        with closing(new_backend(scene.settings, role="a test")) as backend:
            connection = backend.connect()
            assert connection.exec_driver_sql("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.close()


def _check_repository(scene: Scene) -> None:
    """The repository of the person has its branch and its index, and no objects that do not fit."""
    assert scene.git("fsck", "--no-dangling", "--no-progress") == ""
    assert scene.git("stash", "list") == ""
    assert scene.git("diff", "--cached", "--name-only") == ""


def _check_run(scene: Scene, rows: Rows, outcome: Json) -> None:
    """The branch holds exactly the merged tasks, each once, and nothing of the run is left over."""
    run = rows.find("runs", outcome["run"])
    names = {task["id"]: task["name"] for task in rows.of("tasks")}
    merged = [each for each in rows.of("candidates") if each["state"] == "merged"]
    assert sorted(names[each["task_id"]] for each in merged) == sorted(outcome["merged"])
    assert [each for each in rows.of("candidates") if each["state"] in OPEN_CANDIDATES] == []
    format = "--format=%(trailers:key=Mission-Task,valueonly)"
    trailers = scene.git("log", "--first-parent", format, f"{run['base_commit']}..{run['tip']}")
    found = sorted(names[each] for each in trailers.split())
    assert found == sorted(outcome["merged"]), found
    for each in merged:
        round = rows.find("check_rounds", each["round_id"])
        tree = scene.git("rev-parse", f"{each['merge_commit']}^{{tree}}")
        assert (round["state"], round["tree"]) == ("passed", tree), (round, tree)
    if outcome["landed"]:
        assert scene.git("rev-parse", "main") == run["landing"]["commit"]
        if outcome.get("squashed"):
            assert scene.git("log", "--format=%s", "--first-parent", "main").splitlines()[1:] == ["theirs", "first"]
        assert scene.git("rev-parse", "main^{tree}") == scene.git("rev-parse", f"{run['tip']}^{{tree}}")
        assert scene.git("status", "--porcelain") == ""
        assert [line for line in scene.git("branch", "--format=%(refname:short)").splitlines() if line != "main"] == []
        assert len(scene.git("worktree", "list").splitlines()) == 1
    else:
        assert scene.git("rev-parse", "main") == outcome["base"]
