"""Copies of files that git ignores: complete, apart from the originals, and never outside the tree."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mission.domain.errors import TransientError
from mission.git.worktrees.ignored_files import LARGEST_TEXT, CopyLimits, IgnoredFiles, TooMuchToCopy, end_copies


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    (path / "deps" / "inner").mkdir(parents=True)
    (path / "deps" / "a.js").write_text("a\n")
    (path / "deps" / "inner" / "b.js").write_text("b\n")
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target"
    path.mkdir()
    return path


def copying(source: Path, target: Path, *, limits: CopyLimits | None = None) -> IgnoredFiles:
    return IgnoredFiles(
        source, target, final=Path("/final/place"), excluded=source / "ours", limits=limits or CopyLimits()
    )


def files_of(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def test_folders_and_single_files_are_copied_with_modes_and_times(source: Path, target: Path) -> None:
    (source / "single.log").write_text("log\n")
    (source / "deps" / "empty").mkdir()
    (source / "deps" / "a.js").chmod(0o754)
    os.utime(source / "deps" / "a.js", ns=(10**18, 10**18))

    copying(source, target).copy([b"deps/", b"single.log", b"gone", b"gone/"])

    assert files_of(target) == files_of(source)
    status = (target / "deps" / "a.js").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o754, 10**18)
    assert (target / "deps" / "empty").is_dir()


def test_a_copy_is_not_the_original(source: Path, target: Path) -> None:
    (source / "deps" / "large").write_bytes(os.urandom(LARGEST_TEXT * 3))
    copying(source, target).copy([b"deps/"])
    assert files_of(target) == files_of(source)
    before = files_of(source)

    for path in target.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:
                file.write(b"written by a check")

    assert files_of(source) == before


def test_names_need_not_be_text(source: Path, target: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (source / "deps" / name).write_text("x")

    copying(source, target).copy([b"deps/"])

    assert (target / "deps" / name).read_text() == "x"


def test_links_are_copied_and_not_followed(source: Path, target: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (source / "deps" / "out").symlink_to(outside)
    (source / "deps" / "near").symlink_to("a.js")
    (source / "deps" / "absolute").symlink_to(source / "deps")
    (source / "linked").symlink_to(outside)

    copying(source, target).copy([b"deps/", b"linked/", b"linked/secret"])

    assert (target / "deps" / "out").readlink() == outside
    assert (target / "deps" / "near").readlink() == Path("a.js")
    assert (target / "deps" / "absolute").readlink() == Path("/final/place/deps")
    assert not (target / "linked" / "secret").exists()


def test_nothing_is_written_through_a_link_of_the_target(source: Path, target: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (target / "deps").symlink_to(outside)

    copying(source, target).copy([b"deps/"])

    assert list(outside.iterdir()) == []


def test_what_the_target_has_is_kept(source: Path, target: Path) -> None:
    (target / "deps").mkdir()
    (target / "deps" / "a.js").write_text("its own")
    (target / "deps" / "inner").write_text("a file here, a folder there")

    copying(source, target).copy([b"deps/"])

    assert files_of(target) == {"deps/a.js": b"its own", "deps/inner": b"a file here, a folder there"}


def test_the_original_folder_is_replaced_in_text_and_only_where_it_is_meant(source: Path, target: Path) -> None:
    texts = {
        "script": f"#!{source}/bin/python\n",
        "package.pth": f"{source}\n",
        "setting": f'"{source}"',
        "other": f"{source}2/x {source}.bak {source}-old",
    }
    for name, text in texts.items():
        (source / "deps" / name).write_text(text)
    (source / "deps" / "binary").write_bytes(b"\0" + os.fsencode(source))

    copying(source, target).copy([b"deps/"])

    assert {name: (target / "deps" / name).read_text() for name in texts} == {
        "script": "#!/final/place/bin/python\n",
        "package.pth": "/final/place\n",
        "setting": '"/final/place"',
        "other": texts["other"],
    }
    assert (target / "deps" / "binary").read_bytes() == b"\0" + os.fsencode(source)


def test_pipes_worktrees_and_our_own_folder_are_left_out(source: Path, target: Path) -> None:
    os.mkfifo(source / "deps" / "pipe")
    for name in ("worktree", "clone"):
        (source / "deps" / name).mkdir()
        (source / "deps" / name / "file").touch()
    (source / "deps" / "worktree" / ".git").write_text("gitdir: /elsewhere\n")
    (source / "deps" / "clone" / ".git").mkdir()
    (source / "ours").mkdir()
    (source / "ours" / "database").touch()

    copying(source, target).copy([b"deps/", b"ours/"])

    assert sorted(files_of(target)) == ["deps/a.js", "deps/clone/file", "deps/inner/b.js"]


@pytest.mark.parametrize("limits", [CopyLimits(files=1), CopyLimits(bytes=3)])
def test_nothing_is_copied_beyond_the_limits(source: Path, target: Path, limits: CopyLimits) -> None:
    with pytest.raises(TooMuchToCopy):
        copying(source, target, limits=limits).copy([b"deps/"])
    with pytest.raises(TooMuchToCopy):
        copying(source, target, limits=limits).copy([b"deps/a.js", b"deps/inner/b.js"])

    assert list(target.iterdir()) == []


def test_files_of_a_folder_are_listed(source: Path, target: Path) -> None:
    assert sorted(copying(source, target).files_in(b"deps/")) == [b"deps/a.js", b"deps/inner/b.js"]


def test_a_copy_ends_when_nobody_needs_it(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IgnoredFiles, "_copy_folder", lambda self, *_: end_copies() or self._check())

    with pytest.raises(TransientError):
        copying(source, target).copy([b"deps/"])
