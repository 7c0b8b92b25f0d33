"""Tools that check code: how their command lines look, what kind of check each is, and which files are its tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """The kind of a check, in the best order to run them: quick and simple ones first."""

    FORMAT = 1
    LINT = 2
    TYPES = 3
    BUILD = 4
    TEST = 5

    @property
    def is_static(self) -> bool:
        return self < Kind.BUILD


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownTool:
    """A tool, or one of its commands, by its first words."""

    words: tuple[str, ...]
    kind: Kind
    language: str = ""
    needs: tuple[str, ...] = ()
    """Options of which one is required: without it, the tool would change files."""

    @property
    def name(self) -> str:
        return " ".join(self.words)


TEST_FILES = {
    "python": ("**/tests/**", "test/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"),
    "javascript": (
        "**/*.{test,spec}.{js,jsx,mjs,cjs,ts,tsx,mts,cts}",
        "**/{__tests__,__mocks__,__snapshots__}/**",
        "{test,tests,e2e,spec,cypress}/**",
    ),
    "rust": ("**/tests/**", "**/{test,tests}.rs", "**/*_test.rs", "**/*.snap"),
    "go": ("**/*_test.go", "**/testdata/**"),
    "java": ("**/src/{test,testFixtures,integrationTest}/**",),
    "dotnet": ("**/*.{Test,Tests,UnitTests,IntegrationTests}/**", "**/*{Test,Tests}.{cs,fs,vb}", "test/**", "tests/**"),
    "php": ("tests/**", "**/*Test.php"),
    "ruby": ("spec/**", "test/**", "**/*_{spec,test}.rb"),
    "elixir": ("**/test/**",),
    "swift": ("Tests/**",),
}
"""Globs of test files by language: tests, and what belongs to them."""

ANY_TESTS = ("{test,tests,spec}/**",)

CHECK_OPTIONS = ("--check", "--check-only", "--diff", "-c")


def _tools(kind: Kind, language: str, *commands: str, needs: tuple[str, ...] = ()) -> list[KnownTool]:
    return [KnownTool(words=tuple(each.split()), kind=kind, language=language, needs=needs) for each in commands]


ALL = (
    *_tools(Kind.FORMAT, "python", "ruff format", "black", "isort", "yapf", needs=CHECK_OPTIONS),
    *_tools(Kind.LINT, "python", "ruff check", "flake8", "pylint", "lint-imports", "bandit", "vulture", "codespell"),
    *_tools(
        Kind.TYPES, "python", "mypy", "dmypy run", "pyright", "basedpyright", "ty check", "pyrefly check", "pytype"
    ),
    *_tools(Kind.TEST, "python", "pytest", "py.test", "unittest", "tox", "nox", "manage.py test", "behave", "trial"),
    *_tools(Kind.FORMAT, "javascript", "prettier", needs=("--check", "-c", "--list-different", "-l")),
    *_tools(Kind.FORMAT, "javascript", "deno fmt", needs=("--check",)),
    *_tools(Kind.LINT, "javascript", "eslint", "biome ci", "biome check", "biome lint", "oxlint", "stylelint", "xo"),
    *_tools(Kind.LINT, "javascript", "standard", "deno lint", "knip", "ng lint", "next lint", "markdownlint"),
    *_tools(Kind.TYPES, "javascript", "vue-tsc", "svelte-check", "deno check", "flow check", "attw"),
    *_tools(Kind.TYPES, "javascript", "tsc", needs=("--noEmit",)),
    *_tools(Kind.BUILD, "javascript", "tsc", "vite build", "webpack", "rollup", "next build", "esbuild", "tsup"),
    *_tools(Kind.TEST, "javascript", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "karma", "node --test"),
    *_tools(Kind.TEST, "javascript", "bun test", "deno test", "playwright test", "cypress run", "react-scripts test"),
    *_tools(Kind.TEST, "javascript", "ng test", "wdio", "uvu", "web-test-runner", "wtr"),
    *_tools(Kind.FORMAT, "rust", "cargo fmt", "rustfmt", needs=("--check",)),
    *_tools(Kind.LINT, "rust", "cargo clippy", "cargo deny"),
    *_tools(Kind.BUILD, "rust", "cargo check", "cargo build", "cargo doc"),
    *_tools(Kind.TEST, "rust", "cargo test", "cargo nextest"),
    *_tools(Kind.FORMAT, "go", "gofmt", "goimports", needs=("-l", "-d")),
    *_tools(Kind.LINT, "go", "go vet", "golangci-lint", "staticcheck", "revive"),
    *_tools(Kind.BUILD, "go", "go build"),
    *_tools(Kind.TEST, "go", "go test", "gotestsum", "ginkgo"),
    *_tools(Kind.LINT, "java", "gradle lint", "gradle ktlintCheck", "gradle detekt", "gradle spotlessCheck"),
    *_tools(Kind.BUILD, "java", "gradle assemble", "gradle classes", "mvn compile"),
    *_tools(Kind.TEST, "java", "gradle test", "gradle check", "gradle build", "mvn test", "mvn verify", "mvn package"),
    *_tools(Kind.FORMAT, "dotnet", "dotnet format", needs=("--verify-no-changes",)),
    *_tools(Kind.BUILD, "dotnet", "dotnet build"),
    *_tools(Kind.TEST, "dotnet", "dotnet test"),
    *_tools(Kind.LINT, "php", "phpstan", "psalm", "phpcs", "parallel-lint"),
    *_tools(Kind.FORMAT, "php", "php-cs-fixer", "pint", needs=("--dry-run", "--test")),
    *_tools(Kind.TEST, "php", "phpunit", "pest", "artisan test"),
    *_tools(Kind.LINT, "ruby", "rubocop", "standardrb"),
    *_tools(Kind.TEST, "ruby", "rspec", "rake test", "rake spec", "rails test", "cucumber"),
    *_tools(Kind.FORMAT, "elixir", "mix format", needs=("--check-formatted",)),
    *_tools(Kind.LINT, "elixir", "mix credo", "mix dialyzer"),
    *_tools(Kind.TEST, "elixir", "mix test"),
    *_tools(Kind.LINT, "swift", "swiftlint"),
    *_tools(Kind.BUILD, "swift", "swift build"),
    *_tools(Kind.TEST, "swift", "swift test"),
    *_tools(Kind.LINT, "", "shellcheck", "hadolint", "yamllint", "actionlint", "typos", "markdownlint-cli2"),
    *_tools(Kind.TEST, "", "ctest", "bats", "meson test", "bazel test"),
)
BY_PROGRAM = {
    program: [tool for tool in ALL if tool.words[0] == program] for program in {tool.words[0] for tool in ALL}
}
OTHER_NAMES = {"gradlew": "gradle", "mvnw": "mvn", "py.test": "pytest", "paratest": "phpunit"}
INTERPRETERS = ("php", "node", "python", "python3", "ruby")
ANY_ORDER = ("gradle", "mvn")
"""Programs that take several goals, any of which may be the check."""


def find_tool(words: Sequence[str]) -> KnownTool | None:
    """Return the known tool that these words call to check something, if any."""
    return next((tool for tool in _named(words) if not tool.needs or set(tool.needs) & set(words)), None)


def rewrites_files(words: Sequence[str]) -> bool:
    """Return whether these words call a formatter without an option to only check."""
    return find_tool(words) is None and any(tool.needs for tool in _named(words))


def _named(words: Sequence[str]) -> Iterator[KnownTool]:
    """Yield the tools that these words name, regardless of their options."""
    if not words:
        return
    program = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    program = OTHER_NAMES.get(program, program)
    if program in INTERPRETERS and len(words) > 1 and not words[1].startswith("-"):
        yield from _named(words[1:])
    for tool in BY_PROGRAM.get(program, ()):
        named = tool.words[1:]
        arguments = words[1:] if named and named[0].startswith("-") else [each for each in words[1:] if each[:1] != "-"]
        if tuple(arguments[: len(named)]) == named or (program in ANY_ORDER and named[0] in arguments):
            yield tool


def test_globs(languages: Iterable[str]) -> tuple[str, ...]:
    """Return the globs of the languages' tests, each once."""
    return tuple(dict.fromkeys(glob for language in languages for glob in TEST_FILES.get(language, ()))) or ANY_TESTS
