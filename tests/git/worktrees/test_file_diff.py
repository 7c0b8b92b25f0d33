"""The lines that changed in one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.errors import InvalidState
from mission.git import patch
from mission.git.patch import patch_of
from tests.git.workbench import Folder, Repo


def lines(repo: Repo, path: str, *, base: str, end: str | None = None) -> list[str]:
    text, whole = patch_of(repo.path, path, base=base, end=end)
    assert whole
    return [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_an_edit_is_shown_against_the_base_whether_it_is_committed_or_not(repo: Repo) -> None:
    base = repo.head
    repo.write("a.txt", "edited\n")
    assert lines(repo, "a.txt", base=base) == ["-a", "+edited"]

    end = repo.commit("edit")
    repo.write("a.txt", "later\n")
    assert lines(repo, "a.txt", base=base, end=end) == ["-a", "+edited"]
    assert lines(repo, "a.txt", base=base) == ["-a", "+later"]


def test_a_new_file_is_all_added_and_a_deleted_one_all_removed(repo: Repo) -> None:
    repo.write("new.txt", "one\ntwo\n")
    (repo.path / "b.txt").unlink()

    assert lines(repo, "new.txt", base=repo.head) == ["+one", "+two"]
    assert lines(repo, "b.txt", base=repo.head) == ["-b"]


def test_a_file_that_was_committed_before_the_base_shows_its_last_commit(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    late = repo.commit("after the task")

    assert lines(repo, "a.txt", base=late) == ["-a", "+edited"]


def test_before_the_first_commit_everything_is_new(empty: Repo) -> None:
    empty.write("x.txt", "x\n")

    assert lines(empty, "x.txt", base="") == ["+x"]
    empty.commit("first")
    assert lines(empty, "x.txt", base="0" * 40) == ["+x"]


@pytest.mark.parametrize("name", ["*.txt", ":(glob)x", "--stat", "with space", "ü.txt"])
def test_a_name_is_taken_as_it_is_and_never_as_a_pattern_or_an_option(repo: Repo, name: str) -> None:
    base = repo.head
    repo.write("a.txt", "other\n")
    repo.write(name, "mine\n")
    repo.git("add", "-A")

    assert lines(repo, name, base=base) == ["+mine"]


def test_a_name_that_is_not_text_is_given_in_its_quoted_form(repo: Repo) -> None:
    repo.write(b"caf\xe9", "x\n")

    assert lines(repo, '"caf\\351"', base=repo.head) == ["+x"]


def test_a_long_patch_is_cut_and_says_so(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "LONGEST", 50)
    repo.write("a.txt", "x\n" * 100)

    text, whole = patch_of(repo.path, "a.txt", base=repo.head, end=None)

    assert (len(text), whole) == (50, False)


def test_no_program_of_the_repository_shows_the_difference(repo: Repo, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    repo.commit("attributes", **{".gitattributes": "*.txt diff=x\n"})
    repo.git("config", "diff.x.textconv", f"touch {witness}; cat")
    repo.git("config", "diff.external", f"touch {witness}; true")
    repo.write("a.txt", "edited\n")

    assert lines(repo, "a.txt", base=repo.head) == ["-a", "+edited"]
    assert not witness.exists()


def test_a_plain_folder_has_no_lines_to_show(folder: Folder) -> None:
    with pytest.raises(InvalidState):
        patch_of(folder.path, "a.txt", base="", end=None)
