"""Changes of a tree, and whether they stayed inside the announced areas."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.tasks.changes import Changes, Commit, Rename, verify_scope

PATHS = st.lists(st.sampled_from(["src/a.py", "src/b/c.py", "docs/x.md", "README.md", "tests/t.py"]), unique=True)
CHANGES = st.builds(
    lambda paths, first, second: Changes(
        added=sorted(paths[:first]),
        modified=sorted(paths[first : first + second]),
        deleted=sorted(paths[first + second :]),
        renamed=[Rename(source="x", target="y")],
        commits=[Commit(id="c1", subject="work")],
    ),
    PATHS,
    st.integers(0, 5),
    st.integers(0, 5),
)


@given(CHANGES, PATHS)
def test_changes_can_be_narrowed_to_some_paths_and_keep_their_kind(changes, wanted):
    only = changes.only(wanted)

    assert sorted(only.paths) == sorted(set(changes.paths) & set(wanted))
    for kept, all_of_them in zip(
        (only.added, only.modified, only.deleted), (changes.added, changes.modified, changes.deleted), strict=True
    ):
        assert set(kept) <= set(all_of_them)
    assert only.commits == changes.commits


def test_a_rename_stays_when_either_of_its_paths_is_wanted():
    changes = Changes(added=["new"], deleted=["old"], renamed=[Rename(source="old", target="new")])

    assert changes.only(["old"]).renamed == changes.only(["new"]).renamed == changes.renamed
    assert changes.only(["other"]).renamed == []


@given(CHANGES)
def test_changes_with_commits_survive_being_stored(changes):
    assert Changes.from_dict(changes.as_dict()) == changes


@given(CHANGES, st.lists(st.sampled_from(["src", "docs", "*.md", "tests/"]), max_size=3))
def test_unexpected_files_are_changed_files_outside_of_all_areas(changes, areas):
    found = verify_scope(changes, areas)

    assert set(found.unexpected_files) <= set(changes.paths)
    assert found.scope_match is (not found.unexpected_files)
    for path in found.unexpected_files:
        assert all(path in verify_scope(changes, [area]).unexpected_files for area in areas)


def test_each_further_area_can_only_excuse_files():
    changes = Changes(added=["src/a.py", "docs/x.md"], deleted=["README.md"])

    assert verify_scope(changes, ["src"]).unexpected_files == ["docs/x.md", "README.md"]
    assert verify_scope(changes, ["src", "docs"]).unexpected_files == ["README.md"]
    assert verify_scope(changes, ["src", "docs", "README.md"]).scope_match


def test_warnings_of_the_comparison_are_passed_on():
    changes = Changes(added=["a"], warnings=["b could not be read"])

    assert verify_scope(changes, []).warnings == ["b could not be read"]
    outside = verify_scope(changes, ["src"]).warnings
    assert outside[0] == "b could not be read"
    assert "1 " in outside[1]
    assert "src" in outside[1]
