"""Options of `mission run`, as a person types them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mission.domain.errors import InvalidInput
from mission.transports.cli.main import cli
from mission.transports.cli.runs import run_start


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        (["20usd"], {"usd": 20.0}),
        (["$20"], {"usd": 20.0}),
        (["12.50 USD"], {"usd": 12.5}),
        (["90min"], {"minutes": 90.0}),
        (["2h"], {"minutes": 120.0}),
        (["500,000 tokens", "30launches"], {"tokens": 500_000, "launches": 30}),
    ],
)
def test_a_budget_is_an_amount_with_its_unit(words, limits):
    assert run_start._budget(words) == limits


@pytest.mark.parametrize("words", ["", "much", "20", "20 apples", "-3usd", "usd20"])
def test_an_amount_without_a_unit_is_refused(words):
    with pytest.raises(InvalidInput, match="is not an amount"):
        run_start._budget([words])


def test_an_agent_is_a_client_and_a_number(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run_start._agent("codex", None) == {"client": "codex", "count": 1}
    assert run_start._agent("codex=3", None) == {"client": "codex", "count": 3}
    assert run_start._agent("command=2", "./agent.sh --fast 'a b'") == {
        "client": "command",
        "count": 2,
        "command": [f"{tmp_path}/agent.sh", "--fast", "a b"],
    }
    assert run_start._agent("command", "agent")["command"] == ["agent"]


@pytest.mark.parametrize("words", ["codex=", "codex=0", "codex=-1", "codex=two"])
def test_a_number_of_agents_that_makes_no_sense_is_refused(words):
    with pytest.raises(InvalidInput, match="has no valid number"):
        run_start._agent(words, None)


def test_any_program_needs_to_be_named():
    with pytest.raises(InvalidInput, match="needs a program"):
        run_start._agent("command", None)


def test_a_bad_option_is_refused_before_a_daemon_is_started(monkeypatch, tmp_path):
    monkeypatch.setenv("MISSION_HOME", str(tmp_path / "home"))

    refused = CliRunner().invoke(cli, ["run", "m_0123456789", "--budget", "20 apples"])

    assert refused.exit_code == 1
    assert "--budget: '20 apples' is not an amount" in refused.stderr
    assert not (tmp_path / "home").exists()
