"""Check for misleading names: crowded folders, names of other modules, one class name for two things.

`make check` runs it. Standard library only.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "mission"
MAX_FILES = 15
OTHERS = sys.stdlib_module_names | {"alembic", "click", "mcp", "pydantic", "rich", "sqlalchemy", "starlette", "uvicorn"}
EXEMPT = ("migrations", "page")


def problems(source: Path) -> Iterator[str]:
    """Yield a sentence for each name that would mislead a reader of the tree below `source`."""
    modules = [
        each for each in sorted(source.rglob("*.py")) if not set(EXEMPT) & set(each.relative_to(source).parts[:-2])
    ]
    yield from _crowded(modules)
    yield from _shadowing(modules)
    yield from _doubled(modules)


def _crowded(modules: list[Path]) -> Iterator[str]:
    folders: dict[Path, int] = defaultdict(int)
    for module in modules:
        folders[module.parent] += module.name != "__init__.py"
    for folder, count in folders.items():
        if count > MAX_FILES:
            yield f"{folder}: {count} files. Split the folder; the limit is {MAX_FILES}."


def _shadowing(modules: list[Path]) -> Iterator[str]:
    names = {each.with_suffix("") for each in modules} | {each.parent for each in modules}
    for each in sorted(names):
        if each.name in OTHERS and not each.name.startswith("__"):
            yield f"{each}: shadows the module '{each.name}'. Rename it."


def _doubled(modules: list[Path]) -> Iterator[str]:
    """Yield class names with several meanings; tools may share names, because callers never see the class."""
    homes: dict[str, list[Path]] = defaultdict(list)
    for module in modules:
        if "tools" in module.parts:
            continue
        for node in ast.parse(module.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module)
    for name, places in homes.items():
        if len(places) > 1:
            yield f"class {name} means {len(places)} things: {', '.join(map(str, places))}. Rename all but one."


def main() -> int:
    found = list(problems(SOURCE))
    for each in found:
        print(each)  # noqa: T201
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
