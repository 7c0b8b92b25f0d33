"""What is settled before a launch touches anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import launches
from mission.runtime.launching.client_choice import choose, described
from mission.services.launcher import LaunchRequest

LAUNCHES = launches()


@pytest.fixture
def programs(tmp_path):
    """A folder with a program for every client; what to see as the environment."""
    for launch in LAUNCHES.values():
        (tmp_path / (launch.program or "own")).write_text("#!/bin/sh\n")
        (tmp_path / (launch.program or "own")).chmod(0o755)
    return {"PATH": str(tmp_path), "OPENAI_API_KEY": "k", "AWS_SECRET": "s", "LD_PRELOAD": "x"}


def order(adapter="codex", **fields):
    return LaunchRequest(task_id="t_1", adapter=adapter, **fields)


def test_an_unknown_client_is_refused_with_those_there_are():
    with pytest.raises(InvalidInput) as raised:
        choose(LAUNCHES, order("x" * 500), {})

    assert "codex" in raised.value.hint
    assert len(raised.value.message) < 100


@pytest.mark.parametrize("adapter", sorted(LAUNCHES))
@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("delivery", [None, *Delivery])
def test_a_delivery_is_the_one_asked_for_or_refused_and_never_another(programs, adapter, interactive, delivery):
    launch = LAUNCHES[adapter]
    wanted = order(adapter, delivery=delivery, interactive=interactive, arguments=["own"])
    chosen = delivery or launch.capabilities.preferred
    unreadable = interactive and launch.read is not None and chosen is Delivery.STDOUT_MARKER
    possible = chosen in launch.capabilities.supported and (launch.interactive or not interactive) and not unreadable

    if possible:
        assert choose(LAUNCHES, wanted, programs).delivery is chosen
    else:
        with pytest.raises(InvalidInput) as raised:
            choose(LAUNCHES, wanted, programs)
        assert raised.value.details["field"] in {"delivery", "interactive"}


def test_a_client_sees_its_own_variables_and_the_program_is_found_on_the_path_it_will_see(programs, tmp_path):
    choice = choose(LAUNCHES, order(arguments=["--fast"]), programs)

    assert choice.program == str(tmp_path / "codex")
    assert choice.arguments == ["--fast"]
    assert choice.environment == {"PATH": str(tmp_path), "OPENAI_API_KEY": "k"}
    assert choice.speaks_mcp


def test_a_client_that_is_not_installed_says_how_to_see_what_is(tmp_path):
    with pytest.raises(InvalidState) as raised:
        choose(LAUNCHES, order(), {"PATH": str(tmp_path)})

    assert "mission adapters" in raised.value.hint


def test_any_program_must_be_named_and_its_path_counts_from_the_folder_of_the_launch(programs, tmp_path):
    with pytest.raises(InvalidInput, match="requires a program"):
        choose(LAUNCHES, order("command"), programs)

    found = choose(LAUNCHES, order("command", arguments=["./own", "-x"], directory=str(tmp_path)), programs)
    assert (found.program, found.arguments) == (f"{tmp_path}/own", ["-x"])
    assert not found.speaks_mcp

    with pytest.raises(InvalidState, match="does not exist or is not executable"):
        choose(LAUNCHES, order("command", arguments=["./own"], directory="/nowhere"), programs)


def test_a_program_of_ones_own_speaks_mcp_only_when_told_to(programs):
    told = order("command", arguments=["own"], delivery=Delivery.MCP_TOOL)

    assert choose(LAUNCHES, told, programs).speaks_mcp


@given(name=st.text(min_size=1, max_size=300).filter(lambda text: "\0" not in text))
def test_no_name_of_a_program_breaks_the_choice(name):
    with pytest.raises((InvalidInput, InvalidState)):
        choose(LAUNCHES, order("command", arguments=[f"nowhere-{name}"]), {"PATH": "/nowhere"})


def test_a_client_describes_whether_it_is_installed(monkeypatch, tmp_path):
    (tmp_path / "codex").write_text("#!/bin/sh\necho codex-cli 1.2.3\n")
    (tmp_path / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    codex, own, missing = (described(LAUNCHES[name]) for name in ("codex", "command", "pi"))

    assert (codex["installed"], codex["version"], codex["path"]) == (True, "1.2.3", str(tmp_path / "codex"))
    assert (own["installed"], own["version"], own["resumes"]) == (True, None, False)
    assert (missing["installed"], missing["path"]) == (False, None)
