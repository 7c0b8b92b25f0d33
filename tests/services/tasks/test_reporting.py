"""Reports that must be checked: the hold of the task, and reports that join an open one."""

from __future__ import annotations

from mission.domain.checks.round import Purpose
from mission.services.evidence import definitions, rounds
from mission.services.tasks import completion, reporting
from tests.checked_tasks import checked as checked


def report(tx, *, task_id, words, agent_id=None, **more):
    """Report a task done, in so many words."""
    task = tx.tasks.get(task_id)
    result = completion.reported_done(words).as_dict()
    return reporting.open_checking(
        tx, task=task, checks=definitions.effective(tx, task), report=result, agent_id=agent_id, **more
    )


async def test_a_reported_task_is_held_without_a_lease(checked, make_agent):
    ada = await make_agent("ada")
    await checked.check("true")
    task = await checked.started(agent_id=ada)

    round = await checked.call.app.database.write(report, task_id=task, words="done", agent_id=ada, tree="t")

    held = await checked.row(task)
    assert (str(held.status), held.lease_until, held.owner_id, str(held.proof_state)) == (
        "review",
        None,
        ada,
        "checking",
    )
    assert (held.hold.reason, held.hold.by) == (reporting.RUNNING, ada)
    assert (round.purpose, round.tree, round.fence) == (Purpose.GATE, "t", held.fence)


async def test_a_second_report_joins_and_replaces_the_words(checked):
    await checked.check("true")
    task = await checked.started()
    write = checked.call.app.database.write

    first = await write(report, task_id=task, words="one", tree="t")
    second = await write(report, task_id=task, words="two", tree="other")

    assert (second.id, second.tree) == (first.id, "t")
    (stored,) = await checked.rounds(task)
    assert stored.report["outcome"] == {"summary": "two"}


async def test_advice_is_not_joined_by_a_report(checked):
    await checked.check("true")
    task = await checked.started()

    def advise(tx):
        found = tx.tasks.get(task)
        return rounds.open_round(tx, task=found, checks=definitions.effective(tx, found), purpose=Purpose.ADVICE)

    advice = await checked.call.app.database.write(advise)
    gate = await checked.call.app.database.write(report, task_id=task, words="done", tree="t")

    assert gate.id != advice.id
