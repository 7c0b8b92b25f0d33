"""Tasks: who may take, write to and end one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.actions import Action
from mission.domain.errors import IllegalMove, InvalidState, NotOwner
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import COMPLETABLE, DONE, STALLED, TaskStatus
from mission.domain.tasks.task import Quality
from tests.domain.samples import NOW, SHOWN, after, task
from tests.fault_cases import examples

STATUSES = st.sampled_from(TaskStatus)
ACTORS = st.sampled_from([None, "a_1", "a_2"])
LEASES = st.sampled_from([None, after(minutes=-1), NOW, after(minutes=1)])
TASKS = st.builds(
    lambda status, owner, lease, fence: task(status=status, owner_id=owner, lease_until=lease, fence=fence),
    STATUSES,
    ACTORS,
    LEASES,
    st.integers(0, 3),
)


def refused(check, *arguments, **named):
    try:
        check(*arguments, **named)
    except (NotOwner, InvalidState) as error:
        return error
    return None


@given(TASKS)
def test_a_task_is_free_without_a_lease_and_abandoned_only_after_it(one):
    if one.lease_until is None:
        assert one.claimable(now=NOW) is (one.status in {TaskStatus.PENDING, TaskStatus.FAILED})
    else:
        assert one.claimable(now=NOW) is (one.lease_until < NOW and one.status not in DONE)


@given(TASKS, ACTORS, st.none() | st.integers(0, 3))
def test_a_caller_writes_to_its_own_task_under_the_present_fence(one, actor, fence):
    error = refused(one.check_owner, actor, fence)

    right_fence = fence in (None, one.fence)
    right_owner = actor is None or one.owner_id in (None, actor)
    assert (error is None) == (right_fence and right_owner)
    if error is not None:
        assert error.details == {"task_id": "t_1", "owner_id": one.owner_id, "fence": one.fence}


@given(TASKS, ACTORS, st.none() | st.integers(0, 3))
def test_a_task_may_be_taken_by_whoever_may_write_to_it_or_when_it_is_free(one, actor, fence):
    may_write = refused(one.check_owner, actor, fence) is None
    free = fence is None and one.claimable(now=NOW)
    failed = one.status is TaskStatus.FAILED and one.lease_until is None

    assert (refused(one.check_startable, actor, fence, now=NOW) is None) == (may_write or free or failed)


@given(TASKS, st.booleans())
def test_a_worker_writes_to_its_own_task_or_to_one_that_the_call_gives_it(one, takes):
    error = refused(one.check_worker, "a_1", claims=takes, now=NOW)

    assert (error is None) == (one.owner_id == "a_1" or (takes and one.claimable(now=NOW)))
    assert error is None or error.hint


@given(TASKS)
def test_handing_a_task_on_gives_it_a_new_owner_and_a_higher_fence(one):
    if one.status in DONE:
        return

    handed = one.handed_to("a_9", at=NOW, until=after(minutes=15))

    assert (handed.owner_id, handed.fence, handed.claimed_at) == ("a_9", one.fence + 1, NOW)
    assert handed.lease_until == after(minutes=15)
    stays = one.status in STALLED or one.status is TaskStatus.PENDING
    assert handed.status is (one.status if stays else TaskStatus.PENDING)
    assert refused(one.check_owner, "a_9", handed.fence) is not None
    assert refused(handed.check_owner, "a_9", handed.fence) is None


@given(TASKS)
def test_a_task_given_back_has_no_owner_and_can_be_claimed_unless_it_is_in_review(one):
    if one.status in DONE:
        return

    back = one.released(at=NOW)

    assert (back.owner_id, back.lease_until, back.claimed_at, back.fence) == (None, None, None, one.fence)
    assert back.claimable(now=NOW) is (one.status is not TaskStatus.REVIEW)


def test_a_skipped_task_keeps_neither_owner_nor_snapshots():
    skipped = task(owner_id="a_1", lease_until=NOW, snapshots={"/r": {}}).skipped(at=NOW)

    assert (skipped.status, skipped.owner_id, skipped.lease_until) == (TaskStatus.SKIPPED, None, None)
    assert (skipped.snapshots, skipped.completed_at) == (None, NOW)


@settings(max_examples=examples(60))
@given(st.lists(STATUSES, max_size=20))
def test_attempts_count_starts_and_not_the_end_of_a_pause(wanted):
    current, starts = task(), 0
    for status in wanted:
        before = current.status
        try:
            current = current.move_to(status, at=NOW)
        except IllegalMove:
            continue
        starts += status is TaskStatus.IN_PROGRESS and before is not TaskStatus.PAUSED

    assert current.attempts == starts


def test_a_hold_lasts_only_as_long_as_the_pause():
    paused = task(status=TaskStatus.PAUSED, hold=Hold(HoldKind.BLOCKED))

    assert paused.is_blocked
    assert paused.move_to(TaskStatus.IN_PROGRESS, at=NOW).hold is None
    assert not paused.move_to(TaskStatus.PENDING, at=NOW).is_blocked


@given(STATUSES, st.integers(0, 2))
def test_a_task_waits_only_before_it_has_started(status, waiting_for):
    one = task(status=status, waiting_for=waiting_for)

    assert one.waits is one.is_blocked is (status is TaskStatus.PENDING and waiting_for > 0)


@pytest.mark.parametrize("status", list(TaskStatus))
@pytest.mark.parametrize("hold", [None, Hold(HoldKind.INPUT)])
def test_a_task_is_completed_while_somebody_works_on_it_or_holds_it(status, hold):
    error = refused(task(status=status, hold=hold).check_completable)

    allowed = status in COMPLETABLE or (status is TaskStatus.PAUSED and hold is not None)
    assert (error is None) == allowed
    if error is not None:
        assert error.details == {"current": str(status), "legal": ["in_progress", "review"]}
        assert (error.action is Action.START_TASK) == (status not in DONE)


def test_a_paused_task_ends_only_when_its_owner_paused_it():
    held = task(status=TaskStatus.PAUSED, hold=Hold(HoldKind.INPUT))
    stopped = task(status=TaskStatus.PAUSED)

    assert refused(held.check_can_end, TaskStatus.COMPLETED) is None
    assert isinstance(refused(stopped.check_can_end, TaskStatus.COMPLETED), IllegalMove)
    assert refused(stopped.check_can_end, TaskStatus.FAILED) is None


@given(STATUSES, st.sets(STATUSES, min_size=1))
def test_a_task_in_another_state_is_told_which_states_would_do(status, states):
    error = refused(task(status=status).check_one_of, states, "planned")

    assert (error is None) == (status in states)
    if error is not None:
        assert error.details["legal"] == [str(each) for each in TaskStatus if each in states]


def test_a_task_that_starts_again_forgets_the_report_of_its_end():
    ended = task(
        quality=Quality.PARTIAL, outcome={"summary": "s"}, metadata={"a": 1}, changes={}, completion={}, error="e"
    )

    fresh = ended.restarted()

    assert (fresh.quality, fresh.outcome, fresh.metadata) == (None, None, None)
    assert (fresh.changes, fresh.completion, fresh.error) == (None, None, None)


@pytest.mark.parametrize(
    ("status", "quality", "bucket"),
    [
        ("pending", None, "pending"),
        ("planning", None, "pending"),
        ("paused", None, "in_progress"),
        ("review", None, "in_progress"),
        ("completed", None, "success"),
        ("completed", "partial", "partial"),
        ("failed", "partial", "failed"),
        ("skipped", None, "skipped"),
    ],
)
def test_a_task_is_counted_under_one_heading(status, quality, bucket):
    assert task(status=TaskStatus(status), quality=quality and Quality(quality)).count_bucket == bucket


def test_the_snapshot_is_that_of_the_tree_the_task_works_in():
    snapshots = {"/a": {"id": 1}, "/b": {"id": 2}}

    assert task(tree="/b", snapshots=snapshots).snapshot == {"id": 2}
    assert task(tree="/c", snapshots=snapshots).snapshot is None
    assert task(snapshots=snapshots).snapshot is None


def test_a_record_counts_the_changed_files_and_leaves_out_long_texts():
    changes = {"added": ["a", "b"], "modified": [], "deleted": ["c"], "renamed": [], "commits": []}
    shown = task(changes=changes, plan={"steps": ["long"]}, owner_id="a_1", started_at=NOW).record()

    assert shown["files_changed"] == {"added": 2, "modified": 0, "deleted": 1}
    assert "plan" not in shown
    assert (shown["assigned_agent_id"], shown["started_at"], shown["completed_at"]) == ("a_1", SHOWN, None)
    assert task().record()["files_changed"] is None


def test_a_duration_is_known_once_the_task_has_ended():
    assert task(started_at=NOW).duration_seconds is None
    assert task(started_at=NOW, completed_at=after(seconds=90)).duration_seconds == 90
