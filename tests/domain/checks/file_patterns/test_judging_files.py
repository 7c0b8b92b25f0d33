"""Files that decide whether a check passes, and files that no reviewer reads."""

from __future__ import annotations

import pytest

from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.checks.file_patterns.judging_files import (
    is_reviewed,
    judged_by_patterns,
    judging_files,
    unreviewed_patterns,
)

JUDGING = """
.github/workflows/ci.yml .github/actions/setup/action.yml .gitlab-ci.yml .ci/run .circleci/config.yml
.pre-commit-config.yaml Jenkinsfile Makefile web/Makefile rules.mk justfile Taskfile.yml tox.ini noxfile.py
pyproject.toml services/api/pyproject.toml pytest.ini setup.cfg .coveragerc conftest.py tests/unit/conftest.py
ruff.toml mypy.ini requirements.txt requirements-dev.txt requirements/test.txt constraints.txt uv.lock poetry.lock
package.json web/package.json package-lock.json yarn.lock pnpm-lock.yaml jest.config.js vitest.config.mts
playwright.config.ts karma.conf.js .eslintrc .eslintrc.cjs eslint.config.mjs .prettierrc.json biome.json
tsconfig.json tsconfig.app.json packages/a/tsconfig.build.json Cargo.toml Cargo.lock crates/a/Cargo.toml clippy.toml
go.mod go.sum .golangci.yml pom.xml build.gradle.kts gradle.lockfile App/App.csproj App.sln composer.json
composer.lock phpunit.xml.dist Gemfile Gemfile.lock .rubocop.yml mix.exs mix.lock CMakeLists.txt .editorconfig
"""
ORDINARY = """
src/app.py README.md docs/Makefile.md src/main.rs src/index.ts tests/test_a.py src/package.py config.json
github/workflows/ci.yml src/jest.py data.lock notes/requirements.md main.go src/tsconfig.ts
"""
UNREVIEWED = """
package-lock.json web/yarn.lock uv.lock Cargo.lock go.sum static/app.min.js dist/app.js.map api/user_pb2.py
api/user.pb.go src/__snapshots__/a.test.tsx.snap src/__generated__/schema.ts vendor/lib/a.go lib/user.g.dart
"""


@pytest.mark.parametrize("path", JUDGING.split())
def test_configuration_of_checks_is_known_wherever_it_is(path):
    assert judging_files([path]) == [path]


@pytest.mark.parametrize("path", ORDINARY.split())
def test_ordinary_files_judge_nothing(path):
    assert judging_files([path]) == []


@pytest.mark.parametrize("path", UNREVIEWED.split())
def test_lock_and_generated_files_are_not_read_by_a_reviewer(path):
    assert not is_reviewed(path)


@pytest.mark.parametrize("path", ["src/app.py", "Cargo.toml", "package.json", "src/generated.py", "Makefile"])
def test_everything_else_is_read_by_a_reviewer(path):
    assert is_reviewed(path)


def test_every_pattern_is_a_valid_glob_and_none_is_listed_twice():
    for patterns in (judged_by_patterns(), unreviewed_patterns()):
        assert len(set(patterns)) == len(patterns)
        for pattern in patterns:
            compile_glob(pattern)
