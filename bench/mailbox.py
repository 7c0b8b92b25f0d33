"""Mailboxes: measure whether a call costs more in a large mailbox, on both databases."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from datetime import timedelta

from bench.effort import Effort
from bench.inprocess import DATABASES, Local, local
from bench.report import Row, Target, compared
from bench.timing import Turn, interleave
from mission.domain.ids import new_id
from mission.domain.message import Message, MessageType, Priority
from mission.store.transaction import Tx

SIZES = (100, 10_000)
SECTION = "a mailbox of {database}: 10,000 messages compared with 100"


class Mailbox:
    """One agent and its messages, half of them read."""

    def __init__(self, place: Local, size: int) -> None:
        self.place = place
        self.owner = place.call("agent_register", {"name": f"owner of {size}", "runtime": "custom"})["id"]
        self.sender = place.call("agent_register", {"name": f"writer of {size}", "runtime": "custom"})["id"]
        ids = place.runner.run(place.app.database.write(_plant, owner=self.owner, sender=self.sender, size=size))
        for start in range(0, size // 2, 1_000):
            place.call("message_mark_read", {"message_ids": ids[start : min(start + 1_000, size // 2)]})
        self.known = ids[size // 2]

    def turns(self, calls: int) -> dict[str, Turn]:
        mine = {"agent_id": self.owner}
        message = {"sender_id": self.sender, "recipient_id": self.owner, "message_type": "query", "body": "x"}
        ask, turn = self.place.ask, self.place.turn
        return {
            "message_list, unread": turn(calls, lambda: ask("message_list", mine)),
            "message_list, all": turn(calls, lambda: ask("message_list", {**mine, "status": "all"})),
            "message_list, urgent": turn(calls, lambda: ask("message_list", {**mine, "priority": ["urgent"]})),
            "message_count_unread": turn(calls, lambda: ask("message_count_unread", mine)),
            "message_get": turn(calls, lambda: ask("message_get", {"id": self.known, "mark_read": False})),
            "message_send": turn(calls, lambda: ask("message_send", message), after=self._archive),
        }

    async def _archive(self, sent: dict[str, str]) -> None:
        await self.place.ask("message_archive", {"message_ids": [sent["id"]]})


def measure(effort: Effort) -> list[Row]:
    rows: list[Row] = []
    for database in DATABASES:
        with ExitStack() as stack:
            place = stack.enter_context(local(stack.enter_context(asyncio.Runner()), database))
            small, large = (Mailbox(place, size).turns(effort.calls) for size in SIZES)
            subjects = {f"{tool} {size}": each[tool] for size, each in ((0, small), (1, large)) for tool in each}
            series = interleave(subjects, rounds=effort.rounds)
        rows += [
            compared(
                SECTION.format(database=database),
                tool,
                series[f"{tool} 1"],
                series[f"{tool} 0"],
                floor_name="with 100",
                target=Target(1.2),
            )
            for tool in small
        ]
    return rows


def _plant(tx: Tx, *, owner: str, sender: str, size: int) -> list[str]:
    ranks = list(Priority)
    messages = [
        Message(
            id=new_id("message"),
            thread_id=new_id("thread"),
            sender_id=sender,
            sender_name="writer",
            sender_type="WORKER",
            recipient_id=owner,
            type=MessageType.QUERY,
            subject=f"Case {number}",
            body="Does the parser accept empty input now? The last run still failed there.",
            priority=ranks[number % len(ranks)],
            created_at=tx.now - timedelta(seconds=size - number),
        )
        for number in range(size)
    ]
    tx.messages.add(*messages)
    return [message.id for message in messages]
