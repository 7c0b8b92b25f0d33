"""`mission completion`: the scripts of three shells, and what the program answers to them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from mission.transports.cli.main import COMMANDS
from tests.transports.cli.program import Program


def completions(mission: Program, *words: str) -> list[str]:
    """List what the program offers a bash for the last of these words."""
    asked = {"_MISSION_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    said = Program(mission.home, **asked).run()
    return [line.partition(",")[2] for line in said.out.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_is_valid_and_asks_the_program(mission: Program, shell: str) -> None:
    script = mission.run("completion", shell)

    assert (script.code, script.err) == (0, "")
    assert f"_MISSION_COMPLETE={shell}_complete" in script.out
    if shutil.which(shell):  # a shell that is not installed cannot check its syntax
        subprocess.run([shell, "-n"], input=script.out, text=True, check=True, timeout=30)


def test_commands_options_and_choices_are_completed(mission: Program) -> None:
    assert completions(mission, "mission", "co") == ["config", "completion"]
    assert "--live" in completions(mission, "mission", "runs", "--")
    assert completions(mission, "mission", "completion", "f") == ["fish"]
    assert sorted(completions(mission, "mission", "")) == sorted(COMMANDS)


def test_ids_are_completed_with_their_names_while_a_daemon_runs(mission: Program) -> None:
    mission.does("up", "--detach")
    made = mission.call("start_mission", name="Complete me", objective="o")["mission_id"]

    assert completions(mission, "mission", "show", made[:6]) == [made]
    assert made in completions(mission, "mission", "tasks", "")
    assert completions(mission, "mission", "attach", "m_") == []
    asked = {"_MISSION_COMPLETE": "fish_complete", "COMP_WORDS": f"mission show {made[:6]}", "COMP_CWORD": made[:6]}
    assert "Complete me" in Program(mission.home, **asked).run().out


def test_completing_starts_no_daemon_and_shows_no_error(fresh: Program) -> None:
    assert completions(fresh, "mission", "show", "m_") == []
    assert fresh.running() is None


def test_another_shell_is_refused_with_those_there_are(mission: Program) -> None:
    refused = mission.run("completion", "tcsh")

    assert refused.code == 2
    assert "'bash', 'zsh', 'fish'" in refused.err
