"""What a person can jump to: missions, tasks, agents, runs and executions, found by a few letters of a name or id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.display_status import NEEDS_PERSON, task_word
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.ids import KINDS, PREFIXES
from mission.domain.search_text import DocumentKind, NameMatch, match_name, terms_of, words_of
from mission.services.agents.registration import LivenessSettings
from mission.services.views.now.mission_lines import shown_status
from mission.services.views.overview import agent_lines
from mission.store.transaction import Tx
from mission.store.views.search_index import SearchQuery

KIND_ORDER = ("mission", "task", "agent", "run", "execution")
MAX_MATCHES = 200
"""Matches of the search index that are compared by name."""
MAX_RELATED = 20
"""Missions, tasks and agents whose runs and executions are looked up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JumpTarget:
    """Something with a page of its own, and whether it is waiting for a person."""

    kind: str
    id: str
    name: str
    detail: str | None
    state: str
    needs_you: bool
    at: datetime


def find(tx: Tx, *, query: str, limit: int, liveness: LivenessSettings) -> list[JumpTarget]:
    """Return what fits, best first: by how well the name fits, then what needs a person, then kind and age."""
    ids = _ids(tx, query, limit=limit)
    missions, tasks = _indexed(tx, query, ids)
    agents = _agents(tx, query, ids.get("agent", ()), liveness)
    found = [*missions, *tasks, *agents, *_runs(tx, missions, ids.get("run", ()))]
    found += _executions(tx, tasks, agents, ids.get("execution", ()))
    return sorted(found, key=lambda target: _rank(target, query))[:limit]


def _rank(target: JumpTarget, query: str) -> tuple[NameMatch, bool, int, float]:
    match = NameMatch.EXACT if target.id.startswith(query.strip()) else match_name(target.name, query=query)
    return match, not target.needs_you, KIND_ORDER.index(target.kind), -target.at.timestamp()


def _ids(tx: Tx, query: str, *, limit: int) -> dict[str, Sequence[str]]:
    """Return the ids that begin with the query, by kind; none if it is not the beginning of an id."""
    letters, _, rest = query.strip().partition("_")
    kind = KINDS.get(letters, "")
    if kind not in KIND_ORDER or not rest:
        return {}
    return {kind: tx.id_prefixes.matching(f"{PREFIXES[kind]}_{rest}", kind=kind, limit=limit)}


def _indexed(tx: Tx, query: str, ids: dict[str, Sequence[str]]) -> tuple[list[JumpTarget], list[JumpTarget]]:
    """Return the missions and the tasks that have the words of the query, the best names first."""
    kinds = (DocumentKind.MISSION, DocumentKind.TASK)
    known: dict[str, list[str]] = {kind: list(ids.get(kind, ())) for kind in kinds}
    if terms := terms_of(query):
        for kind in kinds:
            rows = tx.search.best(SearchQuery(terms=terms, kinds=[kind]), limit=MAX_MATCHES)
            known[kind] += [row.id for row in rows]
    missions = _missions(tx, known[DocumentKind.MISSION])
    tasks = [_task(row) for row in tx.jump_targets.tasks(known[DocumentKind.TASK])]
    return _best(missions, query), _best(tasks, query)


def _best(targets: Sequence[JumpTarget], query: str) -> list[JumpTarget]:
    return sorted(targets, key=lambda target: _rank(target, query))


def _missions(tx: Tx, ids: Sequence[str]) -> list[JumpTarget]:
    held = {row.mission_id for row in tx.overviews.hands(ids) if _word(row) in NEEDS_PERSON}
    return [
        JumpTarget(
            kind="mission",
            id=row.id,
            name=row.name,
            detail=None,
            state=shown_status(row.status, row.outcome),
            needs_you=row.id in held,
            at=row.updated_at,
        )
        for row in tx.jump_targets.missions(ids)
    ]


def _task(row: Any) -> JumpTarget:
    word = _word(row)
    return JumpTarget(
        kind="task",
        id=row.id,
        name=row.name,
        detail=row.mission_name,
        state=word,
        needs_you=word in NEEDS_PERSON,
        at=row.updated_at,
    )


def _word(row: Any) -> str:
    return task_word(
        row.status, quality=row.quality, hold=row.hold, waiting_for=row.waiting_for, proof_state=row.proof_state
    )


def _agents(tx: Tx, query: str, ids: Sequence[str], liveness: LivenessSettings) -> list[JumpTarget]:
    rows = tx.jump_targets.agents(list(words_of(query)), ids=ids, limit=MAX_RELATED)
    return [
        JumpTarget(
            kind="agent",
            id=line.row.id,
            name=line.row.name,
            detail=line.task.row.name if line.task else None,
            state=line.word,
            needs_you=line.word in ("waits", "blocked"),
            at=line.row.last_seen_at,
        )
        for line in agent_lines(tx, rows, liveness)
    ]


def _runs(tx: Tx, missions: Sequence[JumpTarget], ids: Sequence[str]) -> list[JumpTarget]:
    waiting = {mission.id for mission in missions if mission.needs_you}
    rows = tx.jump_targets.runs([mission.id for mission in missions[:MAX_RELATED]], ids=ids, limit=MAX_RELATED)
    return [
        JumpTarget(
            kind="run",
            id=row.id,
            name=row.mission_name,
            detail=None,
            state=row.state,
            needs_you=row.mission_id in waiting,
            at=row.updated_at,
        )
        for row in rows
    ]


def _executions(
    tx: Tx, tasks: Sequence[JumpTarget], agents: Sequence[JumpTarget], ids: Sequence[str]
) -> list[JumpTarget]:
    rows = tx.jump_targets.executions(
        task_ids=[task.id for task in tasks[:MAX_RELATED]],
        agent_ids=[agent.id for agent in agents],
        ids=ids,
        limit=MAX_RELATED,
    )
    return [
        JumpTarget(
            kind="execution",
            id=row.id,
            name=row.task_name,
            detail=row.agent_name,
            state="exited" if row.status == ExecutionStatus.COMPLETED else row.status,
            needs_you=row.status == ExecutionStatus.WAITING,
            at=row.updated_at,
        )
        for row in rows
    ]
