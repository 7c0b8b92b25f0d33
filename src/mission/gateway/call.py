"""The road of a call: identify, permit, find, validate, run with retry, audited, escalate."""

from __future__ import annotations

import asyncio
import difflib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar, overload

from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError

from mission.domain.agent import Agent, AgentType
from mission.domain.errors import (
    InternalError,
    InvalidInput,
    MissionError,
    PermissionDenied,
    ToolNotFound,
    TransientError,
    Unauthenticated,
)
from mission.domain.mail import HUMAN
from mission.domain.permissions import Policy
from mission.events.log import EventLog
from mission.gateway.audit import AuditTrail, Entry
from mission.gateway.caller import Caller, Identity
from mission.gateway.escalation import Escalations, concerns_others
from mission.gateway.masking import Masker
from mission.gateway.presence import SignsOfLife
from mission.gateway.registry import Registry, Tool
from mission.gateway.retry import Retry, is_passing
from mission.gateway.signals import Signals
from mission.gateway.validate import check_text, validate
from mission.services import agents, claims
from mission.services.agents import Rhythm
from mission.services.launching import Launcher
from mission.services.trees import Trees
from mission.services.work import digest_of
from mission.store.database import Database
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

Value = TypeVar("Value")
Answer = TypeVar("Answer")

LONGEST_KEY = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Ports:
    """What tools may reach besides the store."""

    trees: Trees
    rhythm: Rhythm
    launcher: Launcher
    events: EventLog
    policy: Policy = field(default_factory=Policy)


class Call:
    """One call under way, as its tool sees it: the store, the ports and the actor."""

    def __init__(
        self,
        *,
        tool: Tool,
        registry: Registry,
        database: Database,
        ports: Ports,
        caller: Caller,
        identity: Identity,
        entry: Entry,
        repeat: _Repeat | None,
    ) -> None:
        self.trees = ports.trees
        self.rhythm = ports.rhythm
        self.policy = ports.policy
        self.registry = registry
        self.launcher = ports.launcher
        self.events = ports.events
        self.directory = caller.directory
        self.left = caller.left
        self.identity = identity
        self.answered: dict[str, Any] | None = None
        self.took_effect = False
        self._tool = tool
        self._steps = 0
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._progress = caller.progress
        self._entry = entry
        self._repeat = repeat

    @property
    def actor(self) -> str | None:
        """The id of the agent that acts; nothing for the operator."""
        return self.identity.agent_id

    @property
    def entry_id(self) -> str:
        """The id of the audit entry that this call leaves."""
        return self._entry.id

    @property
    def lease(self) -> timedelta:
        return self.rhythm.lease

    async def read(self, function: Callable[..., Value], /, **arguments: Any) -> Value:
        return await self._database.read(function, **arguments)

    @overload
    async def write(
        self, function: Callable[..., Value], /, *, answer: Callable[[Value], Answer], **arguments: Any
    ) -> Answer: ...

    @overload
    async def write(self, function: Callable[..., Value], /, **arguments: Any) -> Value: ...

    async def write(
        self, function: Callable[..., Any], /, *, answer: Callable[[Any], Any] | None = None, **arguments: Any
    ) -> Any:
        """Run the function. With `answer` it is the call's last write: its answer and its audit row are made
        and stored in the same commit."""
        if answer is None:
            result = await self._database.write(function, **arguments)
            self.took_effect = True
            return result

        def answered(tx: Tx) -> Any:
            if self._repeat is not None and (kept := self._repeat.recall(tx)) is not None:
                self._tool.check_whole(kept)
                self.answered = self._entry.result = kept
                return None
            rendered = answer(function(tx, **arguments))
            self.answered = _dumped(rendered)
            self._entry.result = kept = self._tool.without_secret(self.answered)
            if self._repeat is not None:
                self._repeat.remember(tx, kept)
            return rendered

        self._entry.handed_in = True
        return await self._database.write(answered, record=self._entry)

    def report(self, message: str) -> None:
        """Tell the caller how far a long call is; may be called from any thread."""
        if self._progress is not None:
            self._steps += 1
            asyncio.run_coroutine_threadsafe(self._progress(self._steps, message), self._loop)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Repeat:
    """A call that has a key: its answer is kept for a repeat."""

    caller: str
    key: str
    digest: str

    def remember(self, tx: Tx, answer: Mapping[str, Any]) -> None:
        text = json.dumps(answer, ensure_ascii=False)
        tx.calls.remember(caller=self.caller, key=self.key, digest=self.digest, answer=text, now=tx.now)

    def recall(self, tx: Tx) -> dict[str, Any] | None:
        kept = tx.calls.recall(caller=self.caller, key=self.key)
        if kept is None:
            return None
        self.check(kept[0])
        answer: dict[str, Any] = json.loads(kept[1])
        return answer

    def check(self, digest: str) -> None:
        if digest != self.digest:
            raise InvalidInput(
                "this call key was used for another call", hint="Make a new key for every call.", field="key"
            )


class Gateway:
    """The only road from a door to a tool."""

    def __init__(
        self,
        *,
        registry: Registry,
        database: Database,
        ports: Ports,
        retry: Retry | None = None,
        masker: Masker | None = None,
    ) -> None:
        self.registry = registry
        self.audit = AuditTrail(database, masker)
        self.escalations = Escalations(database)
        self._database = database
        self._ports = ports
        self._retry = retry or Retry()
        self._signs = SignsOfLife(database, ports.rhythm)
        self.signals = Signals(database, audit=self.audit, signs=self._signs, retry=self._retry)
        self._flying: dict[tuple[str, str], tuple[str, asyncio.Task[dict[str, Any]]]] = {}

    async def __call__(self, name: str, arguments: Any, caller: Caller) -> dict[str, Any]:
        """The tool's result, or a MissionError that may be shown to the caller as it is."""
        entry = self.audit.begin(tool=name, transport=caller.transport, arguments=arguments)
        try:
            found = self.registry.get(name)
            identity = await self._identify(found, arguments, caller, entry)
            self._permit(identity, name)
            if found is not None:
                entry.reads, entry.whole = found.reads, found.whole
            if identity.agent is not None and not caller.is_onlooker:
                self._signs.note(identity.agent.id)
            if found is None:
                raise _unknown(name, self.registry)
            checked = validate(found, _with_actor(found, arguments, identity))
            await self._check_owned(found, checked, identity)
            repeat = _repeat_of(found, arguments, caller, identity)
            if found.outside:
                await self.audit.write_invocation(entry)
            call = Call(
                tool=found,
                registry=self.registry,
                database=self._database,
                ports=self._ports,
                caller=caller,
                identity=identity,
                entry=entry,
                repeat=repeat,
            )
            result = await self._run_once(found, call, checked, repeat)
            entry.result = found.without_secret(result)
        except asyncio.CancelledError as error:  # the caller left; a write that was handed in brings its own row
            if not entry.handed_in:
                self.audit.add(entry.finished(error, self._database.clock()))
            raise
        except Exception as error:
            row = entry.finished(error, self._database.clock())
            if not entry.written:
                self.audit.add(row)
            shown = self._presentable(error, entry)
            if concerns_others(shown):
                self.escalations.add(error, row)
            raise shown from error
        if not entry.written:
            self.audit.add(entry.finished(None, self._database.clock()))
        return result

    def note_refused(self, name: str, arguments: Any, caller: Caller, error: MissionError) -> None:
        """Leave an audit row for a request that its door could make no call of."""
        entry = self.audit.begin(tool=name, transport=caller.transport, arguments=arguments)
        entry.identity = _bound(caller)
        self.audit.add(entry.finished(error, self._database.clock()))

    def note_worthless_token(self, error: Unauthenticated) -> None:
        """Leave an audit row for a token that stood for an agent once: who shows it now nobody knows."""
        entry = self.audit.begin(tool="token", transport="token", arguments={})
        row = entry.finished(error, self._database.clock())
        self.audit.add({**row, "agent_id": error.details["agent_id"]})

    async def close(self) -> None:
        """Write what no call waited for."""
        await self._signs.settle()
        await self.escalations.flush()
        await self.audit.flush()

    def permitted(self, identity: Identity, tool: Tool) -> bool:
        return identity.agent is None or self._ports.policy.decide(identity.agent.type, tool.name).allowed

    async def identify(self, caller: Caller) -> Identity:
        """Who the connection itself speaks for."""
        bound = _bound(caller)
        if caller.agent is None:
            return bound
        return _acting_as(bound, Identity(agent=await self._agent(caller.agent, field=caller.agent_field)), field=None)

    async def _identify(self, found: Tool | None, arguments: Any, caller: Caller, entry: Entry) -> Identity:
        """Who acts. The entry names whoever called from the start, so that a false name is laid at the right door."""
        entry.identity = _bound(caller)
        entry.identity = identity = await self.identify(caller)
        if found is None or found.actor is None or not isinstance(arguments, dict):
            return identity
        named = arguments.get(found.actor)
        if not isinstance(named, str) or not named:
            return identity
        by_person = found.person and named == HUMAN
        actor = Identity(agent=None if by_person else await self._agent(named, field=found.actor))
        entry.identity = identity = _acting_as(identity, actor, field=found.actor)
        return identity

    async def _agent(self, reference: str, *, field: str) -> Agent:
        check_text(reference, field=field)
        return await self._database.read(agents.find, reference=reference[:200], field=field)

    def _permit(self, identity: Identity, name: str) -> None:
        if identity.agent is None:
            return
        verdict = self._ports.policy.decide(identity.agent.type, name[:200])
        if not verdict.allowed:
            raise PermissionDenied(
                f"Tool '{name[:200]}' is not allowed for agent type '{identity.agent.type}'",
                hint="Ask your supervisor, or the operator, to do it.",
                rule=verdict.rule,
            )

    async def _check_owned(self, tool: Tool, arguments: Any, identity: Identity) -> None:
        """A worker writes only to tasks that it owns, not even to those nobody does."""
        agent = identity.agent
        if tool.owned is None or agent is None or agent.type is not AgentType.WORKER:
            return
        task_id = getattr(arguments, tool.owned)
        if task_id is not None:
            task = await self._database.read(claims.look, task_id=task_id)
            task.check_worker(agent.id, takes=arguments.takes_task, now=self._database.clock())

    async def _run_once(self, tool: Tool, call: Call, arguments: Any, repeat: _Repeat | None) -> dict[str, Any]:
        """Run the call, unless the same one has run or is running: then its answer is this one's too."""
        if repeat is None:
            return await self._run(tool, call, arguments)
        place = (repeat.caller, repeat.key)
        if place in self._flying:
            digest, first = self._flying[place]
            repeat.check(digest)
        else:
            first = asyncio.create_task(self._run_first(tool, call, arguments, repeat))
            self._flying[place] = (repeat.digest, first)
            first.add_done_callback(lambda _: self._flying.pop(place))
        return await asyncio.shield(first)  # a caller that leaves does not take the others' answer with it

    async def _run_first(self, tool: Tool, call: Call, arguments: Any, repeat: _Repeat) -> dict[str, Any]:
        """The last write of a call looks for its key before it does anything, so a repeat changes nothing."""
        try:
            return await self._run(tool, call, arguments)
        except IntegrityError:
            kept = await self._database.read(repeat.recall)
            if kept is None:
                raise
            tool.check_whole(kept)
            return kept  # another process was faster with the same key

    async def _run(self, tool: Tool, call: Call, arguments: Any) -> dict[str, Any]:
        async def attempt() -> dict[str, Any]:
            result = await tool.handler(call, arguments)
            return call.answered if call.answered is not None else _dumped(result)

        return await self._retry.run(attempt, harmless=lambda: tool.idempotent or not call.took_effect)

    def _presentable(self, error: Exception, entry: Entry) -> MissionError:
        """The error as a caller may see it; what nobody foresaw becomes an incident with a number."""
        if isinstance(error, MissionError) and type(error) is not InternalError:
            return error.with_details(incident=entry.id) if concerns_others(error) else error
        if is_passing(error):
            log.warning("call %s failed in passing, three times", entry.id, exc_info=error)
            return TransientError(incident=entry.id)
        if isinstance(error, IntegrityError):
            log.warning("call %s met a conflicting row: %s", entry.id, error.orig)
        else:
            log.error("call %s failed", entry.id, exc_info=error)
        return InternalError(incident=entry.id)


def _bound(caller: Caller) -> Identity:
    """Who the connection's token stands for."""
    return Identity(agent=caller.bearer.agent if caller.bearer is not None else None)


def _acting_as(identity: Identity, actor: Identity, *, field: str | None) -> Identity:
    """The named actor; an agent can only be itself."""
    if identity.agent is not None and identity.name != actor.name:
        raise PermissionDenied(
            f"{identity.agent.id} cannot act as {actor.name if actor.agent else HUMAN}",
            hint=f"Give your own id as {field}."
            if field is not None
            else "Speak for yourself: the token says who you are.",
        )
    return actor


def _dumped(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True)


def _repeat_of(tool: Tool, arguments: Mapping[str, Any], caller: Caller, identity: Identity) -> _Repeat | None:
    if caller.key is None or tool.reads:
        return None
    if len(caller.key) > LONGEST_KEY or not caller.key.isprintable():
        raise InvalidInput(f"a call key has at most {LONGEST_KEY} printable characters", hint="Use a random id.")
    return _Repeat(caller=identity.name, key=caller.key, digest=digest_of([tool.name, arguments]))


def _with_actor(tool: Tool, arguments: Any, identity: Identity) -> Any:
    """The arguments; an agent that is known by its token need not say again who it is."""
    field = tool.arguments.model_fields.get(tool.actor or "")
    if field is None or not field.is_required() or identity.agent is None or not isinstance(arguments, Mapping):
        return arguments
    return arguments if arguments.get(str(tool.actor)) else {**arguments, str(tool.actor): identity.agent.id}


def _unknown(name: str, registry: Registry) -> ToolNotFound:
    close = difflib.get_close_matches(name, [tool.name for tool in registry], n=1)
    hint = f"Did you mean '{close[0]}'?" if close else "'mission tools' lists them all."
    return ToolNotFound(f"there is no tool '{name[:100]}'", hint=hint)
