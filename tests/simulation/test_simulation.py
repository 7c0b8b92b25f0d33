"""Hundreds of missions with agents of every kind and a daemon that dies: no rule is ever broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mission.settings import Settings
from mission.store.open_database import open_backend
from tests import fault_cases
from tests.simulation import scenarios
from tests.simulation.mission import Simulator

ROOT = Path(__file__).parents[2]
MISSIONS = 500
SHARES = 5


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator()


@pytest.mark.parametrize("share", range(SHARES))
def test_no_rule_is_broken_whatever_agents_do_and_whenever_the_daemon_dies(share: int):
    """The seed is printed with each failure; `make simulate` plays more."""
    size = MISSIONS // SHARES
    arguments = ["--common", f"--missions={size}", f"--first={share * size}", f"--seed={fault_cases.SEED}"]
    played = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert played.returncode == 0, f"{played.stdout}\n{played.stderr}"


def test_honest_agents_get_everything_merged_and_nobody_is_asked(simulator: Simulator):
    outcome = simulator.play(scenarios.honest(tasks=4, shared=1.0), seed="1")

    assert (outcome.state, outcome.merged, outcome.wrong, outcome.answers) == ("finished", 4, [], 0)


def test_nothing_waits_for_the_next_regular_look(simulator: Simulator):
    """One agent works for at most 8 seconds, and each of four rounds of checks for at most 10."""
    outcome = simulator.play(scenarios.honest(tasks=1), seed="2")

    assert outcome.minutes * 60 < 8 + 4 * 10


def test_a_mission_is_the_same_each_time_it_is_played(simulator: Simulator):
    scenario = scenarios.drawn("3")
    first, _, second = (simulator.play(scenario, seed=seed) for seed in ("3", "4", "3"))

    def facts(outcome):
        return outcome.state, outcome.minutes, outcome.usd, [each.id for each in outcome.candidates], outcome.answers

    assert facts(first) == facts(second)


def test_liars_are_caught_wherever_a_check_asks_for_the_work(simulator: Simulator):
    for number in range(3):
        scenario = scenarios.Scenario(tasks=2, kinds={"liar": 1.0, "weakener": 1.0})
        outcome = simulator.play(scenario, seed=f"lie-{number}")
        assert [each for each in outcome.wrong if each not in outcome.accepted] == []


@pytest.mark.parametrize("number", range(3))
def test_the_rules_hold_on_postgresql_too(postgres_settings: Settings, number: int):
    backend = open_backend(postgres_settings, role="a simulation")
    seed = f"postgres-{fault_cases.SEED}-{number}"
    try:
        Simulator(backend).play(scenarios.drawn(seed), seed=seed)
    finally:
        backend.close()
