"""Read the facts of a repository that a scan needs, once, with commands that run no program of its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mission.git.background_threads import side_by_side
from mission.git.command import Settings, run
from mission.git.working_tree import Location, locate

# Settings that decide which files count, how built-in conversions (line endings, encodings) shape an object id, and who
# may read an object.
SAFE = (
    "attributesfile", "autocrlf", "checkroundtripencoding", "eol", "excludesfile", "filemode", "ignorecase",
    "precomposeunicode", "sharedrepository", "symlinks",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class RepositoryFacts:
    """A repository seen from one of its worktrees."""

    top: Path
    git_dir: Path
    common_dir: Path
    head: str | None
    object_format: str
    settings: Settings

    def setting(self, name: str) -> str | None:
        """Return the value of a core setting, as git spells it."""
        values = [value for key, value in self.settings if key == f"core.{name}"]
        return values[-1] if values else None

    def is_on(self, name: str, *, default: bool) -> bool:
        value = self.setting(name)
        return default if value is None else value.lower() not in ("false", "no", "off", "0")


def open_repository(top: Path) -> RepositoryFacts:
    """Return the repository whose worktree starts at this folder."""
    with side_by_side() as start:
        location = start(locate, top)
        settings = start(_settings, top)
        head = start(head_of, top)
        return _described(location.result(), head.result(), settings.result())


def head_of(top: Path) -> str | None:
    """Return the commit of HEAD, None before the first one."""
    result = run("rev-parse", "--quiet", "--verify", "HEAD", cwd=top, allowed=(0, 1))
    return result.line.decode() or None


def branch_tips(top: Path) -> dict[str, str]:
    """Return branch → commit, local branches first."""
    listed = run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes", cwd=top).out
    rows = (line.split(" ", 1) for line in listed.decode(errors="replace").splitlines())
    return {name.removeprefix("refs/heads/").removeprefix("refs/remotes/"): commit for commit, name in rows}


def _described(location: Location, head: str | None, settings: Settings) -> RepositoryFacts:
    return RepositoryFacts(
        top=location.top,
        git_dir=location.git_dir,
        common_dir=location.common_dir,
        head=head,
        object_format=_object_format(settings),
        settings=tuple((key, value) for key, value in settings if key.startswith("core.")),
    )


def _object_format(settings: Settings) -> str:
    formats = [value for key, value in settings if key.startswith("extensions.")]
    return formats[-1] if formats else "sha1"


def _settings(top: Path) -> Settings:
    wanted = rf"^(core\.({'|'.join(SAFE)})|extensions\.objectformat)$"
    listed = run("config", "-z", "--get-regexp", wanted, cwd=top, allowed=(0, 1)).out
    rows = (row.decode(errors="surrogateescape").partition("\n") for row in listed.split(b"\0")[:-1])
    # A key without '=' means true.
    return tuple((key, value if separator else "true") for key, separator, value in rows)
