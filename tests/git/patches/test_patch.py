"""The lines between a snapshot and now: files that are hard to show, and settings that must have no say in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mission.domain.tasks.patch import Lines, Patch, shortened
from mission.git.changed_files import find_changes, find_lines
from mission.git.patches import file_contents, patch
from mission.git.snapshot import Snapshot
from tests.git.real_repositories import Folder, Repo


def everything(repo: Folder, snapshot: Snapshot) -> Patch:
    stored = find_changes(repo.snapshots, snapshot, lines=True).patch
    assert stored is not None
    found = Patch.unpacked(stored.content)
    assert found is not None
    assert found.missing is None
    return found


def lines(repo: Folder, snapshot: Snapshot) -> dict[str, Lines]:
    """The patch of each file; asked for one by one, each gives the same."""
    changes, whole = repo.changes(snapshot), everything(repo, snapshot)
    assert set(whole.files) == set(changes.paths)
    for path in changes.paths:
        single = find_lines(repo.snapshots, snapshot, path)
        assert single is not None
        assert single.files[path] == whole.files[path]
    return dict(whole.files)


def body(found: Lines) -> list[str]:
    """What follows the head of a patch."""
    return found.text[found.text.index("@@") :].split("\n", 1)[1].splitlines(keepends=True)


def test_the_patch_is_one_that_git_applies(repo: Repo, tmp_path: Path) -> None:
    """Everything at once: added, changed, deleted, renamed, linked, made a program, with odd names and odd ends."""
    odd = b"caf\xe9 with space"
    names = ["a.txt", "b.txt", "src/c.txt", "crlf.txt", "no-end.txt", "moved.txt", "run.sh", 'tab\t"quoted"', "link"]
    for name in names[3:8]:
        repo.write(name, f"first of {name}\nsecond\n")
    repo.write("crlf.txt", b"one\r\ntwo\r\n")
    repo.write(odd, "odd\n")
    (repo.path / "link").symlink_to("a.txt")
    repo.commit()
    repo.write("a.txt", "dirty\n")
    repo.write("loose.txt", "loose\n")
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-a", repo.path, copy], check=True)
    snapshot = repo.take()
    repo.write("a.txt", "dirty\nand more\n")
    repo.write("loose.txt", "loose\nand more\n")
    repo.write("crlf.txt", b"one\r\nTWO\r\n")
    repo.write("no-end.txt", "first\nwithout an end")
    repo.write('tab\t"quoted"', "changed\n")
    repo.write(odd, "changed\n")
    repo.write("empty.txt", "")
    (repo.path / "moved.txt").rename(repo.path / "elsewhere.txt")
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("b.txt")
    (repo.path / "b.txt").unlink()
    (repo.path / "src" / "c.txt").unlink()
    (repo.path / "src" / "c.txt").symlink_to("../a.txt")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "all of it")

    found = lines(repo, snapshot)

    assert all(each.whole and each.note is None for each in found.values())
    texts = dict.fromkeys(each.text.encode("utf-8", "surrogateescape") for each in found.values())
    applied = subprocess.run(["git", "apply", "-"], cwd=copy, input=b"".join(texts), capture_output=True)
    assert applied.returncode == 0, applied.stderr
    different = subprocess.run(
        ["diff", "-r", "--no-dereference", "-x", ".git", repo.path, copy], capture_output=True, text=True
    )
    assert different.stdout == ""
    assert os.access(copy / "run.sh", os.X_OK)


def test_each_kind_of_change_is_told(repo: Repo) -> None:
    repo.write("blob.bin", b"\0\1\2" * 100)
    repo.write("run.sh", "true\n")
    repo.write("moved.txt", "moved\n")
    repo.commit()
    snapshot = repo.take()
    repo.write("blob.bin", b"\0\1\3" * 100)
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "moved.txt").rename(repo.path / "there.txt")
    repo.write("a.txt", "a\nwithout an end")

    found = lines(repo, snapshot)

    assert "Binary files a/blob.bin and b/blob.bin differ\n" in found["blob.bin"].text
    assert found["run.sh"].text == "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    assert "similarity index 100%\nrename from moved.txt\nrename to there.txt\n" in found["there.txt"].text
    assert found["moved.txt"] == found["there.txt"]
    assert body(found["a.txt"]) == [" a\n", "+without an end\n", "\\ No newline at end of file\n"]


def test_line_endings_that_git_converts_are_no_changed_lines(repo: Repo) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    repo.commit()
    repo.write("a.txt", b"a\r\nbefore\r\n")
    snapshot = repo.take()
    repo.write("a.txt", b"a\r\nbefore\r\nafter\r\n")
    repo.write("b.txt", b"b\r\nafter\r\n")

    found = lines(repo, snapshot)

    assert [line for line in body(found["a.txt"]) if line[0] != " "] == ["+after\n"]
    assert [line for line in body(found["b.txt"]) if line[0] != " "] == ["+after\n"]


def test_no_program_of_the_repository_or_the_user_runs(repo: Repo, home: Path, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\ntouch {trace}\ncat\n")
    tool.chmod(0o755)
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "attributes").write_text("* diff=evil filter=evil\n")
    (home / ".gitconfig").write_text(f'[diff]\n\texternal = {tool}\n[diff "evil"]\n\ttextconv = {tool}\n')
    repo.write(".gitattributes", "* diff=evil filter=evil\n")
    repo.commit()
    for key in ("diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "core.pager"):
        repo.git("config", key, str(tool))
    repo.write("b.txt", "dirty\n")
    snapshot = repo.take()
    repo.write("a.txt", "changed\n")
    repo.write("b.txt", "dirty and more\n")

    found = lines(repo, snapshot)

    assert body(found["a.txt"]) == ["-a\n", "+changed\n"]
    assert body(found["b.txt"]) == ["-dirty\n", "+dirty and more\n"]
    assert not trace.exists()


def test_a_file_behind_a_filter_is_compared_as_it_lies_on_disk(repo: Repo) -> None:
    repo.write(".gitattributes", "*.secret filter=crypt\n")
    repo.git("config", "filter.crypt.clean", "rev")
    repo.write("x.secret", "plain\n")
    repo.commit()
    assert repo.git("show", "HEAD:x.secret") == "nialp\n"
    snapshot = repo.take()
    repo.write("x.secret", "plain\nmore\n")

    assert body(lines(repo, snapshot)["x.secret"]) == [" plain\n", "+more\n"]


def test_a_repository_inside_says_that_its_lines_are_not_compared(repo: Repo) -> None:
    inner = Repo(path=repo.path / "inner", snapshots=repo.snapshots).init()
    inner.commit("first", **{"x.txt": "x\n"})
    snapshot = repo.take()
    inner.write("x.txt", "changed\n")

    assert lines(repo, snapshot)["inner"] == Lines(whole=False, note=patch.NESTED)


def test_a_large_file_is_said_to_be_too_large_and_a_new_one_shows_its_beginning(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_contents, "MAX_FILE_BYTES", 10_000)
    monkeypatch.setattr(file_contents, "MAX_PATCH_LENGTH", 5_000)
    repo.commit("large", **{"grown.txt": "line\n" * 3_000, "gone.txt": "other line\n" * 3_000})
    snapshot = repo.take()
    repo.write("grown.txt", "line\n" * 4_000)
    repo.write("new.txt", "new line\n" * 4_000)
    (repo.path / "gone.txt").unlink()

    found = lines(repo, snapshot)

    assert found["grown.txt"] == Lines(whole=False, note=patch.TOO_LARGE)
    assert [found[name].whole for name in ("new.txt", "gone.txt")] == [False, False]
    assert body(found["new.txt"])[0] == "+new line\n"
    assert body(found["gone.txt"])[0] == "-other line\n"


def test_git_is_ended_when_enough_of_a_patch_is_read(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "MAX_READ_BYTES", 2_000)
    snapshot = repo.take()
    for number in range(20):
        repo.write(f"{number:02}.txt", "line\n" * 100)

    whole = everything(repo, snapshot)

    assert whole.files["00.txt"].whole
    assert whole.files["19.txt"] == Lines(whole=False, note=patch.TOO_MUCH)


def test_a_file_that_changes_while_it_is_read_shows_no_lines_of_another_moment(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = repo.take()
    repo.write("a.txt", "seen\n")
    made = patch.make_patch

    def overtaken(*arguments: object) -> dict[str, Lines]:
        repo.write("a.txt", "later\n")
        return made(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("mission.git.changed_files.make_patch", overtaken)

    whole = everything(repo, snapshot)

    assert whole.files["a.txt"] == Lines(whole=False, note=patch.UNREADABLE)


def test_damaged_contents_of_the_start_are_not_taken_for_what_was_there(repo: Repo, tmp_path: Path) -> None:
    repo.write("loose.txt", "before\n")
    snapshot = repo.take()
    (kept,) = (tmp_path / "snapshots").rglob("kept/*")
    kept.write_bytes(kept.read_bytes()[:-30])
    repo.write("loose.txt", "after\n")

    assert lines(repo, snapshot)["loose.txt"] == Lines(whole=False, note=patch.GONE)


def test_what_a_crash_left_behind_is_removed(repo: Repo, tmp_path: Path) -> None:
    repo.write("loose.txt", "before\n")
    snapshot = repo.take()
    (kept,) = (tmp_path / "snapshots").rglob("kept/*")
    room = kept.parent.parent
    (room / ".scratch" / "a").mkdir(parents=True)
    (room / ".scratch" / "a" / "0").write_text("half\n")
    (room / "kept" / ".half").write_text("half\n")
    orphan = room / "kept" / "0123456789abcdef"
    orphan.write_text("of a start that was never recorded\n")
    os.utime(orphan, (1, 1))

    repo.snapshots.prune([snapshot])

    assert [path.name for path in room.glob("kept/*")] == [kept.name]
    assert not (room / ".scratch").exists()


def test_work_in_a_linked_worktree_and_in_a_repository_without_commits_is_shown(repo: Repo, empty: Repo) -> None:
    repo.git("worktree", "add", "-q", "../linked")
    linked = Repo(path=repo.path.parent / "linked", snapshots=repo.snapshots)
    for each in (linked, empty):
        each.write("staged.txt", "before\n")
        each.git("add", "staged.txt")
        snapshot = each.take()
        each.write("staged.txt", "before\nafter\n")
        each.commit()

        assert body(lines(each, snapshot)["staged.txt"]) == [" before\n", "+after\n"]


def test_the_longest_texts_are_cut_to_the_same_length_at_the_end_of_a_line() -> None:
    files = {"short": Lines(text="ab\n"), "long": Lines(text="abc\n" * 10), "longer": Lines(text="abc\n" * 20)}

    assert shortened(files, budget=30) == {
        "short": Lines(text="ab\n"),
        "long": Lines(text="abc\n" * 3, whole=False),
        "longer": Lines(text="abc\n" * 3, whole=False),
    }
    assert shortened(files, budget=200) == files
