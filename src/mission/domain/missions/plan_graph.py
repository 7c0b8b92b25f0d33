"""A plan as a graph: tasks by name, what each waits for, and what is wrong with it if it cannot be followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mission.domain.errors import InvalidInput

NAMED = 10
"""How many names an error lists before it only counts."""


def check_plan(
    dependencies: Sequence[tuple[str, Sequence[str]]],
    *,
    known: Iterable[str] | None = None,
    field: str = "plan.tasks",
) -> None:
    """Nothing for a plan that can be followed; otherwise an error that names the tasks at fault.

    `dependencies` are the plan's tasks, each with the names it waits for. For a plan that is added to another, `known`
    are those of the names in it that the other has already.
    """
    existing = set(known or ())
    counts = Counter(name for name, _ in dependencies)
    doubled = [name for name, count in counts.items() if count > 1 or name in existing]
    if doubled:
        message = f"task names must be unique; doubled: {_listed(doubled)}"
        raise _fault(field, message, "Give every task its own name.", doubled)
    lonely = [name for name, wanted in dependencies if name in wanted]
    if lonely:
        message = f"tasks depend on themselves: {_listed(lonely)}"
        raise _fault(field, message, "Take the task out of its depends_on.", lonely)
    missing = {w: name for name, wanted in dependencies for w in wanted if w not in counts and w not in existing}
    if missing:
        pairs = [f"'{wanted}' (wanted by '{name}')" for wanted, name in missing.items()]
        raise _fault(
            field,
            f"depends_on names unknown tasks: {_listed(pairs, quote=False)}",
            f"depends_on takes names of tasks in the same plan{', or their ids' if known is not None else ''},"
            " spelled as they are there.",
            list(missing),
        )
    cycle = find_cycle({name: [w for w in wanted if w in counts] for name, wanted in dependencies})
    if cycle:
        path = " → ".join(cycle[:NAMED]) + (" → …" if len(cycle) > NAMED else "")
        raise _fault(field, f"the plan goes in a circle: {path}", "Cut one of these dependencies.", cycle)


def find_cycle(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """A circle as a path that ends where it began; empty when there is none."""
    done: set[str] = set()
    for start in graph:
        if start in done:
            continue
        path: list[str] = []
        on_path: dict[str, int] = {}
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            node, step = stack.pop()
            if step == 0:
                on_path[node] = len(path)
                path.append(node)
            if step < len(graph[node]):
                stack.append((node, step + 1))
                following = graph[node][step]
                if following in on_path:
                    return [*path[on_path[following] :], following]
                if following not in done:
                    stack.append((following, 0))
            else:
                done.add(node)
                path.pop()
                del on_path[node]
    return []


def _fault(field: str, message: str, hint: str, names: Sequence[str]) -> InvalidInput:
    return InvalidInput(message, hint=hint, field=field, tasks=list(names)[: NAMED * 10])


def _listed(names: Sequence[str], *, quote: bool = True) -> str:
    shown = [f"'{name}'" if quote else name for name in names[:NAMED]]
    return ", ".join(shown) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
