"""Checks of projects in Rust, Go, Java, .NET, PHP, Ruby, Elixir and Swift."""

from __future__ import annotations

from collections.abc import Iterator

from mission.domain.checks.proposals.known_tools import Kind
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank, propose

GOLANGCI = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
GRADLE = ("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
SIMPLE = (  # a file that is enough of a reason, and the command
    (("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"), "vendor/bin/phpunit"),
    (("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"), "vendor/bin/phpstan analyse"),
    ((".rubocop.yml",), "bundle exec rubocop"),
    ((".rspec",), "bundle exec rspec"),
    ((".formatter.exs",), "mix format --check-formatted"),
    (("mix.exs",), "mix test"),
    (("Package.swift",), "swift test"),
)
COMPOSER_SCRIPTS = {"lint": Kind.LINT, "cs": Kind.LINT, "phpstan": Kind.LINT, "analyse": Kind.LINT, "test": Kind.TEST}


def other_proposals(project: Project) -> Iterator[Proposal | None]:
    """Yield checks for what the project's build files describe."""
    yield from _rust(project)
    yield from _go(project)
    yield from _java(project)
    if solution := next(
        (name for name in project.files if name.endswith((".sln", ".slnx", ".csproj", ".fsproj"))), None
    ):
        yield _command(project, "dotnet test", f"{solution} defines a .NET project")
    for name, kind in COMPOSER_SCRIPTS.items():
        if name in project.scripts(project.composer):
            why = f"composer.json has the script '{name}'"
            yield propose(project, f"composer run-script {name}", why=why, rank=ProposalRank.TARGET, at_least=kind)
    for files, command in SIMPLE:
        if found := project.first(*files):
            yield _command(project, command, f"{found} exists")


def _rust(project: Project) -> Iterator[Proposal | None]:
    cargo = project.cargo
    if not ("package" in cargo or "workspace" in cargo):
        return
    workspace = " --workspace" if "workspace" in cargo else ""
    if source := project.first("rustfmt.toml", ".rustfmt.toml"):
        yield _command(project, "cargo fmt --check", f"{source} configures rustfmt")
    if source := project.first("clippy.toml", ".clippy.toml") or _lints(project):
        command = f"cargo clippy{workspace} --all-targets -- -D warnings"
        yield _command(project, command, f"{source} configures clippy")
    tests = "cargo nextest run" if ".config/nextest.toml" in project.files else "cargo test"
    yield _command(project, f"{tests}{workspace}", "Cargo.toml defines a Rust project")


def _lints(project: Project) -> str | None:
    tables = (project.cargo, project.cargo.get("workspace"))
    lints = [table.get("lints") for table in tables if isinstance(table, dict)]
    return "Cargo.toml" if any(isinstance(each, dict) and "clippy" in each for each in lints) else None


def _go(project: Project) -> Iterator[Proposal | None]:
    if not project.first("go.mod", "go.work"):
        return
    if source := project.first(*GOLANGCI):
        yield _command(project, "golangci-lint run", f"{source} configures golangci-lint")
    if "go.mod" in project.files:
        yield _command(project, "go vet ./...", "go.mod defines a Go module")
        yield _command(project, "go test ./...", "go.mod defines a Go module")


def _java(project: Project) -> Iterator[Proposal | None]:
    if build := project.first(*GRADLE):
        gradle = "./gradlew" if "gradlew" in project.files else "gradle"
        yield _command(project, f"{gradle} test", f"{build} defines a Gradle project")
    elif "pom.xml" in project.files:
        maven = "./mvnw" if "mvnw" in project.files else "mvn"
        yield _command(project, f"{maven} -B test", "pom.xml defines a Maven project")


def _command(project: Project, command: str, why: str) -> Proposal | None:
    words = command.removeprefix("bundle exec ").removeprefix("./").removeprefix("vendor/bin/").split()
    name = " ".join(word for word in words[:2] if word[:1] not in "-.")
    return propose(project, command, why=why, rank=ProposalRank.GUESSED, name=name)
