"""Rules for what a person's answer means for the agent that asked or failed: notify it, or launch its task again.

The transaction that closes an item decides here and writes a command; the agent's daemon carries it out.
The other half of the rules is in `services/executions/ending.py`: an agent that ends with its answer available.
"""

from __future__ import annotations

import shlex

from mission.domain.errors import InvalidState
from mission.domain.executions.command import CommandKind, NextLaunch
from mission.domain.executions.execution import Mode, OperatorMessageState
from mission.domain.inbox.item import GIVE_TO_ANOTHER, NO_ANSWER, InboxItem, ItemState
from mission.domain.missions.mission import ENDED
from mission.domain.tasks.states import FREE
from mission.services.executions import commands
from mission.services.inbox import open_questions
from mission.services.tasks import candidates
from mission.store.transaction import Tx


def closed(tx: Tx, item: InboxItem) -> None:
    """Notify or resume the agent of a question or blocker that a person has just closed."""
    if not item.holds_task:
        return
    execution = tx.executions.newest_of_task(item.task_id or "")
    if execution is None:
        return
    if not execution.is_live:
        if candidates.run_of(tx, tx.tasks.get(execution.task_id)) is not None:
            return  # in a run only its controller launches; it finds the answer in the rows
        answer = open_questions.answer_for(tx, execution)
        if answer is not None:
            commands.start_again(tx, execution, NextLaunch(answer=answer))
    elif item.id in execution.asked_last:
        answered = item.state is ItemState.ANSWERED
        if execution.mode is Mode.INTERACTIVE:
            words = item.answer if answered else NO_ANSWER
            commands.add(tx, execution, CommandKind.ANSWER, text=words, author=item.closed_by)
        elif not answered:
            commands.add_to_mailbox(tx, execution, NO_ANSWER)


def retry(tx: Tx, item: InboxItem) -> None:
    """Request the launch that the answer to a failure asks for. Raise InvalidState if the task cannot be launched."""
    execution = tx.executions.get(item.execution_id or "")
    task = tx.tasks.get(execution.task_id)
    mission = tx.missions.get(task.mission_id)
    if task.owner_id is not None or task.status not in FREE or mission.status in ENDED:
        state = f"mission {mission.id} is {mission.status}" if mission.status in ENDED else f"it is {task.status}"
        raise InvalidState(
            f"task {task.id} cannot be launched again: {state}", hint="Dismiss the item.", current=str(task.status)
        )
    if item.chosen == GIVE_TO_ANOTHER:
        client, *arguments = words_of(item.answer_text)
        launch = NextLaunch(client=client, arguments=arguments)
    else:
        launch = NextLaunch(hint=item.answer_text or None, answer=_answer_not_used(tx, execution.id))
    commands.start_again(tx, execution, launch)


def _answer_not_used(tx: Tx, execution_id: str) -> str | None:
    """Return the answer of a launch that failed before its program ran: the next launch needs it too."""
    last = tx.commands.newest(execution_id, CommandKind.START_AGAIN)
    return last.next_launch.answer if last is not None and last.state is OperatorMessageState.FAILED else None


def words_of(text: str) -> list[str]:
    """Return the words of a command line; quotes group words, as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
