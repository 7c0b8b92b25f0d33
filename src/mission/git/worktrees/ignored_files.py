"""Copy files that git ignores (dependencies, environments, build results) into another folder of the same repository.

They are copied, never shared: through a hard link or a linked folder, a check that runs on the copy could write to the
files of the agent, which are still to be judged. Where the file system can, a copy shares its blocks until one side is
written, so it costs nothing. Elsewhere it costs time and space; beyond the limits an error says so.

Dependencies name the folder they were installed in: scripts of a Python environment, packages installed from source,
build settings. A copy that names the original would run the agent's code instead of the copied tree's, so this path is
replaced in small text files and in links.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mission.domain.errors import TransientError
from mission.git.safe_reading import FLAGS

FICLONE = 0x40049409
"""Linux's request to share the blocks of another file."""
CANNOT_SHARE = (errno.EOPNOTSUPP, errno.EXDEV, errno.ENOTTY, errno.EINVAL, errno.ENOSYS, errno.EPERM)
PIECE = 1 << 26
LARGEST_TEXT = 1 << 18
"""Largest file in which the original folder is replaced; scripts and settings are far smaller."""

Status = os.stat_result


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyLimits:
    """The most that is copied."""

    files: int = 200_000
    bytes: int = 4_000_000_000


class TooMuchToCopy(OSError):
    """The ignored files are beyond the limits."""


@dataclass(slots=True)
class _Folder:
    """The files and links of one folder that are to be copied."""

    items: list[tuple[bytes, Status]] = field(default_factory=list)


class IgnoredFiles:
    """Copies files from the worktree `source` to the folder `target`, which will be used at the path `final`."""

    def __init__(self, source: Path, target: Path, *, final: Path, excluded: Path, limits: CopyLimits) -> None:
        self._source = source
        self._target = target
        self._original = os.fsencode(source)
        self._final = os.fsencode(final)
        self._named = re.compile(re.escape(self._original) + rb"(?![\w.-])")
        self._excluded = _identity(excluded)
        self._limits = limits
        self._shares = True
        self.ended = False

    def files_in(self, folder: bytes) -> list[bytes]:
        """Return the paths of all files and links below a folder of the source."""
        found = self._found([folder])
        return [inner + name for inner, here in found.items() for name, _ in here.items]

    def copy(self, names: Iterable[bytes]) -> None:
        """Copy these files, and folders with everything below them (their names end with a slash).

        What the target has already is kept. Pipes, devices and worktrees inside these folders are left out.
        """
        _running.add(self)
        try:
            for folder, here in self._found(names).items():
                self._copy_folder(folder, here)
        finally:
            _running.discard(self)

    def _found(self, names: Iterable[bytes]) -> dict[bytes, _Folder]:
        """Return folder → files; nothing is copied before all of them are within the limits."""
        found: dict[bytes, _Folder] = {}
        waiting = []
        count = size = 0
        for name in names:
            if name.endswith(b"/"):
                waiting.append(name)
            else:
                folder, _, last = name.rpartition(b"/")
                here = found.setdefault(folder + b"/" if folder else b"", _Folder())
                here.items += [(last, status) for status in self._status(name)]
        while waiting:
            folder = waiting.pop()
            listed = self._listed(folder)
            found[folder] = _Folder(items=[each for each in listed if not stat.S_ISDIR(each[1].st_mode)])
            waiting += [folder + name + b"/" for name, status in listed if stat.S_ISDIR(status.st_mode)]
            count += len(listed)
            size += sum(status.st_size for _, status in found[folder].items)
            self._check_limits(count, size)
        self._check_limits(
            sum(len(here.items) for here in found.values()),
            sum(status.st_size for here in found.values() for _, status in here.items),
        )
        return found

    def _check_limits(self, count: int, size: int) -> None:
        self._check()
        if count > self._limits.files or size > self._limits.bytes:
            raise TooMuchToCopy(
                errno.EFBIG, f"more than {self._limits.files:,} files or {self._limits.bytes // 1_000_000:,} MB"
            )

    def _listed(self, folder: bytes) -> list[tuple[bytes, Status]]:
        try:
            with _opened(self._source, folder) as descriptor:
                if _identity_of(os.fstat(descriptor)) == self._excluded:
                    return []
                with os.scandir(descriptor) as listing:
                    found = [(os.fsencode(item.name), item.stat(follow_symlinks=False)) for item in listing]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            if error.errno == errno.ELOOP:  # it became a link
                return []
            raise
        if any(name == b".git" and not stat.S_ISDIR(status.st_mode) for name, status in found):
            return []  # a worktree or submodule, whose commands would write to another repository
        return [each for each in found if _is_copied(each[1].st_mode) or stat.S_ISDIR(each[1].st_mode)]

    def _status(self, name: bytes) -> list[Status]:
        folder, _, last = name.rpartition(b"/")
        try:
            with _opened(self._source, folder) as descriptor:
                status = os.stat(last, dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return []
        return [status] if _is_copied(status.st_mode) else []

    def _copy_folder(self, folder: bytes, here: _Folder) -> None:
        try:
            with _opened(self._source, folder) as source, _opened(self._target, folder, create=True) as target:
                for name, status in here.items:
                    self._check()
                    if stat.S_ISLNK(status.st_mode):
                        self._copy_link(name, source, target)
                    else:
                        self._copy_file(name, source, target)
        except (FileNotFoundError, NotADirectoryError):
            return  # it is gone, or the target has a file of this name
        except OSError as error:
            if error.errno != errno.ELOOP:  # a link on the way: not a part of the tree
                raise

    def _copy_link(self, name: bytes, source: int, target: int) -> None:
        try:
            leads_to = os.readlink(name, dir_fd=source)
            if leads_to == self._original or leads_to.startswith(self._original + b"/"):
                leads_to = self._final + leads_to[len(self._original) :]
            os.symlink(leads_to, name, dir_fd=target)
        except (FileNotFoundError, FileExistsError):
            return
        except OSError as error:
            if error.errno != errno.EINVAL:  # no longer a link
                raise

    def _copy_file(self, name: bytes, source: int, target: int) -> None:
        try:
            original = os.open(name, FLAGS, dir_fd=source)
        except FileNotFoundError:
            return
        try:
            status = os.fstat(original)
            if not stat.S_ISREG(status.st_mode):
                return
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                made = os.open(name, flags, 0o600, dir_fd=target)
            except FileExistsError:
                return
            try:
                self._copy_content(original, made, status)
                os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
                os.utime(made, ns=(status.st_atime_ns, status.st_mtime_ns))
            finally:
                os.close(made)
        finally:
            os.close(original)

    def _copy_content(self, original: int, made: int, status: Status) -> None:
        if status.st_size <= LARGEST_TEXT:
            content = os.pread(original, LARGEST_TEXT + 1, 0)
            if self._original in content and b"\0" not in content:
                content = self._named.sub(lambda _: self._final, content)
            _write(made, content)
            return
        if self._shares:
            try:
                fcntl.ioctl(made, FICLONE, original)
            except OSError as error:
                if error.errno not in CANNOT_SHARE:
                    raise
                self._shares = False
            else:
                return
        # The size at the start: a file that grows all the time would never end.
        left = status.st_size
        while left > 0 and (piece := os.read(original, min(left, PIECE))):
            self._check()
            _write(made, piece)
            left -= len(piece)

    def _check(self) -> None:
        if self.ended:
            raise TransientError("Mission Control is stopping")


_running: set[IgnoredFiles] = set()


def end_copies() -> None:
    """End every running copy; it is no longer needed."""
    for copying in list(_running):
        copying.ended = True


@contextmanager
def _opened(top: Path, folder: bytes, *, create: bool = False) -> Iterator[int]:
    """Open a folder below `top` without following a link on the way."""
    at = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folder.split(b"/"):
            if name:
                if create:
                    _make(name, at)
                inner = os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=at)
                os.close(at)
                at = inner
        yield at
    finally:
        os.close(at)


def _make(name: bytes, at: int) -> None:
    try:
        os.mkdir(name, dir_fd=at)
    except FileExistsError:
        return


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _is_copied(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        return _identity_of(path.stat())
    except OSError:
        return None


def _identity_of(status: Status) -> tuple[int, int]:
    return status.st_dev, status.st_ino
