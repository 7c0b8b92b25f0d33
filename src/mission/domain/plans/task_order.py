"""The order of a plan's tasks: problems with their names and dependencies, and the phases that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mission.domain.missions.plan_graph import NAMED, find_cycle
from mission.domain.plans.plan_problems import MAX_PROBLEMS, ProblemList
from mission.spelling import nearest

Dependencies = Sequence[tuple[str, Sequence[str]]]
"""The tasks of a plan in their order, each with the names it depends on."""


def find_order_problems(tasks: Dependencies, problems: ProblemList) -> None:
    """Add a problem for each doubled name, each dependency on itself or on an unknown task, and each cycle."""
    first: dict[str, int] = {}
    for number, (name, _) in enumerate(tasks):
        if name and first.setdefault(name, number) != number:
            line = problems.lines.find(("tasks", first[name], "name")).line
            message = f"tasks[{number}].name: '{name}' is already the name of the task in line {line}"
            problems.add(("tasks", number, "name"), message, "Give every task its own name.")
    _find_unknown(tasks, first, problems)
    _find_cycles(tasks, first, problems)


def _find_unknown(tasks: Dependencies, numbers: Mapping[str, int], problems: ProblemList) -> None:
    pairs = [
        (number, position, name, other)
        for number, (name, wanted) in enumerate(tasks)
        for position, other in enumerate(wanted)
        if name and other and (other == name or other not in numbers)  # an empty name is already a problem
    ]
    for count, (number, position, name, other) in enumerate(pairs):
        what, hint = f"'{name}' depends on itself", "Remove the task from its own depends_on."
        if other != name:
            close = nearest(other, numbers) if count < MAX_PROBLEMS else None  # it compares with every name
            what = f"no task is named '{other}'"
            hint = f"Did you mean '{close}'?" if close else "Use the exact name of a task in this plan."
        problems.add(("tasks", number, "depends_on", position), f"tasks[{number}].depends_on: {what}", hint)


def _find_cycles(tasks: Dependencies, numbers: Mapping[str, int], problems: ProblemList) -> None:
    graph = {
        name: [other for other in tasks[number][1] if other in numbers and other != name]
        for name, number in numbers.items()
    }
    for _ in range(MAX_PROBLEMS):
        cycle = find_cycle(graph)
        if not cycle:
            return
        last, start = cycle[-2], cycle[-1]
        shown = " → ".join(cycle[:NAMED]) + (" → …" if len(cycle) > NAMED else "")
        path = ("tasks", numbers[last], "depends_on", tasks[numbers[last]][1].index(start))
        problems.add(path, f"the dependencies form a cycle: {shown}", "Remove one of these dependencies.")
        graph[last] = [other for other in graph[last] if other != start]  # other cycles may remain


def find_phases(tasks: Dependencies, *, given: Mapping[str, int]) -> dict[str, int]:
    """Return each task's phase: the given one, else one more than the highest phase among its dependencies.

    The tasks must be free of cycles and depend only on each other.
    """
    wanted = dict(tasks)
    phases: dict[str, int] = {}
    for start in wanted:
        stack = [start]
        while stack:
            name = stack[-1]
            missing = [other for other in wanted[name] if other not in phases]
            if missing and name not in given:
                stack.extend(missing)
            else:
                stack.pop()
                after = max((phases[other] for other in wanted[name] if other in phases), default=0) + 1
                phases[name] = given.get(name, after)
    return phases
