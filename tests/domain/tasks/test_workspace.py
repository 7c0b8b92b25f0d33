"""Workspaces: their states, and which paths and branch names may be used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import IllegalMove, InvalidInput, InvalidState
from mission.domain.tasks.workspace import MAX_SLUG_LENGTH, MOVES, WorkspaceStatus, check_inner, check_place, slug
from tests.domain.samples import NOW, SHOWN, after, workspace


@pytest.mark.parametrize("current", list(WorkspaceStatus))
@pytest.mark.parametrize("wanted", list(WorkspaceStatus))
def test_a_workspace_moves_as_the_table_says_and_stays_when_asked_for_the_same(current, wanted):
    one = workspace(status=current)

    if wanted is current:
        assert one.move_to(wanted, at=after(hours=1)) is one
    elif wanted in MOVES[current]:
        moved = one.move_to(wanted, at=after(hours=1))
        assert (moved.status, moved.updated_at) == (wanted, after(hours=1))
    else:
        with pytest.raises(IllegalMove):
            one.move_to(wanted, at=NOW)


def test_a_removed_workspace_does_not_become_active_again():
    gone = workspace(status=WorkspaceStatus.ABANDONED, removed_at=NOW)

    with pytest.raises(InvalidState) as refused:
        gone.move_to(WorkspaceStatus.ACTIVE, at=NOW)
    assert refused.value.details == {"current": "removed"}
    assert gone.move_to(WorkspaceStatus.MERGED, at=NOW).status is WorkspaceStatus.MERGED


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"status": WorkspaceStatus.MERGED}, "merged"),
        ({"status": WorkspaceStatus.ABANDONED}, "abandoned"),
        ({"removed_at": NOW}, "removed"),
        ({"removed_at": NOW, "status": WorkspaceStatus.MERGED}, "removed"),
    ],
)
def test_tasks_are_done_only_in_an_active_workspace_that_is_there(fields, word):
    workspace().check_usable()

    with pytest.raises(InvalidState) as refused:
        workspace(**fields).check_usable()
    assert refused.value.details == {"current": word}


@pytest.mark.parametrize("path", ["/tmp/tree", "/tmp/tree/", "/a b/ü", "/.gitignore/x", "/a/..b"])
def test_a_plain_absolute_path_is_a_place_for_a_worktree(path):
    assert check_place(path) == path.rstrip("/")


@pytest.mark.parametrize(
    "path", ["work", "", "/", "~/x", "/a/../b", "/a/./b", "/a//b", "/a/.git", "/a/.GIT/x", "/a\n", "/a/\x00", "//a"]
)
def test_another_path_is_not_a_place_for_a_worktree(path):
    with pytest.raises(InvalidInput) as refused:
        check_place(path, field="where")

    assert refused.value.details == {"field": "where"}


@pytest.mark.parametrize("path", [".env", "config/local.toml", "a b/ü"])
def test_a_relative_path_names_a_file_inside_the_tree(path):
    assert check_inner(path, field="copy") == path


@pytest.mark.parametrize("path", ["/etc/passwd", "~/x", "../x", "a/../../x", "a/", "", ".", ".git/config", "a\tb"])
def test_a_path_that_leads_out_of_the_tree_or_into_git_is_refused(path):
    with pytest.raises(InvalidInput):
        check_inner(path, field="copy")


@given(st.text(max_size=120))
def test_a_slug_is_lower_case_letters_digits_and_single_dashes(text):
    made = slug(text)

    assert len(made) <= MAX_SLUG_LENGTH
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert "--" not in made
    assert made == made.strip("-")
    assert slug(made) == made


def test_a_slug_is_still_readable():
    assert slug("  Refuse EXPIRED tokens! (JWT)") == "refuse-expired-tokens-jwt"
    assert slug("日本") == ""


def test_a_record_names_where_uncommitted_work_was_saved():
    shown = workspace(kept_branch="mission-kept/w_1", removed_at=NOW).record()

    assert (shown["kept_branch"], shown["removed_at"], shown["status"]) == ("mission-kept/w_1", SHOWN, "active")
