"""Proposals by language and by task runner, each alone; test_suggestions.py has them together."""

from __future__ import annotations

from mission.domain.checks.proposals import javascript_scripts, other_languages, python_tools, runner_targets
from mission.domain.checks.proposals.project import Project


def runs(proposals):
    return [each.run for each in proposals if each]


def test_a_python_tool_is_named_by_its_words():
    project = Project({"setup.cfg": "[mypy]\nstrict = true\n[flake8]\n", ".flake8": "", "venv/bin/mypy": ""})

    found = [each for each in python_tools.python_proposals(project) if each]

    assert [(each.name, each.run, each.why) for each in found] == [
        ("flake8", "flake8", ".flake8 configures flake8"),
        ("mypy", "venv/bin/mypy .", "setup.cfg configures mypy"),
    ]


def test_a_python_command_gets_the_projects_runner():
    assert python_tools.with_runner(Project({"pdm.lock": ""}), "mypy src") == "pdm run mypy src"
    assert python_tools.with_runner(Project({".venv/bin/mypy": ""}), "mypy src") == ".venv/bin/mypy src"
    assert python_tools.with_runner(Project({}), "mypy src") == "mypy src"


def test_the_package_manager_is_named_or_has_a_lock_file():
    def manager(files):
        return javascript_scripts.package_manager(Project(files))

    assert manager({"package.json": '{"packageManager": "yarn@4"}', "pnpm-lock.yaml": ""}) == "yarn"
    assert manager({"package.json": '{"packageManager": "evil; rm@4"}', "pnpm-lock.yaml": ""}) == "pnpm"
    assert manager({}) == "npm"
    assert runs(javascript_scripts.javascript_proposals(Project({"yarn.lock": ""}))) == []


def test_a_virtual_go_workspace_has_no_packages_of_its_own():
    assert runs(other_languages.other_proposals(Project({"go.work": ""}))) == []


def test_a_target_without_commands_is_not_proposed():
    project = Project({"Makefile": ".PHONY: test\ntest:\n\nlint:\n\t./lint.sh\n"})

    assert runs(runner_targets.target_proposals(project)) == ["make lint"]
