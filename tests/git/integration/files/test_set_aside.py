"""Files that are in the way are moved aside and back."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mission.git.file_names import display_name
from mission.git.integration.files.set_aside import places_for, put_back, set_aside
from tests.git.integration.run_repositories import killed

ODD = b"sub/caf\xe9 \n.txt"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return prepared(tmp_path)


def prepared(folder: Path) -> Path:
    top = folder / "tree"
    (top / "sub").mkdir(parents=True)
    (top / "a.txt").write_text("a\n")
    (top / "link").symlink_to("nowhere")
    (top / ODD.decode(errors="surrogateescape")).write_text("odd\n")
    return top


def names(top: Path) -> set[str]:
    return {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_dir() or path.is_symlink()}


def test_files_and_links_are_moved_and_come_back(top: Path, tmp_path: Path) -> None:
    before = names(top)
    places = places_for(tmp_path / "git", [b"a.txt", b"link", ODD])

    set_aside(top, places)
    assert names(top) == set()
    put_back(top, places)

    assert names(top) == before
    assert (top / "link").readlink() == Path("nowhere")
    assert display_name(ODD) in dict(places)


def test_a_second_time_never_overwrites_the_first(top: Path, tmp_path: Path) -> None:
    set_aside(top, places_for(tmp_path / "git", [b"a.txt"]))
    (top / "a.txt").write_text("another\n")
    second = places_for(tmp_path / "git", [b"a.txt"])
    set_aside(top, second)

    kept = sorted(path.read_text() for path in (tmp_path / "git").rglob("a.txt"))
    assert kept == ["a\n", "another\n"]


def test_nothing_is_put_over_a_file_that_is_there_now(top: Path, tmp_path: Path) -> None:
    places = places_for(tmp_path / "git", [b"a.txt"])
    set_aside(top, places)
    (top / "a.txt").write_text("newer\n")

    put_back(top, places)

    assert (top / "a.txt").read_text() == "newer\n"
    assert Path(places[0][1]).read_text() == "a\n"


def test_files_that_are_gone_are_no_obstacle(tmp_path: Path) -> None:
    places = places_for(tmp_path / "git", [b"absent"])
    set_aside(tmp_path, places)
    put_back(tmp_path, places)

    assert not (tmp_path / "absent").exists()


@pytest.mark.faults
@pytest.mark.parametrize("across", [False, True])
def test_a_move_that_was_killed_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, across: bool) -> None:
    if across:
        rename = Path.rename

        def refuse(self: Path, target: Path) -> Path:
            if self.name.endswith(".partial"):
                return rename(self, target)
            raise OSError(errno.EXDEV, "another file system")

        monkeypatch.setattr(Path, "rename", refuse)

    def places(top: Path) -> tuple[tuple[str, str], ...]:
        return tuple((name, str(top.parent / "git" / name)) for name in ("a.txt", "link"))

    for top in killed(tmp_path, prepared, lambda top: set_aside(top, places(top))):
        set_aside(top, places(top))
        assert not {"a.txt", "link"} & names(top)
        assert (top.parent / "git" / "a.txt").read_text() == "a\n"
        assert (top.parent / "git" / "link").readlink() == Path("nowhere")
