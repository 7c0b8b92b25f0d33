"""A mission as a self-contained document: Markdown, HTML or JSON."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from mission.domain.display_status import DONE_WORDS
from mission.domain.tasks.journal import JournalEntry
from mission.domain.timestamps import format_time
from mission.services.agents.registration import LivenessSettings
from mission.services.views import mission as mission_view
from mission.services.views import mission_changes
from mission.services.views.mission import MissionDetail
from mission.services.views.mission_changes import ChangedFile
from mission.services.views.task_lines import TaskLine
from mission.store.transaction import Tx

MAX_ENTRIES = 10_000
TREE_SHOWN = 12
"""How much of a tree's id is shown to people."""
WORDS = {
    "waiting": "waiting",
    "ready": "ready",
    "planning": "planning",
    "working": "in progress",
    "paused": "paused",
    "budget": "paused: budget",
    "asks": "waiting for an answer",
    "blocked": "blocked",
    "checking": "checks are running",
    "review": "in review",
    "proved": "proved",
    "accepted": "accepted by a person",
    "unproved": "done, unproved",
    "partial": "partially done, unproved",
    "failed": "failed",
    "skipped": "skipped",
}
MEDIA = {"markdown": ("text/markdown", "md"), "html": ("text/html", "html"), "json": ("application/json", "json")}
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#14181d}"
    "h1,h2,h3{line-height:1.25}code{font-family:ui-monospace,monospace}"
    "blockquote{margin:0;padding-left:1rem;border-left:3px solid #bfc6ce;color:#47505b}"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    filename: str
    media_type: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Story:
    detail: MissionDetail
    entries: Sequence[tuple[JournalEntry, str]]
    names: Mapping[str, str]
    files: Sequence[ChangedFile]
    proofs: Mapping[str, Mapping[str, Any]]
    """What is known about each task's result, by task."""


def export(tx: Tx, *, mission_id: str, format: str, liveness: LivenessSettings) -> Export:
    """Return the mission with its tasks and their evidence, decisions, issues, milestones and changed files."""
    detail = mission_view.get(tx, mission_id=mission_id, liveness=liveness)
    page = mission_view.read_journal(tx, mission_id=mission_id, limit=MAX_ENTRIES, cursor=None)
    files = mission_changes.read(tx, mission_id=mission_id).files
    story = _Story(
        detail=detail,
        entries=list(reversed(page.entries)),
        names=page.names,
        files=files,
        proofs=tx.evidence.proofs(mission_id),
    )
    media_type, suffix = MEDIA[format]
    content = {"markdown": _markdown, "html": _html, "json": _json}[format](story)
    return Export(filename=f"{_slug(detail.mission.name)}.{suffix}", media_type=media_type, content=content)


def _markdown(story: _Story) -> str:
    return "\n".join(_lines(story)) + "\n"


def _lines(story: _Story) -> Iterator[str]:
    mission, count = story.detail.mission, story.detail.count
    yield f"# {_plain(mission.name)}"
    yield ""
    yield _plain(mission.objective)
    yield ""
    yield f"- State: {story.detail.status}"
    yield f"- Tasks: {count.done + count.skipped} of {count.total} done, {count.failed} failed"
    proved = [f"{number} {WORDS[word]}" for word in DONE_WORDS if (number := _number(story, word))]
    if proved:
        yield f"- Evidence: {', '.join(proved)}"
    yield f"- Started: {_time(mission.started_at)}; ended: {_time(mission.completed_at)}"
    yield f"- Files changed: {story.detail.files}"
    if mission.summary:
        yield f"- Summary: {_plain(mission.summary)}"
    by_phase = {number: list(lines) for number, lines in groupby(story.detail.tasks, key=_phase)}
    for phase in story.detail.phases:
        yield ""
        yield f"## {phase.number}. {_plain(phase.name)}"
        yield ""
        for line in by_phase.get(phase.number, ()):
            yield _task(line, story.proofs.get(line.row.id))
    yield from _journal(story)
    if story.files:
        yield ""
        yield "## Changed files"
        yield ""
        for file in story.files:
            by = ", ".join(f"{_plain(each.task_name)} ({each.how})" for each in file.changes)
            yield f"- `{file.path.replace('`', '')}`: {by}"


def _phase(line: TaskLine) -> int:
    return int(line.row.phase_number)


def _number(story: _Story, word: str) -> int:
    return sum(line.word == word for line in story.detail.tasks)


def _task(line: TaskLine, proof: Mapping[str, Any] | None) -> str:
    agent = f", by {_plain(line.agent)}" if line.agent else ""
    evidence = "; ".join(_evidence(proof)) if proof else ""
    return f"- {_plain(line.row.name)}: {WORDS[line.word]}{agent}" + (f" ({evidence})" if evidence else "")


def _evidence(proof: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is known about a task's result: its checks, the tree, and why it is not proved."""
    for check in proof["checks"]:
        taken = f" in {check['seconds']:.1f} s" if check["seconds"] is not None else ""
        yield f"{_plain(check['name'])} {check['state']}{taken}"
    if proof["tree"]:
        yield f"tree `{proof['tree'][:TREE_SHOWN]}`"
    if proof["reason"]:
        yield _plain(proof["reason"])
    yield from map(_plain, proof["flags"])


def _journal(story: _Story) -> Iterator[str]:
    if not story.entries:
        return
    yield ""
    yield "## Journal"
    for entry, task in story.entries:
        author = entry.author_name(story.names) or "somebody"
        yield ""
        yield f"### {_time(entry.created_at)} · {entry.kind} · {_plain(author)} · {_plain(task)}"
        yield ""
        yield _plain(entry.summary)
        for name in ("options_considered", "chosen", "reasoning", "trade_offs", "resolution"):
            value = entry.content.get(name)
            if value:
                words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                yield f"- {name.replace('_', ' ').capitalize()}: {_plain(words)}"


def _html(story: _Story) -> str:
    """Return the same document as HTML; an agent's words are always text, never markup."""
    parts: list[str] = []
    listing = False
    for line in _lines(story):
        if line.startswith("- ") != listing:
            listing = not listing
            parts.append("<ul>" if listing else "</ul>")
        parts.append(_element(line))
    if listing:
        parts.append("</ul>")
    title = html.escape(story.detail.mission.name)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    body = "\n".join(part for part in parts if part)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _element(line: str) -> str:
    heading = re.match(r"(#{1,3}) (.*)", line)
    if heading:
        level = len(heading[1])
        return f"<h{level}>{_text(heading[2])}</h{level}>"
    if line.startswith("- "):
        return f"<li>{_text(line[2:])}</li>"
    return f"<p>{_text(line)}</p>" if line else ""


def _text(line: str) -> str:
    """Return a line of our Markdown, whose text is escaped and whose code is not, as HTML."""
    parts = re.split(r"`([^`]*)`", line)
    parts[::2] = [html.escape(re.sub(r"\\(.)", r"\1", words)) for words in parts[::2]]
    parts[1::2] = [f"<code>{html.escape(code)}</code>" for code in parts[1::2]]
    return "".join(parts)


def _json(story: _Story) -> str:
    mission = story.detail.mission
    document: dict[str, Any] = {
        "mission": {**mission.record(), "objective": mission.objective, "summary": mission.summary},
        "phases": [phase.record() for phase in story.detail.phases],
        "tasks": [_task_record(line, story) for line in story.detail.tasks],
        "journal": [{**entry.record(), "kind": str(entry.kind), "task": task} for entry, task in story.entries],
        "files": [
            {"path": file.path, "tasks": [{"task_id": each.task_id, "how": each.how} for each in file.changes]}
            for file in story.files
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _task_record(line: TaskLine, story: _Story) -> dict[str, Any]:
    row = line.row
    proof = story.proofs.get(row.id)
    return {
        "id": row.id,
        "name": row.name,
        "phase": row.phase_number,
        "state": line.word,
        "agent": line.agent,
        "depends_on": list(story.detail.edges.get(row.id, ())),
        "evidence": dict(proof) if proof is not None else None,
        "attempts": row.attempts,
        "started_at": format_time(row.started_at),
        "completed_at": format_time(row.completed_at),
        "changes": row.changes,
    }


def _plain(text: str) -> str:
    """Return an agent's words as plain Markdown text on one line."""
    return re.sub(r"([\\*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _time(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment is not None else "–"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "mission"
