"""Whatever happens to a tree, the answer is what an independent look at its files before and after shows."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mission.domain.tasks.changes import Changes
from mission.git.file_names import original
from mission.git.snapshot import Snapshots
from tests.fault_cases import examples
from tests.git.real_repositories import Folder, Repo, contents, everything

NAMES = ["a", "b", "d", "d/x", "d/y", "d/e/z", "c.log", os.fsdecode(b"caf\xe9"), "tab\tb"]
TEXTS = ["1\n", "2\n", "3\n", "longer\n", ""]
PATTERNS = ["*.log", "a", "d/", "/d/x", "!c.log", "# nothing"]

names = st.sampled_from(NAMES)
files = st.one_of(
    st.tuples(st.just("write"), names, st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), names),
    st.tuples(st.just("move"), names, names),
    st.tuples(st.just("chmod"), names),
    st.tuples(st.just("link"), names, st.sampled_from(["a", "d", "nowhere"])),
    st.tuples(st.just("look")),
)
commands = st.one_of(
    st.tuples(st.just("ignore"), st.sampled_from(PATTERNS)),
    st.tuples(st.just("git"), st.just("add -A")),
    st.tuples(st.just("git"), st.just("commit -q --allow-empty -m work")),
    st.tuples(st.just("git"), st.just("commit -q --allow-empty -a -m work")),
    st.tuples(st.just("git"), st.just("commit -q --allow-empty --amend -a -m mended")),
    st.tuples(st.just("git"), st.just("checkout -q -b side")),
    st.tuples(st.just("git"), st.just("checkout -q side")),
    st.tuples(st.just("git"), st.just("checkout -q -f main")),
    st.tuples(st.just("git"), st.just("merge -q side")),
    st.tuples(st.just("git"), st.just("stash -q")),
    st.tuples(st.just("git"), st.just("stash -q -u")),
    st.tuples(st.just("git"), st.just("stash pop -q")),
    st.tuples(st.just("git"), st.just("reset -q --hard")),
    st.tuples(st.just("git"), st.just("reset -q --hard HEAD~1")),
    st.tuples(st.just("git"), st.just("reset -q --soft HEAD~1")),
    st.tuples(st.just("git"), st.just("reset -q")),
    st.tuples(st.just("git"), st.just("clean -q -f -d")),
    st.tuples(st.just("git"), st.just("reflog expire --expire=now --all")),
    st.tuples(st.just("git"), st.just("-c gc.auto=0 prune --expire=now")),
    st.tuples(st.just("on"), names, st.just("rm -q --cached")),
    st.tuples(st.just("on"), names, st.just("add --intent-to-add")),
    st.tuples(st.just("on"), names, st.just("update-index --assume-unchanged")),
    st.tuples(st.just("on"), names, st.just("update-index --skip-worktree")),
)
Step = tuple[str, ...]
any_step = st.one_of(files, files, commands)


@contextmanager
def workplace() -> Iterator[Path]:
    top = Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        yield top
    finally:
        shutil.rmtree(top)


def clear(top: Path, name: str) -> Path:
    """Make room for a file of that name: nothing stands there, and what stands on the way is a folder."""
    path = top / name
    for parent in reversed(path.relative_to(top).parents):
        folder = top / parent
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink(missing_ok=True)
            folder.mkdir()
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    return path


def is_here(top: Path, name: str) -> bool:
    path = top / name
    return path.is_file() and not path.is_symlink() and Path(os.path.realpath(path)) == path


def write(folder: Folder, name: str, text: str) -> None:
    if is_here(folder.path, name):
        (folder.path / name).write_text(text)
    else:
        clear(folder.path, name).write_text(text)


def delete(folder: Folder, name: str) -> None:
    if is_here(folder.path, name):
        (folder.path / name).unlink()


def move(folder: Folder, source: str, target: str) -> None:
    apart = not source.startswith(target) and not target.startswith(source)
    if apart and is_here(folder.path, source):
        (folder.path / source).rename(clear(folder.path, target))


def chmod(folder: Folder, name: str) -> None:
    if is_here(folder.path, name):
        path = folder.path / name
        path.chmod(path.stat().st_mode ^ 0o111)


def link(folder: Folder, name: str, target: str) -> None:
    clear(folder.path, name).symlink_to(target)


def look(folder: Folder) -> None:
    folder.snapshots.forget(folder.take())


def ignore(folder: Folder, pattern: str) -> None:
    with (folder.path / ".gitignore").open("a") as file:
        file.write(pattern + "\n")


def git(folder: Folder, command: str) -> None:
    assert isinstance(folder, Repo)
    folder.git(*command.split(), check=False)


def on(folder: Folder, name: str, command: str) -> None:
    assert isinstance(folder, Repo)
    folder.git(*command.split(), "--", name, check=False)


ACTIONS: dict[str, Callable[..., None]] = {
    action.__name__: action for action in (write, delete, move, chmod, link, look, ignore, git, on)
}


def perform(folder: Folder, steps: list[Step]) -> None:
    for action, *arguments in steps:
        ACTIONS[action](folder, *arguments)


def ignored(repo: Repo) -> set[bytes]:
    listed = repo.git("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    return set(os.fsencode(listed).split(b"\0"))


def assert_true(changes: Changes, before: dict[bytes, tuple[str, str]], after: dict[bytes, tuple[str, str]]) -> None:
    added, modified, deleted = ({original(path) for path in paths} for paths in lists_of(changes))
    assert added == after.keys() - before.keys()
    assert deleted == before.keys() - after.keys()
    assert modified == {path for path in before.keys() & after.keys() if before[path] != after[path]}
    assert all(list(paths) == sorted(set(paths)) for paths in lists_of(changes))
    for rename in changes.renamed:
        assert before[original(rename.source)][1] == after[original(rename.target)][1]
        assert original(rename.source) in deleted
        assert original(rename.target) in added
    assert len({rename.source for rename in changes.renamed}) == len(changes.renamed)
    assert len({rename.target for rename in changes.renamed}) == len(changes.renamed)


def lists_of(changes: Changes) -> list[list[str]]:
    return [list(changes.added), list(changes.modified), list(changes.deleted)]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(earlier=st.lists(any_step, max_size=8), later=st.lists(any_step, max_size=10))
@example(earlier=[("link", "d", "d")], later=[("write", "d/x", "1\n")])
@example(earlier=[], later=[("link", "d", "d")])
def test_changes_of_a_repository_are_the_truth(earlier: list[Step], later: list[Step]) -> None:
    """A path is out if it is ignored at both moments; one the snapshot has stays in, also if it is ignored later."""
    with workplace() as top:
        repo = Repo(path=top / "repo", snapshots=Snapshots(top / "snapshots")).init()
        repo.commit(**{"a": "1\n", "d/x": "2\n"})
        perform(repo, earlier)
        left_out = ignored(repo)
        before = {path: kind for path, kind in contents(repo.path).items() if path not in left_out}
        untouched = everything(repo.path)
        snapshot = repo.take()
        assert everything(repo.path) == untouched

        perform(repo, later)
        left_out = ignored(repo) - before.keys()
        after = {path: kind for path, kind in contents(repo.path).items() if path not in left_out}
        untouched = everything(repo.path)
        changes = repo.changes(snapshot)

        assert everything(repo.path) == untouched
        assert_true(changes, before, after)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(earlier=st.lists(files, max_size=8), later=st.lists(files, max_size=10))
def test_changes_of_a_folder_are_the_truth(earlier: list[Step], later: list[Step]) -> None:
    with workplace() as top:
        folder = Folder(path=top / "folder", snapshots=Snapshots(top / "snapshots"))
        folder.write("a", "1\n")
        perform(folder, earlier)
        before = contents(folder.path)
        snapshot = folder.take()
        perform(folder, later)

        assert_true(folder.changes(snapshot), before, contents(folder.path))
