"""Commands as text: which are plain, what is behind their wrappers, and which are harmful."""

from __future__ import annotations

import pytest

from mission.domain.checks.proposals.shell_commands import (
    is_harmful,
    loose_steps,
    plain_steps,
    reaches_out,
    unwrapped,
    writes_or_waits,
)


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("pytest -q", "pytest -q"),
        ("python -m pytest -q", "pytest -q"),
        ("python3.12 -X dev -m mypy src", "mypy src"),
        (".venv/bin/python -m pytest", "pytest"),
        ("@$(PYTHON) -m pytest", "pytest"),
        ("uv run pytest", "pytest"),
        ("uv run --frozen --extra dev -m pytest", "pytest"),
        ("poetry run coverage run --source x -m pytest tests", "pytest tests"),
        ("FOO=1 BAR=2 npx --no-install eslint .", "eslint ."),
        ("env CI=1 timeout 60 go test ./...", "go test ./..."),
        ("bundle exec rspec", "rspec"),
        ("pnpm exec tsc --noEmit", "tsc --noEmit"),
        ("pnpm test", "pnpm test"),
        ("uv sync", "uv sync"),
        ("-@", ""),
    ],
)
def test_the_program_that_does_the_work_is_found(command, inner):
    assert unwrapped(command.split()) == inner.split()


@pytest.mark.parametrize(
    "line", ["a; b", "a | b", "a > b", "a < b", "a `b`", "a $(b)", "a ${b}", "a & b", "a\nb", "a 'b", "x" * 501, "ls ~"]
)
def test_what_a_shell_must_work_out_is_not_plain(line):
    assert plain_steps(line) is None


def test_a_plain_line_is_split_into_commands_and_words():
    assert plain_steps("cd web && npm test -- -t 'two words'") == [
        ["cd", "web"],
        ["npm", "test", "--", "-t", "two words"],
    ]


def test_a_script_is_split_without_a_shell():
    assert loose_steps('a "b" && c || d;\ne \\\nf | g') == [["a", "b"], ["c"], ["d"], ["e", "f"], ["g"]]


@pytest.mark.parametrize(
    "command",
    [
        *("npm publish", "cargo publish", "git push", "npm install", "pip install x", "rm -rf x", "docker push x"),
        *(
            "./deploy.sh",
            "make release",
            "twine upload dist/a",
            "sudo pytest",
            "curl x",
            "kubectl get pods",
            "go clean",
        ),
        *("ruff check --fix .", "eslint --fix", "jest --watch", "vitest --ui", "pytest --pdb", "mvn clean test"),
    ],
)
def test_a_command_that_changes_or_waits_is_harmful(command):
    assert is_harmful(command)


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "cargo test --release", "npx --no-install tsc", "uv run --extra dev pytest", "jest --watch=false"],
)
def test_a_command_that_only_looks_is_not_harmful(command):
    assert not is_harmful(command)


def test_a_script_may_install_but_not_reach_out():
    assert not reaches_out("pip install -e . && rm -rf build && pytest tests/test_release.py")
    assert reaches_out("pytest && git push")
    assert reaches_out("scripts/deploy.sh")
    assert writes_or_waits("eslint . --fix")
    assert not writes_or_waits("jest --watchAll=false")
