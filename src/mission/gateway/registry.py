"""The tools: declared by a decorator, found by scanning a package, listed by toolset."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict

from mission.domain.errors import Conflict, InvalidInput
from mission.gateway.tool_schemas import input_schema, output_schema
from mission.spelling import nearest


class Arguments(BaseModel):
    """What a tool takes. Unknown arguments are ignored: some clients add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True)

    aliases: ClassVar[dict[str, str]] = {}
    """Another dialect's word for one of our fields."""

    nullable: ClassVar[frozenset[str]] = frozenset()
    """Fields in which null says something; in all others it means the same as absent."""

    @property
    def takes_task(self) -> bool:
        """Whether the call makes its agent the owner of a task that is free."""
        return False


class Result(BaseModel):
    """What a tool answers, as the caller sees it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True)
class Address:
    """Where REST answers a tool with GET."""

    path: str
    argument: str = "id"
    """The argument that the {id} of the path fills."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of a request that does not give them."""

    @property
    def path_argument(self) -> str | None:
        """The argument that the path gives; None where it gives none."""
        return self.argument if "{id}" in self.path else None


Subject = Literal["mission", "task", "agent", "execution", "item"]
"""What a query of the page can be about: an event about another one leaves it as it is."""

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
Handler = Callable[[Any, Any], Awaitable[BaseModel]]


@dataclass(frozen=True)
class Tool:
    """One tool: everything that its listing, its check and its call need."""

    name: str
    toolset: str
    description: str
    arguments: type[Arguments]
    result: type[BaseModel]
    handler: Handler
    reads: bool
    idempotent: bool
    destructive: bool
    actor: str | None
    person: bool
    outside: bool = False
    """Whether it acts outside the database, so that the audit must tell of it before it does."""
    owned: str | None = None
    """The argument that names a task to which a worker may write only if it owns it."""
    whole: bool = False
    """Whether the audit keeps the arguments whole, because they are the record itself."""
    secret: str | None = None
    """The field of the answer that is shown once and kept nowhere."""
    address: Address | None = None
    stale_on: tuple[str, ...] = ()
    """First parts of the event types after which the page reads it again."""
    about: Subject | None = None
    """What its arguments name: only events about the same one make its answer stale."""
    fades: bool = False
    """Whether its answer also changes without an event, as heartbeats move leases and presence."""

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return input_schema(self.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        return output_schema(self.result)

    @property
    def annotations(self) -> dict[str, bool]:
        return {
            "readOnlyHint": self.reads,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent or self.reads,
            "openWorldHint": False,
        }

    def without_secret(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer as it may be kept."""
        return answer if self.secret is None else {**answer, self.secret: NOT_KEPT}

    def check_whole(self, kept: Mapping[str, Any]) -> None:
        """Nothing when a kept answer can be given again; one that held a secret cannot."""
        if self.secret is not None:
            raise Conflict(
                f"this call was answered before and made {kept.get('id')}; its {self.secret} is shown only once",
                hint=f"If the first answer was lost, 'mission agent token {kept.get('id')}' makes another one.",
                id=kept.get("id"),
            )


NOT_KEPT = "***"


def tool(
    *,
    toolset: str,
    actor: str | None = None,
    reads: bool = False,
    idempotent: bool = False,
    destructive: bool = False,
    person: bool = False,
    outside: bool = False,
    owned: str | None = None,
    whole: bool = False,
    secret: str | None = None,
    address: str | Address | None = None,
    stale_on: tuple[str, ...] = (),
    about: Subject | None = None,
    fades: bool = False,
) -> Callable[[Callable[[Any, ArgumentsT], Awaitable[BaseModel]]], Tool]:
    """Declare a function as a tool. Its name, docstring and types are the tool's; `actor` names the
    argument that says who acts, and with `person` the operator may be named there as 'human'. `address` is where REST
    reads it; `stale_on`, `about` and `fades` say when the page reads it again."""

    def declare(function: Callable[[Any, ArgumentsT], Awaitable[BaseModel]]) -> Tool:
        hints = get_type_hints(function)
        parameter = list(inspect.signature(function).parameters)[1]
        return Tool(
            name=function.__name__,
            toolset=toolset,
            description=inspect.cleandoc(function.__doc__ or "").replace("\n", " "),
            arguments=hints[parameter],
            result=hints["return"],
            handler=function,
            reads=reads,
            idempotent=idempotent,
            destructive=destructive,
            actor=actor,
            person=person,
            outside=outside,
            owned=owned,
            whole=whole,
            secret=secret,
            address=Address(address) if isinstance(address, str) else address,
            stale_on=stale_on,
            about=about,
            fades=fades,
        )

    return declare


PRESETS = {
    "worker": ("mission", "tasks", "messages"),
    "orchestrator": ("mission", "workflow", "tasks", "agents", "messages", "workspaces", "templates"),
    "supervisor": ("mission", "workflow", "tasks", "agents", "messages", "workspaces", "templates", "crew", "control"),
}
"""Roles as sets of toolsets."""

TOOLSETS = (
    "mission",
    "workflow",
    "tasks",
    "agents",
    "messages",
    "workspaces",
    "templates",
    "crew",
    "control",
)


class Registry:
    """All tools of a package."""

    def __init__(self, package: ModuleType) -> None:
        self._tools = {found.name: found for found in _scan(package)}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def addresses(self) -> dict[str, tuple[Tool, Address]]:
        """Return the tools that REST reads under an address of their own, by path."""
        found = {each.address.path: (each, each.address) for each in self if each.address is not None}
        return dict(sorted(found.items()))

    def chosen(self, toolsets: Iterable[str]) -> list[Tool]:
        """The tools of the chosen toolsets, by file and then as declared there."""
        wanted = set(toolsets)
        return [each for each in self if each.toolset in wanted]


def parse_toolsets(text: str) -> tuple[str, ...]:
    """The toolsets that a comma-separated choice of sets and roles stands for."""
    chosen: dict[str, None] = {}
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        if word == "all":
            chosen.update(dict.fromkeys(TOOLSETS))
        elif word in PRESETS:
            chosen.update(dict.fromkeys(PRESETS[word]))
        elif word in TOOLSETS:
            chosen[word] = None
        else:
            known = (*TOOLSETS, *PRESETS, "all")
            close = nearest(word, known)
            raise InvalidInput(
                f"toolsets: '{word[:60]}' is unknown" + (f"; did you mean '{close}'?" if close else ""),
                hint=f"Choose from: {', '.join(known)}.",
                field="toolsets",
            )
    return tuple(chosen)


def _scan(package: ModuleType) -> Iterator[Tool]:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Tool):
                yield value
