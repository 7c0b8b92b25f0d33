"""Files that decide whether a check passes, and files that no reviewer reads line by line."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mission.domain.checks.file_patterns.globs import Globs, compile_globs

CONTINUOUS_INTEGRATION = (
    ".github/workflows/**",
    ".github/actions/**",
    ".forgejo/workflows/**",
    ".gitea/workflows/**",
    ".gitlab-ci.{yml,yaml}",
    ".gitlab/ci/**",
    ".circleci/**",
    ".buildkite/**",
    ".ci/**",
    ".travis.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".woodpecker.{yml,yaml}",
    ".woodpecker/**",
    ".pre-commit-config.{yaml,yml}",
    "azure-pipelines*.{yml,yaml}",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    "Jenkinsfile*",
)
TASK_RUNNERS = (
    "**/{Makefile,makefile,GNUmakefile,*.mk}",
    "**/{justfile,Justfile,.justfile}",
    "**/{Taskfile,taskfile}.{yml,yaml}",
    "**/{tox.ini,noxfile.py,Rakefile}",
    "**/{nx,turbo,lerna}.json",
)
PYTHON = (
    "**/{pyproject.toml,setup.cfg,setup.py,pytest.ini,.pytest.ini,conftest.py}",
    "**/{.coveragerc,codecov.yml,.codecov.yml}",
    "**/{mypy.ini,.mypy.ini,pyrightconfig.json,pyrefly.toml,ty.toml}",
    "**/{ruff.toml,.ruff.toml,.flake8,.pylintrc,pylintrc,.isort.cfg,.bandit,.importlinter}",
    "**/{requirements,constraints}*.{txt,in}",
    "**/requirements/*.{txt,in}",
    "**/{Pipfile,environment.yml,environment.yaml}",
)
JAVASCRIPT = (
    "**/{package.json,deno.json,deno.jsonc,bunfig.toml,.npmrc,.yarnrc.yml,pnpm-workspace.yaml}",
    "**/{jest,vitest,vite,playwright,karma,cypress,babel,ava,wdio,protractor}.{config,conf,workspace,setup}.*",
    "**/{.mocharc,.nycrc,.c8rc,.taprc}*",
    "**/{.eslintrc,.eslintignore,.prettierrc,.prettierignore,.stylelintrc}*",
    "**/{eslint,prettier,stylelint}.config.*",
    "**/{biome,tslint}.{json,jsonc}",
    "**/{tsconfig,jsconfig}*.json",
)
OTHER_LANGUAGES = (
    "**/{Cargo.toml,rust-toolchain,rust-toolchain.toml,clippy.toml,.clippy.toml,rustfmt.toml,.rustfmt.toml}",
    "**/.cargo/config*",
    "**/.config/nextest.toml",
    "**/{go.mod,go.work,.golangci.yml,.golangci.yaml,.golangci.toml,.golangci.json}",
    "**/{pom.xml,build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradle.properties,checkstyle.xml}",
    "**/{gradlew,mvnw,gradlew.bat,mvnw.cmd}",
    "**/{*.csproj,*.fsproj,*.vbproj,*.sln,*.slnx,*.runsettings,Directory.*.props,Directory.*.targets,global.json}",
    "**/{composer.json,phpunit.xml,phpunit.xml.dist,phpunit.dist.xml,phpcs.xml,phpcs.xml.dist}",
    "**/{phpstan,psalm}*.{neon,dist,xml}",
    "**/{Gemfile,.rspec,.rubocop.yml,.rubocop_todo.yml,mix.exs,.credo.exs,.formatter.exs}",
    "**/{CMakeLists.txt,CTestConfig.cmake,.clang-format,.clang-tidy,Package.swift,.swiftlint.yml}",
    "**/.editorconfig",
)
LOCK_FILES = (
    "**/{uv,poetry,pdm,Pipfile,pixi,Cargo,composer,Gemfile,flake,mix,pubspec,Podfile,gradle,bun,deno}.lock",
    "**/{package-lock,npm-shrinkwrap,packages.lock}.json",
    "**/{yarn.lock,pnpm-lock.yaml,bun.lockb,pylock.toml,pylock.*.toml}",
    "**/{go.sum,go.work.sum,gradle.lockfile,Package.resolved,.terraform.lock.hcl}",
)
GENERATED_FILES = (
    "**/*.min.{js,css}",
    "**/*.{js,css,mjs,cjs}.map",
    "**/*.{snap,ambr}",
    "**/*_pb2.{py,pyi}",
    "**/*_pb2_grpc.py",
    "**/*.pb.{go,cc,h}",
    "**/*.{g,freezed}.dart",
    "**/*.generated.*",
    "**/*_generated.*",
    "**/zz_generated.*",
    "**/__generated__/**",
    "**/__snapshots__/**",
    "**/{node_modules,vendor,third_party}/**",
    "**/{.pnp.cjs,.pnp.loader.mjs}",
)


def judged_by_patterns() -> tuple[str, ...]:
    """Return globs of the configuration that checks read: CI, lint, coverage and test settings, lock files."""
    return (*CONTINUOUS_INTEGRATION, *TASK_RUNNERS, *PYTHON, *JAVASCRIPT, *OTHER_LANGUAGES, *LOCK_FILES)


def unreviewed_patterns() -> tuple[str, ...]:
    """Return globs of lock and generated files, whose lines do not count toward `review_lines`."""
    return (*LOCK_FILES, *GENERATED_FILES)


def judging_files(paths: Iterable[str]) -> list[str]:
    """Return the paths with configuration of checks, in their order."""
    return _judged_by().select(paths)


def is_reviewed(path: str) -> bool:
    """Return whether a reviewer reads the file: it is neither a lock file nor generated."""
    return not _unreviewed().matches(path)


@cache
def _judged_by() -> Globs:
    return compile_globs(judged_by_patterns())


@cache
def _unreviewed() -> Globs:
    return compile_globs(unreviewed_patterns())
