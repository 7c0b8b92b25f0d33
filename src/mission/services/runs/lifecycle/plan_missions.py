"""Make a mission of a plan file, with its checks, the setup of its worktrees and its tasks."""

from __future__ import annotations

from mission.domain.checks.check import Scope
from mission.domain.missions.mission import Family, Mission
from mission.domain.plans.plan_file import PlanFile, PlanTask
from mission.services.evidence import definitions
from mission.services.missions import creation, planning
from mission.services.missions.creation import NewMission
from mission.services.missions.planning import NewTask, Plan
from mission.services.repositories.working_trees import TreeLocation
from mission.store.transaction import Tx

SOURCE_TYPE = "custom"


def create(tx: Tx, *, plan: PlanFile, place: TreeLocation, path: str | None, source: str, text: str | None) -> Mission:
    """Create the mission. Its checks are the operator's: they count at once and run with this PATH."""
    wanted = plan.mission
    setup = {"setup": wanted.setup, "copy": list(wanted.copy) or None}
    mission = creation.create(
        tx,
        new=NewMission(
            name=wanted.name,
            objective=wanted.objective,
            family=Family.WORKFLOW,
            source_type=SOURCE_TYPE,
            source_ref=source,
            source_content=text,
            workspace_setup={name: value for name, value in setup.items() if value is not None} or None,
            repository_checks=wanted.repository_checks,
            review=wanted.review,
        ),
        place=place,
    )
    definitions.set_for(
        tx,
        scope=Scope.MISSION,
        scope_id=mission.id,
        checks=None if wanted.repository_checks else wanted.checks,
        final_checks=wanted.final_checks,
        agent_id=None,
        path=path,
    )
    _add_tasks(tx, tx.missions.get(mission.id), plan, path=path, source=source)
    return tx.missions.get(mission.id)


def _add_tasks(tx: Tx, mission: Mission, plan: PlanFile, *, path: str | None, source: str) -> None:
    phases = plan.phases()
    tasks = [_new(task, sequence=phases[task.name]) for task in plan.tasks]
    outline = Plan(summary=plan.mission.objective, approach=f"The tasks of {source}.", tasks=tasks)
    outline.check()
    planning.set_plan(tx, mission_id=mission.id, plan=outline)
    checks = {new.id: task.checks for new, task in zip(tasks, plan.tasks, strict=True) if task.checks}
    definitions.propose(tx, mission=tx.missions.get(mission.id), checks=checks, agent_id=None, path=path)


def _new(task: PlanTask, *, sequence: int) -> NewTask:
    """Return the task without its checks, which are added with their PATH."""
    return NewTask(
        name=task.name,
        description=task.description,
        sequence=sequence,
        depends_on=task.depends_on,
        requires=task.requires or None,
        areas=task.areas,
        client=task.agent,
        files_likely_affected=task.files_likely_affected or None,
        acceptance=task.acceptance or None,
        review=task.review,
    )
