"""Carry out what a person decided about a run: go, stop, raise the budget, finish what is open, try again."""

from __future__ import annotations

import re
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.inbox.item import InboxItem
from mission.domain.plans.option_fields import parse_option
from mission.domain.runs.decisions.choices import CLIENT
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import CarryOut
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import controls, preflight, run_changes, run_options, run_rounds
from mission.store.transaction import Tx

GROWTH = 1.5
"""How much a budget grows if a person raises it without saying how far."""
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-z$%]*)", re.IGNORECASE)
UNITS = {
    "$": "usd",
    "usd": "usd",
    "dollars": "usd",
    "tokens": "tokens",
    "token": "tokens",
    "min": "minutes",
    "minutes": "minutes",
    "minute": "minutes",
    "launches": "launches",
    "launch": "launches",
}


async def carry_out(context: RunContext, run: Run, step: CarryOut) -> None:
    """Carry out one answer, once."""
    await context.work.write(apply, run=run, key=step.key, choice=step.choice)


def apply(tx: Tx, *, run: Run, key: str, choice: str) -> Run | None:
    """Change the rows as a person decided, and record that it was done. Return the run."""
    now = run_changes.current(tx, run)
    item = tx.inbox.answered_last(run_changes.item_key(run, key))
    if now is None or item is None or (now.carried_out or {}).get(key) == item.id:
        return now
    done = {**(now.carried_out or {}), key: item.id}
    if choice == "stop":
        run_changes.save(tx, now, carried_out=done)
        return controls.stop_run(tx, run_id=now.id, reason=f"{item.closed_by} stopped it.")[0]
    if key == "preflight" and choice == "go" and now.state is RunState.READY:
        accepted = _accepted(tx, now, item)
        return run_changes.move(tx, now, RunState.RUNNING, carried_out=done, **accepted)
    return run_changes.save(tx, now, carried_out=done, **_changes(now, item, key=key, choice=choice))


def _changes(run: Run, item: InboxItem, *, key: str, choice: str) -> dict[str, Any]:
    """Return what an answer changes in the row of the run."""
    if key == "budget":
        return {"options": _budget(run, item, choice=choice)}
    if key == "unproved" and choice == "go":
        return {"unproved_allowed": True}
    if key.startswith(CLIENT) and choice == "go":
        kept = {client: names for client, names in run.wanted.variables.items() if client != key.removeprefix(CLIENT)}
        return {"options": run.wanted.changed({"variables": kept}).as_dict()}
    if key == "tip-red" and choice == "retry":
        return {"merging_stopped": None}
    if key == "final":
        final = dict(run.final or {})
        return {"final": {**final, "accepted": item.closed_by or True} if choice == "finish" else None}
    if key == "landing":
        return {"landing": {**(run.landing or {}), "state": "left" if choice == "finish" else "asked", "tries": 0}}
    return {}


def _accepted(tx: Tx, run: Run, item: InboxItem) -> dict[str, Any]:
    """Return what a person takes upon themselves by going ahead: no proof, or checks that fail on the base."""
    found = run.preflight or {}
    round = tx.rounds.find(found.get("round_id") or "")
    red = run_rounds.failed_checks(round) if round is not None else []
    waivers = [
        {
            "check": name,
            "reason": "It failed on the base, before the run began.",
            "by": item.closed_by,
            "item_id": item.id,
            "at": item.closed_at.isoformat() if item.closed_at is not None else None,
        }
        for name in red
    ]
    known = {str(each.get("check")) for each in run.waivers}
    return {
        "unproved_allowed": run.unproved_allowed or preflight.NO_CHECKS in (found.get("marks") or ()),
        "waivers": [*run.waivers, *(each for each in waivers if each["check"] not in known)],
    }


def _budget(run: Run, item: InboxItem, *, choice: str) -> dict[str, Any]:
    """Return the options after an answer about the budget."""
    if choice == "finish":
        return run.wanted.changed({"finish_only": True}).as_dict()
    own = {name: limit for name, limit in run.wanted.budget.as_dict().items() if limit is not None}
    limits = parse_amounts(item.answer_text, unit=next(iter(own)) if len(own) == 1 else "usd")
    if not limits:
        limits = {name: limit * GROWTH for name, limit in own.items()}
        limits = {name: int(limit) if name in ("tokens", "launches") else limit for name, limit in limits.items()}
    raised = run_options.with_given(run.wanted, {"budget": limits}) if limits else run.wanted
    return raised.changed({"finish_only": False}).as_dict()


def parse_amounts(text: str, *, unit: str = "usd") -> dict[str, float]:
    """Return the limits in a person's words, such as '40usd' or '90 minutes'; a plain number has this unit."""
    found: dict[str, Any] = {}
    for number, word in _AMOUNT.findall(text):
        name = UNITS.get(word.lower()) if word else unit
        amount = float(number.replace(",", "."))
        if name is not None:
            found[name] = int(amount) if name in ("tokens", "launches") else amount
    try:
        return dict(parse_option("budget", found, field="budget").as_dict()) if found else {}
    except InvalidInput:
        return {}
