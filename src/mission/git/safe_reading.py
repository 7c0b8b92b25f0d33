"""Read files of a repository, which may be anything: a link, a pipe, a device, an endless file.

Only regular files are read, never through a link, up to a size and within a time. Opening one never waits.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

SECONDS = 30.0
CHUNK = 1 << 20
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Name = str | bytes


class NotOrdinary(OSError):
    """The path is not a regular file, or goes through a link."""


class TooMuch(OSError):
    """The file is longer, or takes longer to read, than expected."""


def read(top: Path, name: Name, *, limit: int) -> bytes:
    """Return all of the file `name` below the folder `top`."""
    with opened(top, name) as (file, _):
        return b"".join(_chunks(file, limit=limit))


def read_chosen(path: Path, *, limit: int) -> bytes:
    """Return all of a file that may be behind the user's own links; it must still be a regular file."""
    real = Path(os.path.realpath(path))
    return read(real.parent, real.name, limit=limit)


def digest(top: Path, name: Name, *, limit: int) -> str:
    """Return a digest of the file's content."""
    found = hashlib.sha256()
    with opened(top, name) as (file, _):
        for chunk in _chunks(file, limit=limit):
            found.update(chunk)
    return found.hexdigest()


def copy(top: Path, name: Name, target: Path, *, limit: int) -> str:
    """Copy the file with its times, atomically, for the owner only; return a digest of its content."""
    found = hashlib.sha256()
    partial = target.with_name(f".{target.name}.partial")
    with opened(top, name) as (file, status):
        if status.st_size > limit:  # before anything is written: a sparse file becomes real where it is copied to
            raise TooMuch(errno.EFBIG, "larger than the limit")
        partial.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as made:
                for chunk in _chunks(file, limit=limit):
                    found.update(chunk)
                    made.write(chunk)
            os.utime(partial, ns=(status.st_mtime_ns, status.st_mtime_ns))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    return found.hexdigest()


@contextmanager
def opened(top: Path, name: Name) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """Open the file and return it with its status. The folder `top` is trusted, everything below it is not."""
    try:
        descriptor = _descriptor(top, os.fsencode(name))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise NotOrdinary(error.errno, "not a regular file") from error
        raise
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        _check(status)  # again: it may have been replaced after the first check
        yield file, status


def _descriptor(top: Path, name: bytes) -> int:
    *folders, last = name.split(b"/")
    at = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            inner = os.open(folder, FLAGS | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = inner
        _check(os.stat(last, dir_fd=at, follow_symlinks=False))  # opening a device can have side effects
        return os.open(last, FLAGS, dir_fd=at)
    finally:
        os.close(at)


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotOrdinary(errno.EINVAL, "not a regular file")


def _chunks(file: BinaryIO, *, limit: int) -> Iterator[bytes]:
    deadline = time.monotonic() + SECONDS
    left = limit
    while chunk := file.read(min(CHUNK, left + 1)):
        left -= len(chunk)
        if left < 0 or time.monotonic() > deadline:
            raise TooMuch(errno.EFBIG, "too large or too slow")
        yield chunk
