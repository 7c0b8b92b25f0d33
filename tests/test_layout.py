"""Where tests are: every module has a test file of its name in the same folder of the tests, or is imported there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "mission"
PACKAGES = ("domain", "services", "gateway", "git", "runtime")
_DRIVEN = "tested with whole runs in tests/services/runs/test_driver.py; it still needs a test of its own"
WITHOUT_TESTS = {
    "services/runs/agents/agent_steps.py": _DRIVEN,
    "services/runs/agents/asking.py": _DRIVEN,
    "services/runs/view_reader.py": _DRIVEN,
    "services/runs/viewing/questions.py": _DRIVEN,
    "services/runs/context.py": "values that the steps of a run need, tested where they are used",
    "services/client_setup.py": "the port of the runtime: values and a protocol, tested where they are implemented",
    "services/launcher.py": "the port of the runtime: values and a protocol, tested where they are implemented",
}
"""Modules without a test file of their own, and why."""

MODULES = sorted(
    path.relative_to(SOURCE)
    for package in PACKAGES
    for path in (SOURCE / package).rglob("*.py")
    if path.name != "__init__.py"
)


def is_tested(module: Path) -> bool:
    folder = TESTS / module.parent
    name = "mission." + ".".join(module.with_suffix("").parts)
    return (folder / f"test_{module.name}").exists() or any(name in imported(test) for test in folder.glob("test_*.py"))


def imported(test: Path) -> Iterator[str]:
    """Yield the full name of every module, and of every name in it, that the file imports."""
    for node in ast.walk(ast.parse(test.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("module", [module for module in MODULES if str(module) not in WITHOUT_TESTS], ids=str)
def test_a_module_has_tests_where_a_reader_looks_for_them(module):
    assert is_tested(module), f"add tests/{module.parent}/test_{module.name}, or import the module in a test next to it"


def test_a_module_without_tests_exists_and_really_has_none():
    assert [name for name in WITHOUT_TESTS if not (SOURCE / name).exists() or is_tested(Path(name))] == []
