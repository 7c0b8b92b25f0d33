"""Use cases of defined checks: which apply to a task, and who may set or propose them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mission.domain.checks.check import MAX_CHECKS, Approval, Check, CheckKind, Scope
from mission.domain.checks.definition import CheckDefinition, check_addable, in_effect
from mission.domain.errors import InvalidInput, NotFound, PermissionDenied
from mission.domain.inbox.item import APPROVE, REFUSE, ItemKind
from mission.domain.missions.mission import Mission
from mission.domain.tasks.task import Task
from mission.services.inbox import items as inbox
from mission.store.transaction import Tx

MAX_TEXT = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinedFor:
    """The checks of one scope, and the final checks of a mission."""

    scope: Scope
    scope_id: str
    checks: Sequence[CheckDefinition]
    final_checks: Sequence[CheckDefinition]
    uses_repository: bool = False


def effective(tx: Tx, task: Task) -> list[CheckDefinition]:
    """Return the checks that apply to a task; those of the mission do not apply to child tasks."""
    mission = tx.missions.get(task.mission_id)
    found = tx.checks.for_task(repository_id=_repository(mission), mission_id=mission.id, task_id=task.id)
    if task.parent_id is not None:
        found = [each for each in found if each.scope is Scope.TASK]
    return in_effect(found)


def list_for(tx: Tx, *, scope: Scope, scope_id: str) -> DefinedFor:
    """List the checks in effect for a repository, a mission or a task, with their origin."""
    if scope is Scope.TASK:
        task = tx.tasks.get(scope_id)
        return DefinedFor(scope=scope, scope_id=task.id, checks=effective(tx, task), final_checks=[])
    if scope is Scope.REPOSITORY:
        _check_exists(tx, scope=scope, scope_id=scope_id)
        return DefinedFor(scope=scope, scope_id=scope_id, checks=tx.checks.of(scope, scope_id), final_checks=[])
    mission = tx.missions.get(scope_id)
    return DefinedFor(
        scope=scope,
        scope_id=mission.id,
        checks=in_effect(tx.checks.for_task(repository_id=_repository(mission), mission_id=mission.id, task_id="")),
        final_checks=tx.checks.of(scope, mission.id, final=True),
        uses_repository=mission.repository_checks,
    )


def set_for(
    tx: Tx,
    *,
    scope: Scope,
    scope_id: str,
    checks: Sequence[Check] | None,
    final_checks: Sequence[Check] | None = None,
    from_repository: bool | None = None,
    agent_id: str | None,
    path: str | None,
) -> DefinedFor:
    """Set the checks of a scope as the operator, or add checks to a task as an agent."""
    if agent_id is not None and scope is not Scope.TASK:
        raise PermissionDenied(
            f"only the operator can set checks for a {scope}", hint="Propose checks for one of your tasks instead."
        )
    if (final_checks is not None or from_repository is not None) and scope is not Scope.MISSION:
        raise InvalidInput(
            "only a mission can have final checks or use its repository's checks",
            hint="Set scope to 'mission'.",
            field="final_checks" if final_checks is not None else "checks",
        )
    _check_exists(tx, scope=scope, scope_id=scope_id)
    if checks is not None:
        if agent_id is None:
            _replace(tx, scope, scope_id, checks, final=False, path=path)
        else:
            mission = tx.missions.get(tx.tasks.get(scope_id).mission_id)
            # An agent's PATH would decide which program an approved text runs.
            propose(tx, mission=mission, checks={scope_id: checks}, agent_id=agent_id)
    if final_checks is not None:
        _replace(tx, scope, scope_id, final_checks, final=True, path=path)
    if scope is Scope.MISSION and (from_repository is not None or checks is not None):
        mission = tx.missions.get(scope_id)
        _check_has_repository(mission.id, mission.repository_id, wanted=bool(from_repository))
        tx.missions.save(replace(mission, repository_checks=bool(from_repository), updated_at=tx.now))
    return list_for(tx, scope=scope, scope_id=scope_id)


def propose(
    tx: Tx,
    *,
    mission: Mission,
    checks: Mapping[str, Sequence[Check]],
    agent_id: str | None,
    path: str | None = None,
    scope: Scope = Scope.TASK,
    final: bool = False,
) -> None:
    """Add checks to tasks of a mission, by task id, or to the mission itself.

    Commands from an agent wait until a person has approved their exact text. One inbox item asks about all of them;
    a command that was already approved for this mission is not asked again.
    """
    if not checks:
        return
    wider = in_effect(tx.checks.for_task(repository_id=_repository(mission), mission_id=mission.id, task_id=""))
    for scope_id, new in checks.items():
        check_addable(new, [*wider, *tx.checks.of(scope, scope_id, final=final)], field="checks")
    approved = {each.check.digest for each in wider if each.approval is Approval.APPROVED}
    known = approved | tx.checks.approved_digests(mission.id)
    unknown = {
        check.digest: check
        for new in checks.values()
        for check in new
        if agent_id is not None and check.kind is CheckKind.RUN and check.digest not in known
    }
    tasks = list(checks) if scope is Scope.TASK else []
    commands = [_shown(check) for check in unknown.values()]
    item_id = _ask(tx, mission=mission, tasks=tasks, commands=commands, agent_id=agent_id) if unknown else None
    tx.checks.add(
        [
            CheckDefinition(
                scope=scope,
                scope_id=scope_id,
                final=final,
                check=check,
                position=MAX_CHECKS + position,
                path=path,
                approval=Approval.PENDING if check.digest in unknown else Approval.APPROVED,
                agent_id=agent_id,
                mission_id=mission.id,
                item_id=item_id if check.digest in unknown else None,
                created_at=tx.now,
            )
            for scope_id, new in checks.items()
            for position, check in enumerate(new, 1)
        ]
    )


def _ask(
    tx: Tx,
    *,
    mission: Mission,
    tasks: Sequence[str],
    commands: Sequence[str],
    agent_id: str | None,
) -> str:
    """Ask a person whether these exact commands may run."""
    only = tasks[0] if len(tasks) == 1 else None
    count = "1 command as a check" if len(commands) == 1 else f"{len(commands)} commands as checks"
    some = f"{len(tasks)} tasks of " if tasks else ""
    where = f"'{tx.tasks.get(only).name}'" if only is not None else f"{some}'{mission.name}'"
    listed = "\n".join(commands)
    if len(listed) > MAX_TEXT:
        raise InvalidInput(
            f"checks: the commands have {len(listed):,} characters, too many for a person to read (limit {MAX_TEXT:,})",
            hint="Put them in scripts in the repository, or propose fewer at once.",
            field="checks",
        )
    item = inbox.open_item(
        tx,
        kind=ItemKind.CHECKS,
        subject=f"Allow {count} for {where}?",
        body=f"An agent asks to run this on this machine each time a task is reported done:\n\n{listed}",
        mission_id=mission.id,
        task_id=only,
        agent_id=agent_id,
        choices=(APPROVE, REFUSE),
    )
    return item.id


def _shown(check: Check) -> str:
    """Return everything that a person approves: the command and the variables it gets."""
    variables = "".join(f"{name}={shlex.quote(text)} " for name, text in check.env.items())
    return f"{variables}{check.run}"


def _repository(mission: Mission) -> str | None:
    """Return the repository whose checks apply to a mission."""
    return mission.repository_id if mission.repository_checks else None


def _replace(tx: Tx, scope: Scope, scope_id: str, checks: Sequence[Check], *, final: bool, path: str | None) -> None:
    mission_id = {Scope.MISSION: scope_id, Scope.REPOSITORY: None}.get(scope)
    if scope is Scope.TASK:
        mission_id = tx.tasks.get(scope_id).mission_id
    tx.checks.remove(scope, scope_id, final=final)
    tx.checks.add(
        [
            CheckDefinition(
                scope=scope,
                scope_id=scope_id,
                final=final,
                check=check,
                position=position,
                path=path,
                mission_id=mission_id,
                created_at=tx.now,
            )
            for position, check in enumerate(checks, 1)
        ]
    )


def _check_exists(tx: Tx, *, scope: Scope, scope_id: str) -> None:
    if scope is Scope.TASK:
        tx.tasks.get(scope_id)
    elif scope is Scope.MISSION:
        tx.missions.get(scope_id)
    elif tx.missions.repository(scope_id) is None:
        raise NotFound(
            f"there is no repository {scope_id[:60]}",
            hint="Register its path first.",
            repository_id=scope_id[:60],
        )


def _check_has_repository(mission_id: str, repository_id: str | None, *, wanted: bool) -> None:
    if wanted and repository_id is None:
        raise InvalidInput(
            f"mission {mission_id} has no repository whose checks it could use",
            hint="Give the checks themselves.",
            field="checks",
        )
