"""Rebuilds the tree as it was at a task's start, in our own folder, so that checks can run on it.

Contents come from the repository's objects, from those kept at the start, and from files on disk that did not change.
The result is compared with the snapshot; it is either exactly that tree or an error. It is built under a hidden name
and renamed at the end, so a folder with the final name is always complete.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mission.domain.errors import Conflict, InvalidInput, InvalidState, StorageFull
from mission.domain.plural import counted
from mission.git.command import ProgressCallback
from mission.git.errors import ChangesUnknown, GitFailed, GitTimeout, StartTreeUnknown
from mission.git.file_names import display_name, original
from mission.git.patches.kept_contents import KeptContents
from mission.git.patches.start_contents import FAILED, NOTHING_KEPT
from mission.git.safe_reading import copy
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.snapshots.manifest import ManifestEntry, content_of, entries_of, whole
from mission.git.snapshots.repository_facts import open_repository
from mission.git.snapshots.scanner import MAX_DEPTH, Scanner
from mission.git.snapshots.snapshot_storage import SnapshotFolder, make_folder
from mission.git.snapshots.tree_id import folder_id, tree_id_of
from mission.git.tree_identity import TreeIdentity
from mission.git.worktrees.ignored_files import CopyLimits, IgnoredFiles, TooMuchToCopy
from mission.git.worktrees.private_repository import PrivateRepository
from mission.git.worktrees.worktree import named

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
MAKING = ".making-"
REMOVING = ".removing-"
LOCK = ".lock"
SCRATCH = "mission-scratch"
LINK = b"160000"
LARGEST_COPY = 1 << 36

PLAIN = "it was not in a git repository, and contents of plain folders are not kept"
LOST = "the record of the start is gone"
GONE = "its repository is gone or cannot be read"
NO_COMMIT = "the commit that was checked out then is no longer in the repository"

Entries = dict[bytes, ManifestEntry]


@dataclass(frozen=True, kw_only=True, slots=True)
class Overlay:
    """Paths that a rebuilt tree takes from a later, identified tree; those it does not have are deleted."""

    tree: TreeIdentity
    paths: Collection[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class StartTree:
    """A rebuilt tree: its folder and the id of its content."""

    path: Path
    id: str


class StartTrees:
    """Rebuilds trees in folders next to the snapshots and removes them again."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._home = Path(os.path.realpath(snapshots.root)) / "start-trees"

    def tree_id(self, snapshot: Snapshot, *, overlay: Overlay | None = None) -> str:
        """Return the id of the recorded tree. Files that a sparse checkout leaves out are not part of it."""
        if snapshot.kind == "checksum" and overlay is None:
            with self._snapshots.recorded(snapshot) as (folder, manifest):
                return folder_id(manifest, folder.load_base)
        entries, kept = self._recorded(snapshot, overlay)
        kept.close()
        return tree_id_of(entries, algorithm=_algorithm(snapshot, entries))

    def rebuild(
        self,
        snapshot: Snapshot,
        *,
        name: str,
        overlay: Overlay | None = None,
        limits: CopyLimits | None = None,
        report: ProgressCallback | None = None,
    ) -> StartTree:
        """Return a folder of this name with the recorded tree, and copies of the files that git ignores.

        Raise StartTreeUnknown if some content is no longer available, or if there is too much to copy. A folder of
        the same name is removed first.
        """
        path = self.path(name)
        if snapshot.kind != "git":
            raise StartTreeUnknown(PLAIN)
        entries, kept = self._recorded(snapshot, overlay)
        id = tree_id_of(entries, algorithm=_algorithm(snapshot, entries))
        try:
            with self._making(name) as making:
                build = _Build(final=path, excluded=self._snapshots.root, kept=kept, limits=limits or CopyLimits())
                build.report = report or build.report
                _explained(lambda: build.tree(snapshot.path, making, head=snapshot.head, entries=entries))
                shutil.rmtree(making / ".git" / SCRATCH, ignore_errors=True)
                self.remove(name)
                making.rename(path)
        finally:
            kept.close()
        return StartTree(path=path, id=id)

    def remove(self, name: str) -> None:
        """Remove the folder of this name, if it exists."""
        self._destroy(self._set_aside(self.path(name)))

    def clear(self, *, keep: Collection[str]) -> None:
        """Remove every folder with another name, and what interrupted calls left; folders being built are kept."""
        with self._guarded():
            there = [path for path in self._home.iterdir() if path.name not in {LOCK, *keep} and not _is_locked(path)]
            aside = [self._set_aside(path) for path in there]
        for path in aside:
            self._destroy(path)

    def path(self, name: str) -> Path:
        """Return the folder that a rebuilt tree of this name has."""
        if not NAME.fullmatch(name):
            raise InvalidInput(f"{name[:200]!r} is not a valid folder name")
        return self._home / name

    def _recorded(self, snapshot: Snapshot, overlay: Overlay | None) -> tuple[Entries, KeptContents]:
        """Return the entries of the wanted tree, and the contents kept with the snapshot."""
        later: Mapping[bytes, ManifestEntry | None] = {}
        try:
            if overlay is not None:
                paths = {original(path) for path in overlay.paths}
                with self._snapshots.recorded(overlay.tree.snapshot) as (folder, manifest):
                    known = entries_of(manifest, paths, folder.load_base)
                later = {path: known.get(path) for path in paths}
            with self._snapshots.recorded(snapshot) as (folder, manifest):
                entries = whole(manifest, folder.load_base(manifest.base))
                failure = FAILED if NOTHING_KEPT in snapshot.left_out else None
                return _overlaid(entries, later), KeptContents(folder.kept_file(snapshot.key), failure=failure)
        except ChangesUnknown as error:
            raise StartTreeUnknown(LOST) from error

    @contextmanager
    def _making(self, name: str) -> Iterator[Path]:
        """Yield a locked, empty folder; remove it if the work in it fails."""
        making = self._home / f"{MAKING}{name}"
        with self._guarded():
            if _is_locked(making):
                raise Conflict("another call is rebuilding this tree", hint="Try again when it has finished.")
            left = self._set_aside(making)
            making.mkdir(mode=0o700)
            descriptor = os.open(making, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            self._destroy(left)
            yield making
        except BaseException:
            self._destroy(self._set_aside(making))
            raise
        finally:
            os.close(descriptor)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keep others from looking for unused folders before a new one is locked."""
        make_folder(self._home)
        descriptor = os.open(self._home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _set_aside(self, path: Path) -> Path:
        """Rename one of our folders to an unused name, so that it disappears for all others in one step."""
        aside = self._home / f"{REMOVING}{secrets.token_hex(8)}"
        with suppress(FileNotFoundError):
            path.rename(aside)
        return aside

    @staticmethod
    def _destroy(aside: Path) -> None:
        """Remove a folder without following the links in it."""
        if aside.is_symlink() or not aside.is_dir():
            aside.unlink(missing_ok=True)
            return
        for folder, inner, _ in os.walk(aside):
            for path in (Path(folder) / name for name in inner):
                with suppress(OSError):
                    if not path.is_symlink():
                        path.chmod(0o700)  # a check may have closed it
        shutil.rmtree(aside, ignore_errors=True)


@dataclass(kw_only=True, slots=True)
class _Build:
    """The work on one rebuilt tree and the repositories nested in it."""

    final: Path
    excluded: Path
    kept: KeptContents
    limits: CopyLimits
    report: ProgressCallback = lambda _: None
    depth: int = 0

    def tree(self, source: Path, target: Path, *, head: str | None, entries: Entries) -> None:
        """Build the tree with these entries in the empty folder `target`, from the worktree at `source`."""
        facts = open_repository(source)
        if facts.top != source:
            raise StartTreeUnknown(GONE)
        private = PrivateRepository(target, facts, final=self.final)
        private.create(head)
        if head is not None and not private.has_commit(head):
            raise StartTreeUnknown(NO_COMMIT)
        scratch = private.git_dir / SCRATCH
        scanner = Scanner(SnapshotFolder(scratch / "source", excluded=self.excluded), facts)
        scanner.scan()
        self._write_files(scanner, private, {path: value for path, value in entries.items() if not _is_link(value)})
        for path, value in entries.items():
            if _is_link(value):
                self._write_nested(scanner, private, path, content_of(value).decode())
        if head is not None:
            private.read_head()
        self._copy_ignored(scanner, private)
        private.refresh()
        self._verify(private, entries)

    def _write_files(self, scanner: Scanner, private: PrivateRepository, files: Entries) -> None:
        absent = private.missing({content_of(value).decode() for value in files.values()})
        for id in sorted(absent):
            content = self.kept.content(id)
            if content is not None and private.add_blob(id, content):
                absent.discard(id)
        elsewhere = {path: value for path, value in files.items() if content_of(value).decode() in absent}
        unchanged = scanner.look_at(elsewhere) if elsewhere else {}
        gone = [path for path, value in elsewhere.items() if unchanged[path] != value]
        if gone:
            raise StartTreeUnknown(f"these contents were not kept: {self._reasons(gone)}")
        self.report(f"Writing {counted(len(files), 'file')}")
        private.check_out({path: value for path, value in files.items() if path not in elsewhere})
        for path, value in elsewhere.items():
            _copy_from_disk(scanner.disk, private.top, path, value)

    def _reasons(self, paths: list[bytes]) -> str:
        reasons = {path: self.kept.why_not(path) for path in sorted(paths)}
        return named([f"{display_name(path)} ({why})" if why else display_name(path) for path, why in reasons.items()])

    def _write_nested(self, scanner: Scanner, private: PrivateRepository, path: bytes, id: str) -> None:
        """Rebuild a repository inside the tree at the commit with this id, or leave a submodule empty if it is."""
        source = scanner.repository.top / os.fsdecode(path)
        target = private.top / os.fsdecode(path)
        target.mkdir(parents=True)
        if scanner.disk.kind(path) is DiskEntryKind.FOLDER and (source / ".git").exists():
            if self.depth >= MAX_DEPTH:
                raise StartTreeUnknown(f"'{display_name(path)}' is nested too deeply")
            inner = _Build(
                final=self.final / os.fsdecode(path), excluded=self.excluded, kept=self.kept, limits=self.limits,
                depth=self.depth + 1,
            )  # fmt: skip
            inner.nested(source, target, commit=id, name=display_name(path))
        elif scanner.listing.special.links.get(path) != id.encode():
            raise StartTreeUnknown(f"the nested repository '{display_name(path)}' no longer exists")

    def nested(self, source: Path, target: Path, *, commit: str, name: str) -> None:
        facts = open_repository(source)
        looking = PrivateRepository(target, facts, final=self.final)
        looking.create(None)
        entries = looking.files_of(commit) if looking.has_commit(commit) else None
        shutil.rmtree(looking.git_dir)
        if entries is None:
            raise StartTreeUnknown(f"the nested repository '{name}' had uncommitted changes")
        self.tree(source, target, head=commit, entries=entries)
        shutil.rmtree(target / ".git" / SCRATCH, ignore_errors=True)

    def _copy_ignored(self, scanner: Scanner, private: PrivateRepository) -> None:
        """Copy the files that git ignores both there and here: others were part of the tree, or did not exist."""
        flags = ("-z", "--others", "--ignored", "--exclude-standard", "--directory")
        listed = scanner.shadow.run("ls-files", *flags).out.split(b"\0")[:-1]
        copying = IgnoredFiles(
            scanner.repository.top, private.top, final=self.final, excluded=self.excluded, limits=self.limits
        )
        here = private.ignored(listed)
        # A folder whose files are ignored one by one.
        inner = [file for name in listed if name.endswith(b"/") and name not in here for file in copying.files_in(name)]
        names = here | (private.ignored(inner) if inner else set())
        if names:
            self.report("Copying files that git ignores")
            copying.copy(sorted(names))

    def _verify(self, private: PrivateRepository, entries: Entries) -> None:
        """Raise an error unless the folder has exactly these entries."""
        found = self._scanned(private)
        # Files that were added in spite of an ignore rule: only the index can name them.
        hidden = {path: value for path, value in entries.items() if path not in found and not _is_link(value)}
        there = {path: value for path, value in hidden.items() if Disk(private.top).kind(path) is DiskEntryKind.FILE}
        if there:
            private.add_to_index(there)
            found = self._scanned(private)
        if found != entries:
            differing = {path for path in {*found, *entries} if found.get(path) != entries.get(path)}
            raise StartTreeUnknown(f"these files would differ: {named(sorted(map(display_name, differing)))}")

    def _scanned(self, private: PrivateRepository) -> Entries:
        scanner = Scanner(
            SnapshotFolder(private.git_dir / SCRATCH / "result", excluded=self.excluded), open_repository(private.top)
        )
        scan = scanner.scan()
        return whole(scan.manifest, scanner.text())


def _explained(work: Callable[[], None]) -> None:
    """Do the work; say why the tree is unknown if something about the repository or its files prevents it."""
    try:
        work()
    except StartTreeUnknown:
        raise
    except TooMuchToCopy as error:
        raise StartTreeUnknown(f"there are too many ignored files to copy ({error.strerror})") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull from error
        raise StartTreeUnknown("a file could not be read or written") from error
    except (GitFailed, GitTimeout) as error:
        raise StartTreeUnknown(f"{error}") from error
    except (InvalidInput, InvalidState) as error:
        raise StartTreeUnknown(GONE) from error


def _overlaid(entries: Entries, later: Mapping[bytes, ManifestEntry | None]) -> Entries:
    """Return the entries with those of a later tree; a file there replaces a folder here, and the other way round."""
    added = {path for path, value in later.items() if value is not None}
    parents = {path[:at] for path in added for at in range(len(path)) if path[at : at + 1] == b"/"}
    kept = {
        path: value
        for path, value in entries.items()
        if path not in later and path not in parents and not (added and _is_below(path, added))
    }
    return kept | {path: value for path, value in later.items() if value is not None}


def _is_below(path: bytes, folders: Collection[bytes]) -> bool:
    return any(path[:at] in folders for at in range(len(path)) if path[at : at + 1] == b"/")


def _copy_from_disk(disk: Disk, top: Path, path: bytes, value: ManifestEntry) -> None:
    """Copy a file or link as it is; the parents in the new tree are folders, because the tree has this path."""
    target = top / os.fsdecode(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if disk.kind(path) is DiskEntryKind.LINK:
        target.symlink_to(os.fsdecode(os.readlink(disk.full(path))))  # noqa: PTH115 (paths are bytes)
        return
    copy(Path(os.fsdecode(disk.top)), path, target, limit=LARGEST_COPY)
    target.chmod(0o755 if value.split(b" ")[1] == b"100755" else 0o644)


def _algorithm(snapshot: Snapshot, entries: Mapping[bytes, ManifestEntry]) -> str:
    """Return the hash of the repository, which the length of its ids shows."""
    ids = [snapshot.head] if snapshot.head else [content_of(value).decode() for value in entries.values()]
    return "sha256" if max(map(len, ids), default=40) == 64 else "sha1"


def _is_link(value: ManifestEntry) -> bool:
    return value.split(b" ")[1] == LINK


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
