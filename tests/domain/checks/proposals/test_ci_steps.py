"""Commands of CI files: which are checks, and where they run."""

from __future__ import annotations

import pytest

from mission.domain.checks.proposals.ci_steps import ci_proposals

PACKAGES = {"package.json": '{"scripts": {"test": "jest"}}', "web/package.json": '{"scripts": {"test": "jest"}}'}


def runs(name: str, text: str, **files: str) -> list[str]:
    return [each.run for each in ci_proposals({name: text, **PACKAGES, **files}) if each]


def test_the_folder_of_a_step_or_its_job_is_used():
    text = """
defaults:
  run:
    working-directory: ./web
jobs:
  a:
    steps:
      - run: npm test
      - run: npm test
        working-directory: .
  b:
    defaults:
      run:
        working-directory: ../outside
    steps:
      - run: npm test
"""

    assert runs(".github/workflows/a.yml", text) == ["cd web && npm test", "npm test"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gitlab-ci.yml", "test:\n  script:\n    - npm ci\n    - npm test\n"),
        (
            ".circleci/config.yml",
            "jobs:\n  test:\n    steps:\n      - run:\n          name: x\n          command: npm test\n",
        ),
        ("azure-pipelines.yml", "steps:\n  - script: npm test\n"),
        ("bitbucket-pipelines.yml", "pipelines:\n  default:\n    - step:\n        script:\n          - npm test\n"),
        (".travis.yml", "script: npm test\n"),
        (".ci/run", "#!/bin/sh\nnpm test\n"),
    ],
)
def test_files_of_several_services_are_read(name, text):
    assert runs(name, text) == ["npm test"]


def test_other_shells_and_other_files_are_left_out():
    steps = "jobs:\n  a:\n    steps:\n      - run: npm test\n        shell: pwsh\n"

    assert runs(".github/workflows/a.yml", steps) == []
    assert runs(".github/dependabot.yml", steps.replace("pwsh", "bash")) == []


def test_a_command_that_the_project_cannot_run_is_left_out():
    commands = ("cargo test", "npm run missing", "cd deep/er && npm test")
    steps = "jobs:\n  a:\n    steps:\n" + "".join(f"      - run: {command}\n" for command in commands)

    assert runs(".github/workflows/a.yml", steps) == []
