"""Files after whose change a worktree is set up again: manifests and lock files of the usual package managers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mission.domain.checks.file_patterns.globs import compile_globs

USUAL = (
    "**/{package.json,package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,pnpm-workspace.yaml}",
    "**/{bun.lock,bun.lockb,deno.json,deno.lock,.npmrc}",
    "**/{pyproject.toml,setup.py,setup.cfg,poetry.lock,uv.lock,pdm.lock,Pipfile,Pipfile.lock}",
    "**/{requirements,constraints}*.{txt,in}",
    "**/{environment.yml,environment.yaml,.python-version,.nvmrc,.tool-versions,mise.toml}",
    "**/{Cargo.toml,Cargo.lock,rust-toolchain,rust-toolchain.toml,go.mod,go.sum,go.work,go.work.sum}",
    "**/{Gemfile,Gemfile.lock,composer.json,composer.lock,mix.exs,mix.lock,pubspec.yaml,pubspec.lock}",
    "**/{pom.xml,build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradle.lockfile}",
    "**/{Package.swift,Package.resolved,Podfile,Podfile.lock,packages.lock.json,*.csproj,flake.nix,flake.lock}",
)


def inputs_among(paths: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Return the paths that decide about the setup; without globs of one's own, the usual ones count."""
    return compile_globs(tuple(wanted) or USUAL).select(paths)
