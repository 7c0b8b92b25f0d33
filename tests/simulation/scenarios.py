"""The missions that are simulated: what each is like follows from its seed."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.simulation.agents import KINDS
from tests.simulation.exams import REPAIR, SOUND
from tests.simulation.mission import Scenario
from tests.simulation.ports.machine import Nature

SIZES = {1: 50, 2: 30, 3: 14, 4: 6}


def common(seed: str) -> Scenario:
    """Return a mission as most are: one daemon that never freezes, checks too quick for stacks, and no person meddles.

    What is left out still breaks a rule in about one of two hundred missions; `make simulate` plays it.
    """
    mission = drawn(seed)
    nature = replace(mission.nature, is_slow=False)
    return replace(mission, nature=nature, daemons=1, freezes=0, meddled=False)


def drawn(seed: str) -> Scenario:
    """Return a mission in which anything may happen."""
    rng = random.Random(f"scenario {seed}")
    kinds = {kind: rng.random() ** 3 for kind in KINDS}
    kinds["honest"] += 1
    daemons = rng.choice((1, 1, 1, 1, 1, 2))
    if daemons == 2:
        kinds["hanger"] = 0  # one that is followed by the daemon that does not drive the run is never seen to stall
    return Scenario(
        tasks=rng.choices(list(SIZES), weights=list(SIZES.values()))[0],
        kinds=kinds,
        nature=Nature(
            flaky=rng.choice((0, 0.03)),
            broken=rng.choice((0, 0.03)),
            refused=rng.choice((0, 0.05)),
            unprepared=rng.choice((0, 0, 0.05)),
            is_slow=rng.random() < 0.05,
            is_set_up=rng.random() < 0.3,
        ),
        deaths=rng.choice((0, 1, 2, 4)),
        agents=rng.choice((1, 2)),
        shared=rng.choice((0, 0.5)),
        limits=rng.random() < 0.3,
        uncovered=rng.choice((0, 0.2)),
        budget=rng.choice(({}, {}, {}, {"usd": 1.0}, {"usd": 0.1}, {"launches": 4}, {"minutes": 2.0})),
        options=rng.choice(({}, {}, {"land": True}, {"attempts": 1, "revisions": 1})),
        has_lock=rng.random() < 0.3,
        final=rng.choice(((), (SOUND,), (SOUND, f"exam {REPAIR}"))),
        meddled=rng.random() < 0.3,
        daemons=daemons,
        freezes=rng.choice((0, 0, 0, 0, 1, 2)),
    )


def honest(tasks: int = 2, **more: object) -> Scenario:
    """Return a mission in which everybody does what was asked, and nothing goes wrong."""
    return Scenario(tasks=tasks, kinds={"honest": 1.0}, **more)  # type: ignore[arg-type]


def doubtful() -> Scenario:
    """Return the mission that `make bench-truth` counts in: agents of every kind, and checks that now and then err."""
    kinds = {"honest": 8.0, **{kind: 1.0 for kind in KINDS if kind not in ("honest", "spender", "circler")}}
    nature = Nature(flaky=0.01, broken=0.01, refused=0.01)
    return Scenario(tasks=3, kinds=kinds, nature=nature, deaths=1, shared=0.3, limits=True, uncovered=0.1)
