"""What a shell hands over for agent clients: only what they may see, in a private file that is removed at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mission.transports.cli import daemon_client
from mission.transports.cli.handover import handed_over
from mission.transports.cli.main import cli

PLAN = """\
[mission]
name = "m"
[[agents]]
client = "codex"
[[tasks]]
name = "t"
description = "d"
"""


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("MISSION_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "of codex")
    monkeypatch.setenv("GEMINI_API_KEY", "of gemini")
    monkeypatch.setenv("MY_BANK_PASSWORD", "of nobody")
    return tmp_path / "handover"


def test_clients_see_their_own_variables_and_common_ones_and_nothing_else(shell: Path):
    with handed_over(["codex", "codex", "invented"]) as argument:
        path = shell / argument["handover"]
        given = json.loads(path.read_text())
        assert path.stat().st_mode & 0o077 == 0

    assert given["OPENAI_API_KEY"] == "of codex"
    assert "PATH" in given
    assert not {"GEMINI_API_KEY", "MY_BANK_PASSWORD"} & given.keys()
    assert list(shell.iterdir()) == []


def test_nothing_is_handed_over_for_no_client(shell: Path):
    with handed_over([]) as argument:
        assert argument == {}
    assert not shell.exists()


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["run", "plan.toml"], {"OPENAI_API_KEY"}),
        (["run", "plan.toml", "--agent", "gemini-cli"], {"GEMINI_API_KEY"}),
        (["run", "m_0123456789", "--agent", "gemini-cli", "--agent", "codex"], {"GEMINI_API_KEY", "OPENAI_API_KEY"}),
        (["resume", "run_0123456789"], {"OPENAI_API_KEY"}),
    ],
)
def test_a_run_and_its_resumption_hand_over_what_its_clients_need(
    shell: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], keys: set[str]
):
    given: dict[str, str] = {}
    run = {"run_id": "run_1", "mission_id": "m_1", "state": "running", "branch": "b", "base_commit": "c"}

    def call(tool: str, arguments: dict[str, object], **_: object) -> dict[str, object]:
        if "handover" in arguments:
            given.update(json.loads((shell / str(arguments["handover"])).read_text()))
        return {**run, "questions": [], "agents": [{"client": "codex"}]}

    monkeypatch.setattr(daemon_client, "call", call)
    monkeypatch.chdir(shell.parent)
    Path("plan.toml").write_text(PLAN)

    done = CliRunner().invoke(cli, words)

    assert done.exit_code == 0, done.output
    assert given.keys() & {"OPENAI_API_KEY", "GEMINI_API_KEY"} == keys
