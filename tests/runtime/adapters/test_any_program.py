"""Any program: its task lies in a file that a variable names."""

from __future__ import annotations

from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.any_program import LAUNCH
from tests.runtime.adapters.client_output import prepared


def test_the_command_line_stays_the_operators_and_the_prompt_is_a_file():
    start = prepared(LAUNCH, arguments=["--fast"])

    assert start.argv == ["/bin/agent", "--fast"]
    assert start.files == {"prompt.md": "--PROMPT"}
    assert start.environment == {"MISSION_PROMPT_FILE": "/private/prompt.md"}


def test_it_prints_markers_unless_asked_otherwise_and_cannot_be_resumed():
    assert LAUNCH.capabilities.preferred is Delivery.STDOUT_MARKER
    assert Delivery.MCP_TOOL in LAUNCH.capabilities.supported
    assert not LAUNCH.resumes
    assert LAUNCH.environment({"PATH": "/bin", "OPENAI_API_KEY": "k", "LC_TIME": "C"}) == {
        "PATH": "/bin",
        "LC_TIME": "C",
    }
