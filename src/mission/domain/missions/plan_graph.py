"""A plan as a graph: tasks by name with their dependencies, and the checks that it is valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mission.domain.errors import InvalidInput

NAMED = 10
"""How many names an error lists; the rest are only counted."""


def check_plan(
    dependencies: Sequence[tuple[str, Sequence[str]]],
    *,
    known: Iterable[str] | None = None,
    field: str = "plan.tasks",
) -> None:
    """Raise InvalidInput, with the tasks at fault, unless the plan is valid.

    `dependencies` are the plan's tasks, each with the names it depends on. For a plan that extends another, `known`
    are the names in it that already exist.
    """
    existing = set(known or ())
    counts = Counter(name for name, _ in dependencies)
    doubled = [name for name, count in counts.items() if count > 1 or name in existing]
    if doubled:
        message = f"task names must be unique; duplicates: {_listed(doubled)}"
        raise _fault(field, message, "Give every task its own name.", doubled)
    lonely = [name for name, wanted in dependencies if name in wanted]
    if lonely:
        message = f"tasks depend on themselves: {_listed(lonely)}"
        raise _fault(field, message, "Remove the task from its own depends_on.", lonely)
    missing = {w: name for name, wanted in dependencies for w in wanted if w not in counts and w not in existing}
    if missing:
        pairs = [f"'{wanted}' (needed by '{name}')" for wanted, name in missing.items()]
        raise _fault(
            field,
            f"depends_on names unknown tasks: {_listed(pairs, quote=False)}",
            f"Use the exact names{' or ids' if known is not None else ''} of tasks in the same plan.",
            list(missing),
        )
    cycle = find_cycle({name: [w for w in wanted if w in counts] for name, wanted in dependencies})
    if cycle:
        path = " → ".join(cycle[:NAMED]) + (" → …" if len(cycle) > NAMED else "")
        raise _fault(field, f"the plan has a cycle: {path}", "Remove one of these dependencies.", cycle)


def find_cycle(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a cycle as a path that ends where it began; empty if there is none."""
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
