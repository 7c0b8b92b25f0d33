"""Find the points in the source: functions that write to the store, run git or start a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
WRITING = {"write", "finish", "submit"}
"""Methods whose first argument is a transaction function."""
GIT = {"mission.git.command.run", "mission.git.command.stream"}
SPAWN = {"subprocess.Popen", "asyncio.create_subprocess_exec"}
READS = {"mission.store.database", "mission.services.work", "mission.gateway.call"}


def points_in(*folders: str) -> set[str]:
    """Return the points of all modules below these folders of `src/mission`, named as a process names them."""
    found: set[str] = set()
    for folder in folders:
        top = SOURCE / "mission" / folder
        for path in [top] if top.suffix == ".py" else sorted(top.rglob("*.py")):
            found |= set(_Module(path).points())
    return found


class _Module:
    """One module, with what its names stand for."""

    def __init__(self, path: Path) -> None:
        self.name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        self.tree = ast.parse(path.read_text())
        self.names: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.names |= {(each.asname or each.name): each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                self.names |= {(each.asname or each.name): f"{node.module}.{each.name}" for each in node.names}

    def points(self) -> Iterator[str]:
        for scope, call in _calls(self.tree, ()):
            asker = ".".join((self.name, *scope))
            called = self._resolved(call.func)
            if called in GIT:
                yield f"git {asker}"
            elif called in SPAWN:
                yield f"spawn {asker}"
            elif isinstance(call.func, ast.Attribute) and call.func.attr in WRITING and call.args:
                function = self._resolved(call.args[0])
                if function is not None:
                    yield f"write {function}"

    def _resolved(self, node: ast.expr) -> str | None:
        """Return what a name stands for; None if it is not a function that is known here."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.names.get(node.value.id)
            return f"{module}.{node.attr}" if module is not None else None
        if not isinstance(node, ast.Name):
            return None
        if node.id in self.names:
            return self.names[node.id]
        own = {each.name for each in self.tree.body if isinstance(each, ast.FunctionDef)}
        return f"{self.name}.{node.id}" if node.id in own else None


def _calls(node: ast.AST, scope: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.Call]]:
    """Yield each call with the class and function it is in; a function inside another one counts as the other."""
    for child in ast.iter_child_nodes(node):
        inner = scope
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not is_function:
            inner = (*scope, child.name)
        if isinstance(child, ast.Call):
            yield scope, child
        yield from _calls(child, inner)
