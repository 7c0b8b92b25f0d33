"""Changes to files of other programs: previewed, written atomically, and exactly undone."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.errors import Conflict, InvalidState
from mission.git.safe_reading import read_chosen

MAX_FILE_BYTES = 16 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A file's text before and after; None means that the file does not exist."""

    path: Path
    before: str | None
    after: str | None

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    @property
    def kind(self) -> str:
        if self.is_empty:
            return "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "edited"

    def diff(self) -> str:
        """Return the change as a unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            fromfile=str(self.path) if self.before is not None else "(no file)",
            tofile=str(self.path) if self.after is not None else "(no file)",
            lineterm="",
        )
        return "\n".join(lines)


def read(path: Path) -> str | None:
    """Return the text of the file with its original line endings, or None if it does not exist."""
    try:
        return read_chosen(path, limit=MAX_FILE_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidState(f"{path}, line {line}: not valid UTF-8", hint="Fix the file, then try again.") from None
    except OSError as error:
        raise InvalidState(
            f"Could not read {path}: {error.strerror}", hint="Check its owner and permissions."
        ) from None


def write(changes: Sequence[Change]) -> list[Path]:
    """Make all the changes or none of them, and return the folders that were created."""
    for change in changes:
        if read(change.path) != change.before:
            raise Conflict(
                f"Another program has just changed {change.path}",
                hint="Nothing was written. Run the command again.",
            )
    made: list[Path] = []
    done: list[Change] = []
    try:
        for change in changes:
            made += _replace(change.path, change.after)
            done.append(change)
    except OSError as error:
        undo(done, made=made)
        raise InvalidState(
            f"Could not write {error.filename or changes[len(done)].path}: {error.strerror}",
            hint="Nothing was changed. Check the owner and permissions of the file and its folder.",
        ) from None
    return made


def undo(changes: Sequence[Change], *, made: Sequence[Path] = ()) -> None:
    """Restore the files, except those that were changed since."""
    for change in reversed(changes):
        if read(change.path) == change.after:
            _replace(change.path, change.before)
    remove_folders(made)


def remove_folders(folders: Sequence[Path]) -> None:
    """Remove the folders that are empty, deepest first."""
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _replace(path: Path, text: str | None) -> list[Path]:
    target = path.resolve()  # a linked dotfile stays a link
    if text is None:
        path.unlink(missing_ok=True)
        return []
    made = [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        _take_over(temporary, target)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        remove_folders(made)
        raise
    return made


def _take_over(temporary: Path, target: Path) -> None:
    """Give the new file the mode and owner of the one it replaces."""
    try:
        present = target.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    temporary.chmod(present.st_mode & 0o7777)
    with suppress(PermissionError):
        os.chown(temporary, present.st_uid, present.st_gid)


@dataclass(frozen=True, slots=True)
class Backups:
    """Copies of other programs' files from before Mission Control first changed them."""

    folder: Path

    def keep(self, change: Change, *, made: Sequence[Path], had_ours: bool) -> None:
        """Store the file as it was before our first change, and a digest of its current text."""
        note = self._note(change.path)
        if had_ours and note is not None:
            untouched = note["written"] == _digest(change.before)
            note["written"] = _digest(change.after) if untouched else None
        elif had_ours:
            return
        else:
            note = {"path": str(change.path), "original": change.before, "written": _digest(change.after)}
            note["folders"] = [str(folder) for folder in made]
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self._file(change.path)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(note, file, ensure_ascii=False, indent=1)

    def original(self, path: Path, *, present: str | None) -> tuple[bool, str | None]:
        """Return whether the file is still as we left it and, if so, its original text."""
        note = self._note(path)
        if note is None or note["written"] is None or note["written"] != _digest(present):
            return False, None
        return True, note["original"]

    def forget(self, path: Path) -> list[Path]:
        """Delete the copy and return the folders that were created for the file."""
        note = self._note(path)
        self._file(path).unlink(missing_ok=True)
        return [Path(folder) for folder in note["folders"]] if note else []

    def _note(self, path: Path) -> dict[str, Any] | None:
        try:
            note: dict[str, Any] = json.loads(self._file(path).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return note if note.keys() >= {"path", "original", "written", "folders"} else None

    def _file(self, path: Path) -> Path:
        return self.folder / f"{path.name}-{hashlib.sha256(str(path).encode()).hexdigest()[:12]}.json"


def _digest(text: str | None) -> str:
    return hashlib.sha256(b"" if text is None else b"+" + text.encode("utf-8")).hexdigest()
