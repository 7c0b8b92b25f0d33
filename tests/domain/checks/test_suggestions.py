"""Suggestions of checks: what is proposed for which files, in which order, and what never is."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.file_patterns.globs import compile_glob, compile_globs
from mission.domain.checks.file_patterns.judging_files import judged_by_patterns
from mission.domain.checks.suggestions import LONGEST_NAME, LONGEST_WHY, MOST_SUGGESTIONS, Suggestion, suggest


def commands(files: dict[str, str]) -> list[str]:
    return [each.run for each in suggest(files)]


def package(scripts: dict[str, str], **more: object) -> str:
    return json.dumps({"scripts": scripts, **more})


def workflow(*steps: str) -> str:
    lines = "".join(f"      - run: {step}\n" for step in steps)
    return f"on: [push]\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n{lines}"


def test_a_suggestion_says_what_it_runs_and_why():
    [found] = suggest({"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['spec']"})

    assert found == Suggestion(
        name="pytest",
        run="pytest",
        why="pyproject.toml configures pytest",
        seconds=1800,
        tests=("spec/**", "**/tests/**", "test/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"),
    )


@pytest.mark.parametrize(
    ("extra", "command"),
    [
        ({}, "pytest"),
        ({"uv.lock": ""}, "uv run pytest"),
        ({"poetry.lock": ""}, "poetry run pytest"),
        ({"pdm.lock": ""}, "pdm run pytest"),
        ({"Pipfile.lock": ""}, "pipenv run pytest"),
        ({".venv/bin/pytest": ""}, ".venv/bin/pytest"),
        ({"uv.lock": "", ".venv/bin/pytest": ""}, "uv run pytest"),
    ],
)
def test_python_tools_run_in_the_projects_own_environment(extra, command):
    assert commands({"pytest.ini": "[pytest]", **extra}) == [command]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.pytest.ini_options]"},
        {"setup.cfg": "[tool:pytest]\ntestpaths = tests"},
        {"tox.ini": "[pytest]"},
        {"conftest.py": ""},
        {"tests/conftest.py": "", "setup.py": ""},
        {"requirements-dev.txt": "ruff\npytest>=8\n"},
        {"pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']"},
        {"pyproject.toml": "[tool.poetry.group.dev.dependencies]\npytest = '^8'"},
    ],
)
def test_pytest_is_recognized_wherever_it_is_configured(files):
    assert commands(files) == ["pytest"]


def test_quick_checks_come_before_tests():
    settings = "[tool.mypy]\nfiles = 'src'\n[tool.pytest]\n[tool.ruff.format]\n[tool.black]\n[tool.importlinter]\n"

    assert commands({"pyproject.toml": settings, "uv.lock": ""}) == [
        "uv run ruff format --check .",
        "uv run black --check .",
        "uv run ruff check .",
        "uv run lint-imports",
        "uv run mypy",
        "uv run pytest",
    ]


def test_tox_is_proposed_only_where_its_commands_are_not():
    tox = "[tox]\nenvlist = py\n[testenv]\ncommands = pytest {posargs}\n"

    assert commands({"tox.ini": tox}) == ["tox"]
    assert commands({"tox.ini": tox, "pytest.ini": ""}) == ["pytest"]
    assert commands({"noxfile.py": 'def tests(session):\n    session.run("pytest", "-q")\n', "pytest.ini": ""}) == [
        "pytest"
    ]


@pytest.mark.parametrize(
    ("extra", "runs"),
    [
        ({}, ["npm run lint", "npm test"]),
        ({"package-lock.json": ""}, ["npm run lint", "npm test"]),
        ({"pnpm-lock.yaml": ""}, ["pnpm run lint", "pnpm test"]),
        ({"yarn.lock": ""}, ["yarn run lint", "yarn test"]),
        ({"bun.lockb": ""}, ["bun run lint", "bun run test"]),
    ],
)
def test_scripts_run_with_the_package_manager_of_the_lock_file(extra, runs):
    assert commands({"package.json": package({"test": "vitest run", "lint": "eslint ."}), **extra}) == runs


def test_the_named_package_manager_wins_over_lock_files():
    files = {"package.json": package({"test": "jest"}, packageManager="pnpm@9.1.0"), "yarn.lock": ""}

    assert commands(files) == ["pnpm test"]


def test_scripts_come_in_the_order_of_their_kind():
    scripts = {"test": "jest", "build": "vite build", "typecheck": "tsc --noEmit", "lint": "eslint ."}
    [*static, build, tests] = suggest({"package.json": package(scripts), "tsconfig.json": ""})

    assert [each.name for each in static] == ["npm run lint", "npm run typecheck"]
    assert (build.run, build.tests) == ("npm run build", ())
    assert tests.run == "npm test"
    assert compile_globs(tests.tests).select(["src/a.test.ts", "src/a.ts", "src/__tests__/a.js"]) == [
        "src/a.test.ts",
        "src/__tests__/a.js",
    ]


@pytest.mark.parametrize(
    "script",
    [
        'echo "Error: no test specified" && exit 1',
        "vitest --watch",
        "jest --watchAll",
        "eslint . --fix && jest",
        "prettier --write . && jest",
        "jest && npm publish",
        "jest && ./deploy.sh",
        "jest -u --updateSnapshot",
    ],
)
def test_a_script_without_tests_or_with_side_effects_is_not_proposed(script):
    assert commands({"package.json": package({"test": script})}) == []


def test_a_watching_script_that_is_switched_off_is_proposed():
    assert commands({"package.json": package({"test": "react-scripts test --watchAll=false"})}) == ["npm test"]


def test_the_compiler_is_proposed_where_no_script_runs_it():
    files = {
        "package.json": package({}, devDependencies={"typescript": "5"}),
        "tsconfig.json": "",
        "pnpm-lock.yaml": "",
    }

    assert commands(files) == ["pnpm exec tsc --noEmit"]


MAKEFILE = """
PYTEST ?= .venv/bin/pytest
.PHONY: test lint ci deploy
all: build
test: lint
\t@$(PYTEST) -q
lint:
\truff check . && mypy src
ci: lint test
deploy:
\t./deploy.sh
"""


def test_targets_of_a_makefile_replace_the_tools_they_run():
    files = {"Makefile": MAKEFILE, "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pytest]"}
    lint, tests = suggest(files)

    assert (lint.run, lint.why) == ("make lint", "Makefile has the target 'lint'")
    assert (tests.run, tests.why) == ("make test", "Makefile has the target 'test'")
    assert "**/test_*.py" in tests.tests


def test_a_target_that_ci_calls_is_one_suggestion_with_both_reasons():
    files = {"Makefile": MAKEFILE, ".github/workflows/ci.yml": workflow("make test", "make deploy", "make all")}

    assert [(each.run, each.why) for each in suggest(files)] == [
        ("make lint", "Makefile has the target 'lint'"),
        ("make test", "Makefile has the target 'test'; .github/workflows/ci.yml runs it"),
    ]


def test_tests_that_reach_out_are_not_proposed():
    assert commands({"Makefile": "test: push\n\tpytest\npush:\n\tgit push origin main\n"}) == []
    assert commands({"Makefile": "test: fmt\n\tgo test ./...\nfmt:\n\tgofmt -w .\n"}) == []


def test_quick_checks_stay_even_if_the_tests_include_them():
    makefile = "test:\n\truff check .\n\tpytest\n"

    assert commands({"Makefile": makefile, "ruff.toml": ""}) == ["ruff check .", "make test"]


def test_justfiles_and_taskfiles_are_read():
    assert commands(
        {"justfile": "set shell := ['bash']\n\ntest filter='':\n    cargo test {{filter}}\n\none name:\n    x\n"}
    ) == ["just test"]
    lint = "  lint:\n    cmds:\n      - golangci-lint run\n"
    taskfile = f"version: '3'\ntasks:\n{lint}  test:\n    deps: \n      - lint\n    cmd: go test ./...\n"
    assert commands({"Taskfile.yml": taskfile}) == ["task lint", "task test"]


@pytest.mark.parametrize(
    ("files", "runs"),
    [
        ({"Cargo.toml": "[package]\nname='a'"}, ["cargo test"]),
        ({"Cargo.toml": "[workspace]\nmembers=[]"}, ["cargo test --workspace"]),
        (
            {"Cargo.toml": "[package]\nname='a'\n[lints.clippy]\nall='warn'", "rustfmt.toml": ""},
            ["cargo fmt --check", "cargo clippy --all-targets -- -D warnings", "cargo test"],
        ),
        ({"go.mod": ""}, ["go vet ./...", "go test ./..."]),
        ({"go.mod": "", ".golangci.yml": ""}, ["golangci-lint run", "go vet ./...", "go test ./..."]),
        ({"build.gradle.kts": "", "gradlew": ""}, ["./gradlew test"]),
        ({"pom.xml": ""}, ["mvn -B test"]),
        ({"App.sln": ""}, ["dotnet test"]),
        ({"composer.json": package({"test": "phpunit"})}, ["composer run-script test"]),
        ({"phpunit.xml.dist": ""}, ["vendor/bin/phpunit"]),
        ({"Gemfile": "", ".rspec": "", ".rubocop.yml": ""}, ["bundle exec rubocop", "bundle exec rspec"]),
        ({"mix.exs": "", ".formatter.exs": ""}, ["mix format --check-formatted", "mix test"]),
        ({"Package.swift": ""}, ["swift test"]),
        ({"manage.py": ""}, ["python manage.py test"]),
    ],
)
def test_other_languages_are_known(files, runs):
    found = suggest(files)

    assert [each.run for each in found] == runs
    assert found[-1].tests


def test_reports_that_are_known_to_be_written_are_named():
    assert suggest({"pom.xml": ""})[0].junit == "**/target/{surefire,failsafe}-reports/*.xml"
    assert (
        suggest({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q --junitxml=out/r.xml'"})[0].junit
        == "out/r.xml"
    )
    assert suggest({"pytest.ini": "[pytest]\naddopts = --junitxml=/tmp/r.xml"})[0].junit is None


def test_commands_of_ci_that_look_like_checks_are_proposed():
    steps = workflow(
        "pip install -e .[dev]",
        "python -m pytest -q --maxfail=1",
        "mypy src",
        "cargo publish",
        "docker compose up -d",
        "pytest ${{ matrix.args }}",
        "pytest | tee log",
        "twine upload dist/* && pytest",
        "./gradlew clean test",
        "npm ci",
        "cargo test",
    )

    assert commands({".github/workflows/ci.yml": steps, "uv.lock": ""}) == [
        "uv run mypy src",
        "uv run pytest -q --maxfail=1",
    ]


def test_a_command_of_ci_runs_in_its_folder():
    files = {
        "web/package.json": package({"test": "vitest run"}),
        ".github/workflows/ci.yml": workflow("cd web && npm ci && npm test"),
    }
    [found] = suggest(files)

    assert (found.run, found.why) == ("cd web && npm test", ".github/workflows/ci.yml runs it")
    assert compile_globs(found.tests).select(["web/src/a.test.ts", "a.test.ts"]) == ["web/src/a.test.ts"]


def test_gitlab_and_shell_scripts_are_read():
    gitlab = "test:\n  image: golang\n  script:\n    - go vet ./...\n    - go test -race ./...\n"
    assert commands({".gitlab-ci.yml": gitlab, "go.mod": ""}) == ["go vet ./...", "go test -race ./..."]

    assert commands({".ci/run": "#!/bin/sh\nset -e\ncargo test --locked\n", "Cargo.toml": ""}) == [
        "cargo test --locked"
    ]


def test_folders_are_looked_at_only_if_the_top_has_no_tests():
    inner = {"api/pyproject.toml": "[tool.pytest]", "api/uv.lock": "", "web/package.json": package({"test": "jest"})}

    found = suggest(inner)
    assert [(each.name, each.run) for each in found] == [
        ("web: npm test", "cd web && npm test"),
        ("api: pytest", "cd api && uv run pytest"),
    ]
    assert all(glob.startswith("api/") for glob in found[1].tests)
    assert commands({**inner, "Makefile": "test:\n\t./all.sh\n"}) == ["make test"]


def test_broken_files_are_left_out():
    broken = {
        "pyproject.toml": "[tool",
        "package.json": "{",
        "Cargo.toml": "=",
        "tox.ini": "x",
        "Taskfile.yml": ":\n\t- [",
    }

    assert suggest({**broken, "go.mod": ""}) == suggest({"go.mod": ""})
    assert suggest({"package.json": "[" * 100_000}) == []
    assert suggest({"package.json": '{"scripts": {"test": 5, "lint": null}}', "pyproject.toml": "tool = 3"}) == []


def test_targets_that_need_each_other_end():
    circle = "".join(f"t{number}: t{number + 1}\n\t@true\n" for number in range(3_000)) + "t3000: test\n"

    assert commands({"Makefile": f"{circle}test: t0\n\tpytest\n"}) == ["make test"]
    assert commands({"package.json": package({"test": "npm run lint && jest", "lint": "npm test"})}) != []


def test_hostile_files_take_reasonable_time():
    targets = "".join(f"t{number}: t{number + 1}\n" + "\tpytest && $(A)\n" * 10 for number in range(1_000))
    workflows = {
        f".github/workflows/{number}.yml": workflow(*(f"make t{each}" for each in range(300))) for number in range(9)
    }
    begun = time.process_time()
    suggest({"Makefile": f"A = $(B)$(B)\nB = $(A)$(A)\n{targets}test: t0\n", **workflows})

    assert time.process_time() - begun < 20


def test_nothing_is_suggested_for_nothing():
    assert suggest({}) == []
    assert suggest({"README.md": "run pytest"}) == []


HOSTILE = st.sampled_from(
    [
        *("pytest", "make test", "npm test", "cd a && jest", "go test ./...\tx", "cargo test && cargo publish"),
        *("rm -rf /", "npm publish", "git push", "pip install x", "deploy", "ruff check --fix"),
        *("$(evil)", "`evil`", "x\0y", "pytest > out"),
    ]
)


@given(st.lists(HOSTILE, max_size=6), st.dictionaries(st.sampled_from(["test", "lint", "check", "build"]), HOSTILE))
def test_no_suggestion_changes_anything(steps, scripts):
    makefile = "".join(f"{name}:\n\t{body}\n" for name, body in scripts.items())
    found = suggest(
        {
            ".github/workflows/a.yml": workflow(*steps),
            "package.json": package(scripts),
            "Makefile": makefile,
            "go.mod": "",
        }
    )

    assert len(found) <= MOST_SUGGESTIONS
    assert len({each.name for each in found}) == len({each.run for each in found}) == len(found)
    for each in found:
        assert not {"rm", "publish", "push", "install", "deploy", "--fix", ">"} & set(each.run.split())
        assert each.run.isprintable()
        assert "$" not in each.run
        assert "`" not in each.run
        assert len(each.name) <= LONGEST_NAME
        assert len(each.why) <= LONGEST_WHY
        for glob in each.tests:
            compile_glob(glob)


@given(
    st.text(max_size=200),
    st.sampled_from(["Makefile", "justfile", "Taskfile.yml", ".gitlab-ci.yml", "tox.ini", "noxfile.py"]),
)
def test_any_text_can_be_read(text, name):
    suggest({name: text})


def test_the_files_that_suggestions_come_from_are_files_that_judge():
    judges = compile_globs(judged_by_patterns())

    for name in (
        "pyproject.toml",
        "package.json",
        "Makefile",
        "Cargo.toml",
        "go.mod",
        ".github/workflows/ci.yml",
        "tox.ini",
    ):
        assert judges.matches(name)
