"""A folder as its files describe it: what a command of the project really checks."""

from __future__ import annotations

from mission.domain.checks.proposals.project import Project

FILES = {
    "Makefile": "test: lint\n\tnpm ci\n\tnpm test\n\t./extra.sh\nlint:\n\t@echo linting\n\truff check .\n",
    "package.json": '{"scripts": {"test": "npm run unit && vitest run", "unit": "node --test"}}',
    "tox.ini": "[testenv]\ncommands =\n    pytest {posargs}\n    mypy src\n",
    "api/pytest.ini": "[pytest]\ntestpaths = a b\naddopts = -q\n",
}


def test_a_command_means_the_tools_behind_its_targets_and_scripts():
    project = Project(FILES)

    assert list(project.meanings("make test")) == ["ruff check", "node --test", "vitest", "./extra.sh"]
    assert list(project.meanings("yarn unit")) == ["node --test"]
    assert list(project.meanings("tox -e py")) == ["pytest", "mypy"]
    assert list(project.meanings("make unknown")) == ["make unknown"]
    assert project.meanings("npm install && cd x && mkdir y") == {}


def test_the_text_behind_a_command_is_collected():
    assert "node --test" in Project(FILES).reached("make test")


def test_a_folder_has_its_own_files():
    project = Project(FILES, folder="api")

    assert list(project.files) == ["pytest.ini"]
    assert (project.pytest_paths, project.pytest_options) == (["a", "b"], "-q")
    assert project.first("tox.ini", "pytest.ini") == "pytest.ini"


def test_broken_files_count_as_empty():
    project = Project(
        {"pyproject.toml": "[", "package.json": "[1]", "composer.json": "{", "Cargo.toml": "x", "setup.cfg": "x"}
    )

    assert (project.pyproject, project.package, project.composer, project.cargo) == ({}, {}, {}, {})
    assert project.ini_sections("setup.cfg") == {}
    assert project.scripts({"scripts": ["a"]}) == {}
    assert project.scripts({"scripts": {"a": ["x", 1, "y"], "b": 2}}) == {"a": "x && y"}
