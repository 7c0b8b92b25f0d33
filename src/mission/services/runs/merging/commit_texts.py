"""The texts of a run's commits: the author is the agent, and trailers name the task and the run."""

from __future__ import annotations

from mission.domain.runs.candidate import Candidate
from mission.domain.tasks.task import Task
from mission.git.integration.merge_commit import CommitDetails
from mission.store.transaction import Tx

MAX_SUBJECT = 72
MAX_SUMMARY = 4_000
UNKNOWN = "An agent"


def candidate_details(tx: Tx, candidate: Candidate, task: Task) -> CommitDetails:
    """Return the details of the commit with the agent's work."""
    summary = str((candidate.report.get("outcome") or {}).get("summary") or "")[:MAX_SUMMARY]
    return _details(tx, candidate, task, message=f"{_subject(task.name)}\n\n{summary}".strip())


def merge_details(tx: Tx, candidate: Candidate, task: Task) -> CommitDetails:
    """Return the details of the commit that merges the work; its date is the row's, so that a repeat is the same."""
    return _details(tx, candidate, task, message=_subject(f"Merge '{task.name}'"))


def _details(tx: Tx, candidate: Candidate, task: Task, *, message: str) -> CommitDetails:
    trailers = {"Mission-Task": task.id, "Mission-Run": candidate.run_id, "Mission-Candidate": candidate.id}
    return CommitDetails(
        author=_author(tx, candidate, task), message=message, at=candidate.created_at, trailers=trailers
    )


def _author(tx: Tx, candidate: Candidate, task: Task) -> str:
    if candidate.agent_id is not None:
        return tx.agents.get(candidate.agent_id).name
    return task.agent_name or UNKNOWN


def _subject(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SUBJECT else f"{line[: MAX_SUBJECT - 1]}…"
