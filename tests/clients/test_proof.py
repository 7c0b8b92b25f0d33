"""A real client that reports broken work as done is caught: its model reads what failed, fixes it, and is believed.

`make test-clients` installs the clients and runs these.
"""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.launching.prompt import CHECKS_FAILED
from tests.clients.room import NEEDS_CLIENTS, Room, until
from tests.clients.scripted_model import Say, Step, Use

pytestmark = NEEDS_CLIENTS

Json = dict[str, Any]

CHECK = "sh check.sh"
SCRIPT = """for shelf in shelves/*; do
    sort -c "$shelf" || { echo "$shelf is not sorted"; exit 1; }
done
"""
NEW = "shelves/fruit"
BROKEN, FIXED = "pear\napple\n", "apple\npear\n"
COMPLAINT = f"{NEW} is not sorted"


def written_by_claude(path: Path, text: str, *, is_known: bool) -> Sequence[Step]:
    """Return how its model writes a file: it must have read one that it did not write itself."""
    reading = [] if is_known else [Use("Read", {"file_path": str(path)})]
    return [*reading, Use("Write", {"file_path": str(path), "content": text})]


def written_by_codex(path: Path, text: str, *, is_known: bool) -> Sequence[Step]:
    return [Use("exec_command", {"cmd": f"printf '{text.encode('unicode_escape').decode()}' > {path}"})]


@dataclass(frozen=True)
class Client:
    """A client, and how its model changes a file."""

    adapter: str
    written: Callable[..., Sequence[Step]]
    arguments: Sequence[str] = ()


CLIENTS = [
    Client("claude-code", written_by_claude),
    # The sandbox of this client needs more of a kernel than every machine that runs tests has.
    Client("codex", written_by_codex, ["-c", 'sandbox_mode="danger-full-access"']),
]


@dataclass
class Shop:
    """A repository with a check that passes on the start tree, and a task in it."""

    room: Room
    repository: Path
    start: str
    """The id of the tree at the start."""
    task: str

    def launch(self, client: Client) -> Json:
        return self.room.launch(client.adapter, task=self.task, arguments=list(client.arguments))

    def now(self) -> Json:
        return self.room.live.call("task_get", {"id": self.task})

    def executions(self) -> list[Json]:
        """The executions of the task, oldest first."""
        found: list[Json] = self.room.live.call("execution_list", {"task_id": self.task})["executions"]
        return found[::-1]

    def evidence(self) -> list[Json]:
        """The evidence of the task over REST, oldest first."""
        answer = self.room.live.get(f"/api/evidence?task_id={self.task}")
        assert answer.status == 200, answer.body
        rows: list[Json] = answer.json["evidence"]
        return rows[::-1]

    def tree(self) -> str:
        return tree_of(self.repository)

    def assert_proved(self, *, lie: str) -> None:
        """The task is completed and proved on exactly the tree that is there, and the lie is on record."""
        task, rows = self.now(), self.evidence()
        assert [(row["role"], row["state"], row["exit_code"]) for row in rows] == [
            ("result", "failed", 1),
            ("start", "passed", 0),
            ("result", "passed", 0),
        ]
        assert {(row["name"], row["check"]["run"], row["reused_from"]) for row in rows} == {(CHECK, CHECK, None)}
        assert [row["tree"] for row in rows] == [lie, self.start, self.tree()]
        assert (task["status"], task["state"], task["files_changed"]["added"]) == ("completed", "proved", [NEW])
        assert (self.repository / NEW).read_text() == FIXED
        evidence = task["evidence"]
        assert (evidence["state"], evidence["tree"], evidence["flags"]) == ("proved", self.tree(), [])
        assert [(each["name"], each["state"], each["evidence_id"]) for each in evidence["checks"]] == [
            (CHECK, "passed", rows[-1]["id"])
        ]
        output = self.room.live.get(f"/api/evidence/{rows[0]['id']}/output")
        assert COMPLAINT in output.body.decode()

    def explained(self) -> str:
        """What the clients showed, for the reader of a failure."""
        return "\n".join(self.room.transcript(each["id"]) for each in self.executions())


def tree_of(repository: Path) -> str:
    """The id of the tree that is there, as git itself names it."""
    apart = {**os.environ, "GIT_INDEX_FILE": str(repository.parent / "index")}
    git(repository, "add", "--all", env=apart)
    return git(repository, "write-tree", env=apart).strip()


def git(repository: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@t")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=repository, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def shop(room: Room, tmp_path: Path) -> Shop:
    repository = tmp_path / "shop"
    (repository / "shelves").mkdir(parents=True)
    (repository / "shelves" / "bread").write_text("rye\nwheat\n")
    (repository / "check.sh").write_text(SCRIPT)
    (repository / "README.md").write_text(f"{uuid.uuid4()}\n")  # evidence about the same tree would be used again
    for command in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "start"]):
        git(repository, *command)
    task = room.task(repository=repository, checks=[CHECK])
    return Shop(room=room, repository=repository, start=tree_of(repository), task=task)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda each: each.adapter)
def test_a_client_that_completes_broken_work_reads_what_failed_and_completes_what_it_fixed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, client: Client
):
    report = Use("complete_task", {"task_id": shop.task, "status": "success", "outcome": {"summary": "all sorted"}})
    broken, fixed = (client.written(shop.repository / NEW, text, is_known=True) for text in (BROKEN, FIXED))
    steps = [*broken, report, *fixed, report, Say(lambda _: "That was it.")]
    lies: list[tuple[str, Json]] = []

    def next_step(turns: int, body: Json) -> Step:
        if turns == len(broken) + 1:
            lies.append((newest_in(body), {**shop.now(), "tree": shop.tree()}))
        return steps[min(turns, len(steps) - 1)]

    monkeypatch.setattr(shop.room.model, "step", next_step)
    execution = shop.launch(client)
    ended = shop.room.ended(execution["id"])

    assert ended["status"] == "completed", (ended["reason"], shop.explained())
    [(answer, lie)] = lies
    assert "CHECKS_FAILED" in answer
    assert COMPLAINT in answer
    assert "call complete_task again" in answer
    assert (lie["status"], lie["assigned_agent_id"], lie["outcome"]) == ("in_progress", execution["agent_id"], None)
    assert lie["evidence"]["state"] == "failing"
    assert len(shop.executions()) == 1
    shop.assert_proved(lie=lie["tree"])


@pytest.mark.parametrize("client", CLIENTS, ids=lambda each: each.adapter)
def test_a_client_that_ends_with_a_false_claim_is_started_again_with_what_failed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, client: Client
):
    claim = {"eventId": "c1", "summary": "all sorted"}
    broken = [*client.written(shop.repository / NEW, BROKEN, is_known=True), Use("completed_claim", claim)]
    fixed = [*client.written(shop.repository / NEW, FIXED, is_known=False), Use("completed_claim", claim)]
    prompts: dict[str, Json] = {}

    def next_step(turns: int, body: Json) -> Step:
        """By the prompt: each execution is a new conversation."""
        seen = json.dumps(body, ensure_ascii=False)
        was_refused = CHECKS_FAILED in seen
        if was_refused and turns == 0:
            prompts.setdefault(seen, {**shop.now(), "tree": shop.tree()})
        steps = fixed if was_refused else broken
        return steps[turns] if turns < len(steps) else Say(lambda _: "That was it.")

    monkeypatch.setattr(shop.room.model, "step", next_step)
    first = shop.launch(client)
    try:
        until(lambda: shop.now()["status"] == "completed")
    except AssertionError:
        pytest.fail(shop.explained())

    [(prompt, lie)] = prompts.items()
    told = prompt[prompt.index(CHECKS_FAILED) :].partition("completed_claim")[0]
    assert COMPLAINT in told
    assert f"Check '{CHECK}' failed with exit code 1." in told
    assert (lie["status"], lie["evidence"]["state"]) == ("in_progress", "failing")
    again = shop.executions()
    assert [(each["id"], each["resumes"]) for each in again] == [(first["id"], None), (again[-1]["id"], first["id"])]
    assert [(each["status"], each["agent_id"]) for each in again] == [("completed", first["agent_id"])] * 2
    assert shop.now()["outcome"] == "all sorted"
    shop.assert_proved(lie=lie["tree"])
    assert not [item for item in shop.room.live.call("queue_list")["items"] if item["task_id"] == shop.task]


def newest_in(body: Json) -> str:
    """What the model was told last: the prompt, or the answer of a tool."""
    return json.dumps((body.get("messages") or body["input"])[-1], ensure_ascii=False)
