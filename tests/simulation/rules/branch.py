"""The integration branch holds exactly what was merged, once and in order; the user's own branch is the user's."""

from __future__ import annotations

import re
from collections import Counter

from mission.domain.tasks.states import TaskStatus
from tests.simulation.rules.facts import Facts

MAX_PASSED_OVER = 3
TRAILER = re.compile(r"^Mission-Task: (\S+)$", re.MULTILINE)


def no_merge_happens_twice(facts: Facts) -> None:
    """Neither by the rows nor by the commits of the branch."""
    rows = Counter(each.task_id for each in facts.merged)
    texts = (facts.machine.repository.commits[each].text for each in facts.chain)
    commits = Counter(task for text in texts for task in TRAILER.findall(text))
    for merged in (rows, commits):
        assert not [task for task, times in merged.items() if times > 1], f"merged twice: {merged}"


def the_branch_holds_exactly_the_merged_tasks(facts: Facts) -> None:
    run, repository = facts.run, facts.machine.repository
    landed = (run.landing or {}).get("state") == "landed"
    assert run.branch in repository.branches or landed or run.branch in repository.deleted, "the branch is gone"
    chain = facts.chain
    caught_up = {each for each in chain if repository.commits[each].subject.startswith("Merge main into")}
    foreign = {str(each["commit"]) for each in run.foreign_commits}
    ours = {each.merge_commit for each in facts.merged}
    unknown = set(chain) - ours - foreign - caught_up - _unseen(facts)
    assert not unknown, f"the branch has commits of nobody: {unknown}"
    missing = ours - set(chain)
    assert not missing, f"the branch lacks merged work: {missing}"
    for each in facts.merged:
        task = facts.tasks[each.task_id]
        assert task.status in (TaskStatus.COMPLETED, TaskStatus.SKIPPED), f"{task.name} is merged and {task.status}"
    ended = run.ended_at or facts.tx.now  # what is reported after a run was stopped is completed like any other task
    done = [each for each in facts.tasks.values() if each.completed_at is not None and each.completed_at < ended]
    done = [each for each in done if each.status is TaskStatus.COMPLETED]
    assert {task.id for task in done} <= {each.task_id for each in facts.merged}, "a task is completed and not merged"


def no_candidate_waits_while_an_older_one_was_passed_over_four_times(facts: Facts) -> None:
    worst = max((each.passed_over for each in facts.candidates), default=0)
    assert worst <= MAX_PASSED_OVER, f"a candidate was passed over {worst} times"


def no_task_has_two_live_executions(facts: Facts) -> None:
    live = Counter(each.task_id for each in facts.tx.executions.live(host_id=facts.run.host_id))
    assert not [task for task, number in live.items() if number > 1], f"two live executions: {live}"


def the_users_own_branch_moves_only_when_the_run_lands(facts: Facts) -> None:
    repository = facts.machine.repository
    landed = (facts.run.landing or {}).get("state") in ("landed", "asked")
    assert landed or repository.branches["main"] == facts.main, "the user's branch was moved"
    here = repository.worktrees[repository.top]
    assert here.files == repository.files_of(repository.branches["main"]), "the user's files were changed"


def _unseen(facts: Facts) -> set[str]:
    """Return commits of a person that came after the run last looked at its branch."""
    repository = facts.machine.repository
    return {id for id, commit in repository.commits.items() if commit.text.endswith("by a person")}
