"""Tools that check code: by which words they are known."""

from __future__ import annotations

import pytest

from mission.domain.checks.file_patterns.globs import compile_globs
from mission.domain.checks.proposals.known_tools import (
    TEST_FILES,
    Kind,
    find_tool,
    rewrites_files,
)
from mission.domain.checks.proposals.known_tools import test_globs as globs_of_tests


@pytest.mark.parametrize(
    ("command", "name", "kind"),
    [
        ("pytest -q", "pytest", Kind.TEST),
        (".venv/bin/pytest", "pytest", Kind.TEST),
        ("ruff check .", "ruff check", Kind.LINT),
        ("ruff format --check .", "ruff format", Kind.FORMAT),
        ("black --check .", "black", Kind.FORMAT),
        ("tsc --noEmit", "tsc", Kind.TYPES),
        ("tsc -b", "tsc", Kind.BUILD),
        ("cargo --locked test", "cargo test", Kind.TEST),
        ("node --test", "node --test", Kind.TEST),
        ("node node_modules/.bin/jest", "jest", Kind.TEST),
        ("python manage.py test", "manage.py test", Kind.TEST),
        ("./gradlew --no-daemon lint test", "gradle lint", Kind.LINT),
        ("./mvnw -B verify", "mvn verify", Kind.TEST),
        ("php vendor/bin/phpunit", "phpunit", Kind.TEST),
    ],
)
def test_a_tool_is_known_by_its_words(command, name, kind):
    tool = find_tool(command.split())

    assert tool
    assert (tool.name, tool.kind) == (name, kind)


@pytest.mark.parametrize(
    "command", ["", "echo pytest", "cargo publish", "black .", "ruff", "node", "python -c x", "npm"]
)
def test_other_commands_are_not_tools(command):
    assert find_tool(command.split()) is None


def test_a_formatter_without_its_option_rewrites_files():
    assert [rewrites_files(words.split()) for words in ("black .", "black --check .", "tsc", "pytest", "")] == [
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("language", "tests", "other"),
    [
        ("python", ["tests/data/a.json", "src/a/test_b.py", "src/b_test.py", "conftest.py"], "src/a.py"),
        ("javascript", ["a.test.ts", "src/b.spec.jsx", "src/__tests__/c.js", "e2e/login.ts"], "src/a.ts"),
        ("rust", ["tests/a.rs", "crates/x/tests/b.rs", "src/tests.rs"], "src/lib.rs"),
        ("go", ["a_test.go", "x/testdata/y.txt"], "a.go"),
        ("java", ["src/test/java/A.java", "app/src/test/kotlin/B.kt"], "src/main/java/A.java"),
        ("dotnet", ["App.Tests/A.cs", "src/ATests.cs"], "App/A.cs"),
    ],
)
def test_files_of_tests_are_known_by_language(language, tests, other):
    assert compile_globs(globs_of_tests([language])).select([*tests, other]) == tests


def test_every_glob_is_valid_and_unknown_languages_have_common_ones():
    compile_globs(globs_of_tests(TEST_FILES))

    assert compile_globs(globs_of_tests(["cobol"])).matches("tests/a.cob")
