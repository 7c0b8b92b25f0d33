"""Which checks may run at the same time, and in which order."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.evidence import EvidenceState
from mission.domain.checks.schedule import conflict, startable
from tests.domain.checks.rounds import NOW, a_row, defined

QUEUED, RUNNING = EvidenceState.QUEUED, EvidenceState.RUNNING


def queued(**fields):
    check = {name: fields.pop(name) for name in ("parallel", "uses") if name in fields}
    return a_row(defined({"run": "make", **check}), QUEUED, **fields)


def chosen(waiting, running=(), *, last=None, limit=4):
    return [each.id for each in startable(waiting, running, last_started=last or {}, limit=limit)]


def test_one_check_at_a_time_in_one_repository():
    first, second = queued(), queued()

    assert chosen([first, second]) == [first.id]
    assert chosen([second], [first]) == []


def test_parallel_checks_and_other_repositories_run_together():
    one, two, other = queued(parallel=True), queued(parallel=True), queued(repository="r_other")

    assert chosen([one, two, other]) == [one.id, two.id, other.id]


def test_checks_that_share_a_use_never_overlap_even_in_other_repositories():
    one = queued(parallel=True, uses=["database"])
    other = queued(parallel=True, uses=["database"], repository="r_other")

    assert chosen([one, other]) == [one.id]


def test_the_mission_that_waited_longest_comes_first():
    busy, quiet = queued(mission_id="m_busy"), queued(mission_id="m_quiet")

    assert chosen([busy, quiet], last={"m_busy": NOW, "m_quiet": NOW - timedelta(hours=1)}) == [quiet.id]


def test_a_check_that_waits_is_not_overtaken_in_what_it_needs():
    running = queued(parallel=True)
    alone, later = queued(), queued(parallel=True)

    assert chosen([alone, later], [running]) == []


def test_no_more_than_the_limit_run():
    rows = [queued(parallel=True) for _ in range(9)]

    assert len(chosen(rows, limit=4)) == 4


_checks = st.builds(
    lambda parallel, uses, repository, mission: queued(
        parallel=parallel, uses=sorted(uses), repository=repository, mission_id=mission
    ),
    st.booleans(),
    st.sets(st.sampled_from(["database", "port", "gpu"])),
    st.sampled_from(["r_1", "r_2"]),
    st.sampled_from(["m_1", "m_2", "m_3"]),
)


@given(st.lists(_checks, max_size=8), st.lists(_checks, max_size=3), st.integers(1, 4))
def test_nothing_started_conflicts_and_something_starts_if_nothing_runs(waiting, running, limit):
    started = startable(waiting, running, last_started={}, limit=limit)

    together = [*running, *started]
    assert not any(conflict(one, other) for one in started for other in together if one is not other)
    if waiting and not running:
        assert started
