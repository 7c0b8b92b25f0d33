"""Plans as the command line shows them: a summary, and a table of tasks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mission.domain.plans.plan_file import PlanAgent, PlanFile, PlanTask
from mission.domain.plural import counted
from mission.transports.cli.output import say
from mission.transports.cli.tables import show_table

UNPROVED = "no required check: results would count as unproved. 'mission checks suggest' finds some."


def plan_summary(plan: PlanFile) -> dict[str, Any]:
    """Return what a plan asks for, in numbers."""
    agents: Counter[str] = Counter()
    for agent in plan.agents:
        agents[agent.client] += agent.count
    return {
        "mission": plan.mission.name,
        "tasks": len(plan.tasks),
        "phases": len(set(plan.phases().values())),
        "ready": [task.name for task in plan.tasks if not task.depends_on],
        "agents": dict(agents),
        "checks": len(plan.mission.checks) + sum(len(task.checks) for task in plan.tasks),
        "final_checks": len(plan.mission.final_checks),
        "budget": plan.budget.as_dict() if plan.budget is not None else None,
        "options": dict(plan.options),
    }


def plan_warnings(plan: PlanFile) -> list[str]:
    """Return what is valid but probably not meant."""
    found = []
    clients = {agent.client for agent in plan.agents}
    lonely = [task for task in plan.tasks if task.agent and clients and task.agent not in clients]
    found += [f"'{task.name}' is only for {task.agent}, which no [[agents]] table has" for task in lonely]
    unable = [task for task in plan.tasks if plan.agents and not any(_can_do(agent, task) for agent in plan.agents)]
    found += [f"'{task.name}' requires {', '.join(task.requires)}, which no agent has" for task in unable]
    required = [check for check in plan.mission.checks if check.required]
    bare = [task.name for task in plan.tasks if not any(check.required for check in task.checks)]
    if bare and not required and not plan.mission.repository_checks:
        few = f"{len(bare)} tasks have" if len(bare) > 1 else f"'{bare[0]}' has"
        found.append(f"{few} {UNPROVED}")
    return found


def _can_do(agent: PlanAgent, task: PlanTask) -> bool:
    return set(task.requires) <= set(agent.capabilities)


def show_summary(plan: PlanFile) -> None:
    """Print what a plan asks for."""
    summary = plan_summary(plan)
    ready = len(summary["ready"])
    say(
        f"'{summary['mission']}': {counted(summary['tasks'], 'task')} in {counted(summary['phases'], 'phase')}, "
        f"{ready} can start immediately"
    )
    agents = ", ".join(f"{count} × {client}" for client, count in summary["agents"].items())
    say(f"  agents  {agents or 'none'}")
    final = f" and {summary['final_checks']} final" if summary["final_checks"] else ""
    checks = "those of the repository" if plan.mission.repository_checks else str(summary["checks"])
    say(f"  checks  {checks}{final}")
    say(f"  budget  {_budget_words(summary['budget'])}")


def show_tasks(plan: PlanFile) -> None:
    """Print the tasks of a plan with what they wait for, by their numbers."""
    numbers = {task.name: number for number, task in enumerate(plan.tasks, start=1)}
    rows = [
        (numbers[task.name], task.name, ", ".join(str(numbers[name]) for name in task.depends_on))
        for task in plan.tasks
    ]
    show_table(["#", "TASK", "WAITS FOR"], rows, empty="No tasks.")


def _budget_words(budget: dict[str, Any] | None) -> str:
    if not budget:
        return "unlimited"
    limits = ", ".join(f"{value:,} {name}" for name, value in budget.items() if name != "per_task")
    each = f"each task {_budget_words(budget['per_task'])}" if budget.get("per_task") else ""
    return "; ".join(filter(None, (limits, each)))
