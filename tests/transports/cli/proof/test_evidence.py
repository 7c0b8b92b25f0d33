"""`mission evidence`: what checks said, shown, exported, and verified offline."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from tests.transports.cli.program import PATIENCE, PROGRAM, Program
from tests.transports.cli.proof.proof_samples import proved, refused, start, write
from tests.transports.live_server import until


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A private key and its public one."""
    key = Ed25519PrivateKey.generate()
    private, public = tmp_path / "key.pem", tmp_path / "public.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


def test_evidence_is_listed_newest_first_and_filtered(mission: Program, repository: Path) -> None:
    made, task = refused(mission, repository)
    write(repository, "hello again")
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Done."})

    shown = mission.run("evidence", "--task", task)
    listed = mission.does("evidence", "--task", task)
    failed = mission.does("evidence", "list", "--mission", made, "--state", "failed")

    assert (shown.code, shown.out.split()[:4]) == (0, ["ID", "CHECK", "STATE", "TASK"])
    assert [words in shown.out for words in ("Say it", listed["evidence"][0]["id"])] == [True, True]
    assert [(row["state"], row["role"]) for row in listed["evidence"]] == [
        ("passed", "result"),
        ("passed", "start"),
        ("failed", "result"),
    ]
    assert [row["name"] for row in failed["evidence"]] == ["greeting"]
    assert mission.run("evidence", "--task", task, "--state", "lost").out == "No matching evidence.\n"


def test_one_piece_of_evidence_shows_its_output(mission: Program, repository: Path) -> None:
    _, task = refused(mission, repository, checks=[{"name": "long", "run": "seq 3000; grep hello src/app.py"}])
    [row] = mission.does("evidence", "--task", task, "--state", "failed")["evidence"]

    shown = mission.run("evidence", "show", row["id"]).out
    everything = mission.run("evidence", "show", row["id"], "--output").out

    assert shown.startswith(f"long: failed, exit 1\n{row['id']} · Say it ({task})\nseq 3000; grep hello src/app.py\n")
    assert f"Tree: {row['tree']}\n" in shown
    assert "--output)\n" in shown
    assert shown.endswith("\n3000\n")
    assert everything == "".join(f"{number}\n" for number in range(1, 3001))
    assert mission.does("evidence", "show", row["id"])["output"].endswith("3000\n")


def test_reused_evidence_shows_the_output_of_the_check_that_ran(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository)
    write(repository, "hello, you")
    mission.does("checks", "run", task)
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Done."})
    newest = mission.does("evidence", "--task", task)["evidence"][0]

    shown = mission.run("evidence", "show", newest["id"]).out

    assert shown.startswith("greeting: passed, reused\n")
    assert f"Reused from {newest['reused_from']}\n" in shown
    assert mission.run("evidence", "show", newest["id"], "--output").out == "looking\nprint('hello, you')\n"


def test_output_is_followed_while_a_check_runs(mission: Program, repository: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    check = {"name": "slow", "run": f"echo first; read line < {gate}; echo $line"}
    _, task = start(mission, repository, checks=[check])
    write(repository, "hello, you")
    mission.call("task_checks", task_id=task, run=True, wait_seconds=0)
    id = until(lambda: [row["id"] for row in running(mission, task)], PATIENCE)[0]
    following = subprocess.Popen(
        [*PROGRAM, "evidence", "show", id, "--follow"],
        env=mission.environment,
        cwd="/",
        stdout=subprocess.PIPE,
        text=True,
    )
    assert following.stdout is not None
    lines = iter(following.stdout)
    seen = [next(line for line in lines if line == "first\n")]
    threading.Thread(target=gate.write_text, args=("second\n",), daemon=True).start()
    seen += list(lines)

    assert following.wait(PATIENCE) == 0
    assert seen[:2] == ["first\n", "second\n"]
    assert seen[-1].startswith("slow: passed")


def running(mission: Program, task: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = mission.does("evidence", "--task", task, "--state", "running")["evidence"]
    return found


def test_exported_evidence_is_verified_offline(
    mission: Program, repository: Path, tmp_path: Path, keys: tuple[Path, Path]
) -> None:
    made, _ = proved(mission, repository)
    private, public = keys
    file = tmp_path / "evidence.json"

    exported = mission.run("evidence", "export", made, "--sign", str(private), "-o", str(file))
    offline = Program(tmp_path / "no-daemon")
    verified = offline.run("evidence", "verify", str(file), "--key", str(public))

    assert (exported.code, exported.err) == (0, "")
    assert exported.out.startswith(f"{file}: 1 statement, signed with key ")
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith("verified: PASSED for tree ")
    assert verified.out.endswith("\n  passed: greeting\n")
    assert offline.does("evidence", "verify", str(file), "--key", str(public))["verified"] is True
    assert not offline.home.exists()


def test_what_is_unsigned_changed_or_signed_by_another_key_is_not_verified(
    mission: Program, repository: Path, tmp_path: Path, keys: tuple[Path, Path]
) -> None:
    made, _ = proved(mission, repository)
    private, public = keys
    envelope = json.loads(mission.run("evidence", "export", made, "--sign", str(private)).out)
    files = {
        "unsigned": {**envelope, "signatures": []},
        "invalid": {**envelope, "payload": base64.b64encode(b" " + base64.b64decode(envelope["payload"])).decode()},
    }
    states = {}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
        shown = mission.run("evidence", "verify", str(tmp_path / name), "--key", str(public))
        states[name] = (shown.code, shown.out.partition(":")[0])
    (tmp_path / "signed").write_text(json.dumps(envelope))
    without_key = mission.run("evidence", "verify", str(tmp_path / "signed"))

    assert states == {"unsigned": (1, "unsigned"), "invalid": (1, "invalid")}
    assert (without_key.code, without_key.out.partition(":")[0]) == (1, "unverified")


def test_an_accepted_failure_is_exported_as_a_failure(
    mission: Program, repository: Path, tmp_path: Path, keys: tuple[Path, Path]
) -> None:
    made, task = refused(mission, repository)
    mission.does("accept", task, "--reason", "It is a farewell.")
    private, public = keys
    file = tmp_path / "evidence.json"
    mission.does("evidence", "export", made, "--sign", str(private), "-o", str(file))

    verified = mission.run("evidence", "verify", str(file), "--key", str(public))

    assert verified.code == 1
    assert verified.out.startswith("verified: FAILED for tree ")


def test_a_mission_without_evidence_cannot_be_exported(mission: Program, repository: Path) -> None:
    made, task = start(mission, repository, checks=[])
    write(repository, "hello, you")
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Done."})

    assert mission.refuses("evidence", "export", made)["code"] == "INVALID_STATE"


def test_the_commit_that_has_the_tree_is_named(mission: Program, repository: Path, git: Callable[..., str]) -> None:
    made, task = start(mission, repository)
    write(repository, "hello, you")
    git(repository, "commit", "-qam", "greet")
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Done."})

    [envelope] = mission.does("evidence", "export", made)["envelopes"]
    found = mission.call("evidence_export", mission_id=made)

    assert envelope["signatures"] == []
    digests = [subject["digest"] for subject in found["statements"][0]["subject"]]
    assert digests[1] == {"gitCommit": git(repository, "rev-parse", "HEAD")}
