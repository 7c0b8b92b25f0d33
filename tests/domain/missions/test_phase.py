"""Phases: when a task may start in one, and which phase is the current one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidState
from mission.domain.missions.phase import Phase, PhaseCounts, PhaseStatus, current_phase
from tests.domain.samples import NOW, SHOWN, after


def phase(number=1, status=PhaseStatus.PENDING, **fields):
    return Phase(
        id=f"p_{number}", mission_id="m_1", number=number, name="Build", created_at=NOW, status=status, **fields
    )


def test_the_first_task_starts_its_phase_and_the_next_one_leaves_it_as_it_is():
    begun = phase().start(at=NOW, open_phases=[1])

    assert (begun.status, begun.started_at) == (PhaseStatus.IN_PROGRESS, NOW)
    assert begun.start(at=after(hours=1), open_phases=[1]) is begun


@pytest.mark.parametrize("status", [PhaseStatus.COMPLETED, PhaseStatus.FAILED])
@pytest.mark.parametrize(("open_phases", "named"), [([2, 3], "2, 3"), ([], "2")])
def test_a_closed_phase_takes_no_task_and_names_a_phase_that_would(status, open_phases, named):
    with pytest.raises(InvalidState) as refused:
        phase(status=status).start(at=NOW, open_phases=open_phases)

    assert refused.value.details == {"current": str(status), "open_phases": open_phases}
    assert named in refused.value.hint


@pytest.mark.parametrize("status", list(PhaseStatus))
def test_a_phase_is_closed_once_it_has_an_end(status):
    assert phase(status=status).closed is (status in {PhaseStatus.COMPLETED, PhaseStatus.FAILED})


def test_a_phase_that_is_closed_without_having_started_has_an_end_and_no_start():
    closed = phase().move_to(PhaseStatus.COMPLETED, at=NOW)

    assert (closed.started_at, closed.completed_at) == (None, NOW)


@given(st.builds(PhaseCounts, **dict.fromkeys(PhaseCounts.__dataclass_fields__, st.integers(0, 9))))
def test_every_task_of_a_tally_is_open_completed_failed_or_skipped(tally):
    assert tally.total == tally.open + tally.completed + tally.failed + tally.skipped


@given(st.lists(st.sampled_from(PhaseStatus), max_size=6), st.integers(1, 8))
def test_the_current_phase_is_never_past_the_expected_number_unless_one_runs_there(statuses, total):
    phases = [phase(number, status) for number, status in enumerate(statuses, start=1)]
    running = [each.number for each in phases if each.status is PhaseStatus.IN_PROGRESS]

    current = current_phase(phases, total=total)

    assert current == min(running) if running else 1 <= current <= total


def test_a_record_shows_plain_values():
    assert phase(description="All of it").record() == {
        "id": "p_1",
        "mission_id": "m_1",
        "number": 1,
        "name": "Build",
        "description": "All of it",
        "is_parallel": False,
        "status": "pending",
        "created_at": SHOWN,
        "started_at": None,
        "completed_at": None,
    }
