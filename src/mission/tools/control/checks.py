"""Tools for checks: set, list and suggest them, and accept a result that did not pass."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from mission.domain.checks.check import Check, Scope, parse_checks
from mission.domain.checks.definition import CheckDefinition
from mission.domain.errors import InvalidInput
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.checks import acceptance, suggestions
from mission.services.evidence import definitions
from mission.services.evidence.definitions import DefinedFor
from mission.services.repositories import registration
from mission.tools.missions.tasks import CompletedTask
from mission.tools.shared.fields import AbsolutePath, Checks, TaskId, Text
from mission.tools.shared.topics import MISSION
from mission.tools.shared.wording import Moment


class ScopeArguments(Arguments):
    scope: Scope = Field(description="What the checks are for")
    id: str | None = Field(None, description="Repository, mission or task id")
    repository_path: AbsolutePath | None = Field(None, description="Instead of a repository id")


class SetChecks(ScopeArguments):
    checks: Checks | Literal["repository"] | None = Field(
        None, description="Commands, or objects with run, changed or untouched; 'repository' uses the repository's"
    )
    final_checks: Checks | None = Field(None, description="Run on the integrated result of a mission")
    path: str | None = Field(None, max_length=10_000, description="PATH the commands run with")

    def parsed(self) -> tuple[tuple[Check, ...] | None, tuple[Check, ...] | None]:
        own = parse_checks(self.checks) if isinstance(self.checks, list) else None
        final = parse_checks(self.final_checks, field="final_checks") if self.final_checks is not None else None
        return own, final


class CheckRecord(Result):
    name: str
    kind: str
    origin: Scope
    definition: dict[str, Any]
    required: bool
    approval: str
    path: str | None = Field(description="PATH that its command runs with; null for the daemon's")
    agent_id: str | None
    created_at: Moment

    @classmethod
    def of(cls, defined: CheckDefinition) -> CheckRecord:
        check = defined.check
        return cls(
            name=check.name,
            kind=str(check.kind),
            origin=defined.scope,
            definition=check.as_dict(),
            required=check.required,
            approval=str(defined.approval),
            path=defined.path,
            agent_id=defined.agent_id,
            created_at=defined.created_at,
        )


class ChecksOfScope(Result):
    scope: Scope
    id: str
    checks: list[CheckRecord]
    final_checks: list[CheckRecord]
    uses_repository: bool = Field(description="Whether the checks of the mission's repository apply")

    @classmethod
    def of(cls, defined: DefinedFor) -> ChecksOfScope:
        return cls(
            scope=defined.scope,
            id=defined.scope_id,
            checks=[CheckRecord.of(each) for each in defined.checks],
            final_checks=[CheckRecord.of(each) for each in defined.final_checks],
            uses_repository=defined.uses_repository,
        )


class SuggestChecks(Arguments):
    repository_path: AbsolutePath
    run: bool = Field(True, description="Run each once to see which pass today")
    names: list[str] | None = Field(None, max_length=100, description="Only suggestions with these names")
    path: str | None = Field(None, max_length=10_000, description="PATH the commands run with")


class SuggestedCheck(Result):
    name: str
    run: str
    why: str
    definition: dict[str, Any]
    state: str | None
    seconds: float | None
    output: str | None


class SuggestedChecks(Result):
    repository_path: str
    checks: list[SuggestedCheck]


class AcceptTask(Arguments):
    task_id: TaskId
    reason: Text = Field(max_length=2_000, description="Why it is accepted")


@tool(toolset="control", actor="agent_id", result=ChecksOfScope)
async def checks_set(call: Call, args: SetChecks) -> DefinedFor:
    """Set what must pass before a task is done. Agents can only add task checks; a person approves their commands."""
    scope_id = await _scope_id(call, args)
    checks, final = args.parsed()
    return await call.finish(
        definitions.set_for,
        scope=args.scope,
        scope_id=scope_id,
        checks=checks,
        final_checks=final,
        from_repository=True if args.checks == "repository" else None,
        agent_id=call.actor,
        path=args.path,
    )


@tool(toolset="control", reads=True, result=ChecksOfScope, stale_on=(*MISSION, "task", "queue"))
async def checks_list(call: Call, args: ScopeArguments) -> DefinedFor:
    """List the checks in effect for a repository, mission or task, with their origin."""
    return await call.read(definitions.list_for, scope=args.scope, scope_id=await _scope_id(call, args))


@tool(toolset="control", outside=True, result=SuggestedChecks)
async def checks_suggest(call: Call, args: SuggestChecks) -> suggestions.Suggested:
    """Propose checks from a repository's own files, run each once, and report which pass today."""
    return await suggestions.suggest(
        call,
        call.trees,
        call.checks.runner,
        call.checks.host,
        path=args.repository_path,
        run=args.run,
        names=args.names,
        search_path=args.path,
        report=call.report,
    )


@tool(toolset="control", result=CompletedTask)
async def task_accept(call: Call, args: AcceptTask) -> object:
    """Complete a task whose checks did not pass. Only a person can; the reason is kept."""
    return await acceptance.accept(call, call.trees, task_id=args.task_id, reason=args.reason, by=call.identity.name)


async def _scope_id(call: Call, args: ScopeArguments) -> str:
    """Return the id that the arguments name; a repository can be named by its path."""
    if args.scope is Scope.REPOSITORY and args.repository_path is not None:
        repository = await registration.registered(call, call.trees, path=args.repository_path)
        return repository.id
    if args.id is None:
        raise InvalidInput(
            f"id: the id of the {args.scope} is missing",
            hint="Give id, or repository_path for a repository.",
            field="id",
        )
    return args.id
