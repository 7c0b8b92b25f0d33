"""Connects agent clients to Mission Control: plans and applies changes to their files, and checks the connection."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mission.domain.errors import InvalidInput, InvalidState
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, Hooks, argv_of
from mission.runtime.config_files.editor import BrokenText
from mission.runtime.config_files.file_changes import Backups, Change, read, remove_folders, undo, write
from mission.settings import Settings, default_home

VERSION_SECONDS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientConnection:
    """A client's connection to Mission Control according to its configuration of one scope."""

    file: Path
    argv: Sequence[str] = ()
    home: str | None = None
    hooks_file: Path | None = None
    hooks: Sequence[str] = ()

    @property
    def is_set_up(self) -> bool:
        return bool(self.argv)


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """A client's program on this machine."""

    path: str
    version: str | None


def here(*, project: Path | None = None) -> ConfigLocation:
    """Return the configuration location of this process."""
    return ConfigLocation(
        home=Path.home(), project=(project or Path.cwd()).absolute(), environment=os.environ, platform=sys.platform
    )


def mission_command(settings: Settings, *, invoked: str | None = None) -> Command:
    """Return an absolute command that runs this installation, with MISSION_HOME if it is not the default."""
    # Compare with the home of an empty environment: some clients pass on only a few variables.
    environment = {} if settings.home == default_home({}) else {"MISSION_HOME": str(settings.home)}
    sibling = Path(sys.executable).parent / "mission"
    for candidate in (
        Path(invoked or sys.argv[0]).absolute(),
        sibling,
        Path(shutil.which("mission") or sibling).absolute(),
    ):
        if candidate.name == "mission" and candidate.is_file() and os.access(candidate, os.X_OK):
            return Command(program=str(candidate), environment=environment)
    return Command(program=sys.executable, arguments=("-m", "mission"), environment=environment)


class Installable(Protocol):
    """A client with a program of its own."""

    @property
    def program(self) -> str: ...


def is_installed(adapter: Installable) -> bool:
    """Return whether the client's program is on PATH."""
    return shutil.which(adapter.program) is not None


def find_program(adapter: Installable) -> Installed | None:
    """Return the client's program on PATH and the version it reports, or None."""
    path = shutil.which(adapter.program)
    if path is None:
        return None
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return Installed(path=path, version=None)
    version = re.search(r"\d+\.\d+[\w.+-]*\w", answer.stdout)
    return Installed(path=path, version=version.group() if version else None)


def get_connection(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> ClientConnection:
    """Return the client's connection in this scope: its files and commands."""
    file = _servers_file(adapter, place, scope)
    text = read(file)
    with _naming(file):
        entry = adapter.servers.find(text) if text is not None and adapter.servers.has_ours(text) else None
    hooks_file = adapter.hooks.file(place, scope) if adapter.hooks else None
    environment = entry.get(adapter.servers.environment_key) if entry is not None else None
    return ClientConnection(
        file=file,
        argv=argv_of(entry) if entry is not None else (),
        home=environment.get("MISSION_HOME") if isinstance(environment, Mapping) else None,
        hooks_file=hooks_file,
        hooks=_hook_lines(adapter, hooks_file),
    )


def plan(
    adapter: Adapter, place: ConfigLocation, scope: ConfigScope, command: Command, *, toolsets: str, hooks: bool
) -> list[Change]:
    """Return the changes that connect the client. Existing hooks are updated even without `hooks`."""
    if hooks and adapter.hooks is None:
        raise InvalidInput(
            f"Hooks are not available for {adapter.title}: {adapter.why_no_hooks}",
            hint=f"Run 'mission setup {adapter.name}' without --hooks.",
        )
    edits = _Edits()
    serve = command.with_arguments("mcp", *(["--toolsets", toolsets] if toolsets else []))
    file = _servers_file(adapter, place, scope)
    with _naming(file):
        edits.set(file, adapter.servers.add(edits.get(file), serve))
    if adapter.hooks is not None:
        file = adapter.hooks.file(place, scope)
        with _naming(file):
            if hooks or adapter.hooks.commands(edits.get(file) or "", adapter.name):
                edits.set(file, adapter.hooks.add(edits.get(file), adapter.name, command))
    return edits.changes()


def plan_removal(adapter: Adapter, place: ConfigLocation, scope: ConfigScope, backups: Backups) -> list[Change]:
    """Return the changes that remove everything of ours: restore the original file, or keep what was added since."""
    edits = _Edits()
    file = _servers_file(adapter, place, scope)
    with _naming(file):
        if (text := edits.get(file)) is not None:
            edits.set(file, adapter.servers.remove(text))
    if adapter.hooks is not None:
        file = adapter.hooks.file(place, scope)
        with _naming(file):
            if (text := edits.get(file)) is not None:
                edits.set(file, adapter.hooks.remove(text, adapter.name))
    return [_as_it_was(change, backups) for change in edits.changes()]


def apply(adapter: Adapter, changes: Sequence[Change], backups: Backups) -> list[Path]:
    """Write the changes, back up each file, and return the folders that were created."""
    made = write(changes)
    try:
        for change in changes:
            own = [folder for folder in made if folder in change.path.parents]
            backups.keep(change, made=own, had_ours=_has_ours(adapter, change.before))
    except OSError as error:
        undo(changes, made=made)
        raise InvalidState(
            f"Could not save a backup of {change.path} in {backups.folder}: {error.strerror}",
            hint="Nothing was changed. Make sure that you can write to MISSION_HOME.",
        ) from None
    return made


def take_back(adapter: Adapter, changes: Sequence[Change], made: Sequence[Path], backups: Backups) -> None:
    """Undo what `apply` did."""
    undo(changes, made=made)
    for change in changes:
        if _has_ours(adapter, change.before):
            backups.keep(Change(path=change.path, before=change.after, after=change.before), made=(), had_ours=True)
        else:
            backups.forget(change.path)


def apply_removal(changes: Sequence[Change], backups: Backups) -> None:
    """Write the removal and delete its backups and the folders created for it."""
    write(changes)
    for change in changes:
        folders = backups.forget(change.path)
        if change.after is None:
            remove_folders(folders)


class _Edits:
    """Texts of files being edited, so that two edits of one file are combined."""

    def __init__(self) -> None:
        self._before: dict[Path, str | None] = {}
        self._after: dict[Path, str | None] = {}

    def get(self, file: Path) -> str | None:
        if file not in self._before:
            self._before[file] = self._after[file] = read(file)
        return self._after[file]

    def set(self, file: Path, text: str | None) -> None:
        self.get(file)
        self._after[file] = text

    def changes(self) -> list[Change]:
        found = [Change(path=file, before=self._before[file], after=after) for file, after in self._after.items()]
        return [change for change in found if not change.is_empty]


def _servers_file(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> Path:
    """Return the file with our entry, else the first that exists, else the one to create."""
    files = adapter.servers.files(place, scope)
    present = [file for file in files if file.exists()]
    for file in present if len(files) > 1 else ():
        with _naming(file):
            if adapter.servers.has_ours(read(file) or ""):
                return file
    return present[0] if present else files[0]


def _hook_lines(adapter: Adapter, file: Path | None) -> list[str]:
    hooks: Hooks | None = adapter.hooks
    text = read(file) if file is not None else None
    if hooks is None or file is None or text is None:
        return []
    with _naming(file):
        return hooks.commands(text, adapter.name)


def _has_ours(adapter: Adapter, text: str | None) -> bool:
    """Return whether a file of the client, for servers or for hooks, contains anything of ours."""
    if text is None:
        return False
    with suppress(BrokenText):  # the two files may have different formats
        if adapter.servers.has_ours(text):
            return True
    with suppress(BrokenText):
        return adapter.hooks is not None and bool(adapter.hooks.commands(text, adapter.name))
    return False


def _as_it_was(change: Change, backups: Backups) -> Change:
    known, original = backups.original(change.path, present=change.before)
    return Change(path=change.path, before=change.before, after=original) if known else change


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Name the broken file in the error."""
    try:
        yield
    except BrokenText as error:
        raise InvalidState(
            f"{file}, line {error.line}: {error.message}",
            hint="Nothing was written. Fix the file, then run the command again.",
            file=str(file),
            line=error.line,
        ) from None
