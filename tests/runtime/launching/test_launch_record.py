"""What is kept of a launch for the one that resumes it."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import launches
from mission.runtime.launching.client_choice import Choice
from mission.runtime.launching.launch_record import LaunchRecord
from mission.services.launcher import LaunchRequest

LAUNCHES = launches()


def choice(adapter, **environment):
    return Choice(
        launch=LAUNCHES[adapter],
        program="/bin/agent",
        arguments=["--fast"],
        delivery=Delivery.MCP_TOOL,
        environment=environment,
    )


def order(adapter="codex", **fields):
    return LaunchRequest(task_id="t_1", adapter=adapter, **fields)


def test_names_of_the_clients_own_variables_are_kept_and_no_value(tmp_path):
    kept = LaunchRecord.of(order(seconds=5.0), choice("codex", OPENAI_API_KEY="secret", CODEX_HOME="/c", PATH="/bin"))

    assert kept.variables == ["CODEX_HOME", "OPENAI_API_KEY"]
    assert (kept.arguments, kept.seconds) == (["--fast"], 5.0)
    assert "secret" not in kept.as_text()
    (tmp_path / "kept").write_text(kept.as_text())
    assert LaunchRecord.read(tmp_path / "kept") == kept


def test_a_program_of_ones_own_is_kept_by_its_whole_path():
    assert LaunchRecord.of(order("command"), choice("command")).arguments == ["/bin/agent", "--fast"]


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"other": 1}'])
def test_a_record_that_is_missing_or_broken_is_an_empty_one(tmp_path, content):
    if content is not None:
        (tmp_path / "kept").write_text(content)

    assert LaunchRecord.read(tmp_path / "kept") == LaunchRecord()


def test_a_resume_without_a_variable_of_the_launch_is_refused_with_its_name():
    kept = LaunchRecord(variables=["OPENAI_API_KEY", "CODEX_HOME"])

    kept.check({"OPENAI_API_KEY": "k", "CODEX_HOME": "/c"}, order())
    with pytest.raises(InvalidState) as raised:
        kept.check({"CODEX_HOME": "/c"}, order())

    assert raised.value.message.startswith("the variables OPENAI_API_KEY were lost")
    assert "--adapter codex --task t_1" in raised.value.hint
