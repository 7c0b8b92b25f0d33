"""The TMPDIR of a check, and what must never be removed in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.runtime.checking import temporary_folder
from mission.runtime.checking.temporary_folder import make_temporary_folder, remove_temporary_folder, remove_tree


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "short").mkdir()
    monkeypatch.setattr(temporary_folder, "SHORT", tmp_path / "short")
    return tmp_path / "short"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ev_0000000001").mkdir()
    return tmp_path / "ev_0000000001"


def test_it_is_in_the_folder_of_the_check_if_its_path_is_short(
    folder: Path, short: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(temporary_folder, "LONGEST_PATH", 10_000)

    made = make_temporary_folder(folder)
    (made / "file").touch()

    assert made == folder / "tmp"
    assert made.stat().st_mode & 0o777 == 0o700
    remove_temporary_folder(folder)
    assert list(folder.iterdir()) == []


def test_it_is_elsewhere_if_its_path_would_be_too_long_for_a_socket(
    folder: Path, short: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(temporary_folder, "LONGEST_PATH", 1)

    made = make_temporary_folder(folder)
    (made / "a").mkdir()
    (made / "a" / "b").touch()
    (made / "a").chmod(0o500)

    assert made == short / "check-ev_0000000001"
    assert made.stat().st_mode & 0o777 == 0o700
    remove_temporary_folder(folder)
    assert list(short.iterdir()) == []


@pytest.mark.parametrize("in_the_way", ["folder", "link"])
def test_a_place_that_somebody_else_took_is_not_used(
    folder: Path, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_the_way: str
):
    monkeypatch.setattr(temporary_folder, "LONGEST_PATH", 1)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    if in_the_way == "folder":
        (short / "check-ev_0000000001").mkdir()
    else:
        (short / "check-ev_0000000001").symlink_to(tmp_path / "precious")

    assert make_temporary_folder(folder) == folder / "tmp"
    remove_temporary_folder(folder)

    assert (tmp_path / "precious" / "file").exists()


@pytest.mark.parametrize("path", ["", ".", "..", "relative/path", "/", "/tmp"])
def test_a_path_that_cannot_be_a_check_s_is_never_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str):
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match="refusing to remove"):
        remove_tree(Path(path))

    assert (tmp_path / "file").exists()


def test_links_are_removed_and_not_followed(folder: Path, short: Path, tmp_path: Path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    made = make_temporary_folder(folder)
    (made / "link").symlink_to(tmp_path / "precious")

    remove_temporary_folder(folder)

    assert not made.exists()
    assert (tmp_path / "precious" / "file").exists()


def test_a_folder_that_is_gone_is_no_problem(folder: Path, short: Path):
    remove_temporary_folder(folder)
    remove_tree(folder / "nowhere")
