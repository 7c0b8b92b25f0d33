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

from pydantic import AliasPath, BaseModel, ConfigDict, Field, model_validator

from mission.domain.errors import Conflict
from mission.gateway.tool_schemas import input_schema, output_schema


class Arguments(BaseModel):
    """The arguments of a tool. Unknown ones are ignored because some clients add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True)

    aliases: ClassVar[dict[str, str]] = {}
    """Names of our fields in other dialects."""

    nullable: ClassVar[frozenset[str]] = frozenset()
    """Fields in which null has a meaning; in all others it means absent."""

    @property
    def takes_task(self) -> bool:
        """Return whether the call makes its agent the owner of a free task."""
        return False


class Result(BaseModel):
    """The answer of a tool, as the caller sees it.

    A value of the domain is rendered by its attributes: those of the same name, or those that `attribute` names. A
    model that computes something has a class method `of`, which is also used where it is part of another result.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, from_attributes=True, populate_by_name=True
    )

    _render: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        """Put a model's own `of` before its validation; models without one are validated without a Python call."""
        super().__init_subclass__(**options)
        if "of" in vars(cls):
            render: Any = classmethod(_render)
            cls._render = model_validator(mode="before")(render)


def _render(cls: Any, value: Any) -> Any:
    return value if isinstance(value, dict | Result) else cls.of(value)


def attribute(path: str, **options: Any) -> Any:
    """Declare a field of a result that shows another attribute of the value, such as `workspace.path`."""
    return Field(validation_alias=AliasPath(*path.split(".")), **options)


@dataclass(frozen=True)
class Address:
    """The REST address of a tool for GET."""

    path: str
    argument: str = "id"
    """The argument that the {id} of the path fills."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Default arguments of a request."""

    @property
    def path_argument(self) -> str | None:
        """Return the argument that the path contains; None if it has none."""
        return self.argument if "{id}" in self.path else None


Subject = Literal["mission", "task", "agent", "execution", "item"]
"""The kinds of objects that a query of the page can be about; events about other objects do not affect it."""

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
Handler = Callable[[Any, Any], Awaitable[object]]


@dataclass(frozen=True)
class Tool:
    """One tool with everything needed to list, check and call it."""

    name: str
    toolset: str
    description: str
    arguments: type[Arguments]
    result: type[Result]
    handler: Handler
    reads: bool
    idempotent: bool
    destructive: bool
    actor: str | None
    person: bool
    outside: bool = False
    """Whether it acts outside the database, so that the audit must record it beforehand."""
    owned: str | None = None
    """The argument with the task that a worker must own to write to it."""
    whole: bool = False
    """Whether the audit keeps the arguments uncut, because they are the record itself."""
    secret: str | None = None
    """The field of the answer that is shown once and never stored."""
    address: Address | None = None
    stale_on: tuple[str, ...] = ()
    """Prefixes of the event types after which the page reloads it."""
    about: Subject | None = None
    """The kind of object in its arguments: only events about the same object make its answer stale."""
    fades: bool = False
    """Whether its answer also changes without an event, such as when heartbeats change leases and presence."""

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

    def render(self, value: object) -> dict[str, Any]:
        """Return the value as it is sent, in the words of the declared result."""
        return self.result.model_validate(value).model_dump(mode="json", by_alias=True)

    def without_secret(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer as it may be stored."""
        return answer if self.secret is None else {**answer, self.secret: NOT_KEPT}

    def check_whole(self, kept: Mapping[str, Any]) -> None:
        """Raise Conflict if a stored answer cannot be repeated because it had a secret."""
        if self.secret is not None:
            raise Conflict(
                f"this call was already answered and created {kept.get('id')}; its {self.secret} is shown only once",
                hint=f"If the first answer was lost, 'mission agent token {kept.get('id')}' issues a new one.",
                id=kept.get("id"),
            )


NOT_KEPT = "***"


def tool(
    *,
    toolset: str,
    result: type[Result],
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
) -> Callable[[Callable[[Any, ArgumentsT], Awaitable[object]]], Tool]:
    """Declare a function as a tool with its name, docstring and arguments.

    `result` renders the value that the function returns. `actor` is the argument that names the acting agent; with
    `person` it may also be 'human' for the operator. `address` is its REST address; `stale_on`, `about` and `fades` say
    when the page reloads it.
    """

    def declare(function: Callable[[Any, ArgumentsT], Awaitable[object]]) -> Tool:
        hints = get_type_hints(function)
        parameter = list(inspect.signature(function).parameters)[1]
        return Tool(
            name=function.__name__,
            toolset=toolset,
            description=inspect.cleandoc(function.__doc__ or "").replace("\n", " "),
            arguments=hints[parameter],
            result=result,
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


class Registry:
    """All tools of a package."""

    def __init__(self, package: ModuleType, *, modules: Mapping[str, str] | None = None) -> None:
        """Create the registry. With `modules`, which says where each tool is, a module is imported when one of its
        tools is first called; otherwise all are imported now."""
        self._package = package
        self.modules: Mapping[str, str] = modules or {}
        self.was_scanned = False
        self._tools: dict[str, Tool] = {}
        if modules is None:
            self._scan()

    def __iter__(self) -> Iterator[Tool]:
        self._scan()
        return iter(self._tools.values())

    def get(self, name: str) -> Tool | None:
        if name not in self._tools and name in self.modules:
            self._tools |= {found.name: found for found in _tools_in(self.modules[name])}
        return self._tools.get(name)

    def _scan(self) -> None:
        if not self.was_scanned:
            names = [
                module.name for module in pkgutil.walk_packages(self._package.__path__, f"{self._package.__name__}.")
            ]
            found = {each.name: (each, module) for module in names for each in _tools_in(module)}
            self._tools = {name: each for name, (each, _) in found.items()}
            self.modules = {name: module for name, (_, module) in found.items()}
            self.was_scanned = True

    def addresses(self) -> dict[str, tuple[Tool, Address]]:
        """Return the tools that have a REST address, by path."""
        found = {each.address.path: (each, each.address) for each in self if each.address is not None}
        return dict(sorted(found.items()))

    def chosen(self, toolsets: Iterable[str]) -> list[Tool]:
        """Return the tools of the chosen toolsets, by file and in order of declaration."""
        wanted = set(toolsets)
        return [each for each in self if each.toolset in wanted]


def _tools_in(module: str) -> Iterator[Tool]:
    for value in vars(importlib.import_module(module)).values():
        if isinstance(value, Tool):
            yield value
