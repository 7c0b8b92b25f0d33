"""Differences as people read them: three sorted lists, and renames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.tasks.changes import Rename
from mission.git.snapshots.changed_paths import find_renames, sort_paths
from mission.git.snapshots.manifest import Difference, entry

ENTRIES = st.builds(entry, st.sampled_from([b"100644", b"100755"]), st.sampled_from(["id1", "id2", "id3"]))
TREES = st.dictionaries(st.sampled_from([b"a", b"b", b"x/a", b"x/b", b"y/a", b"z"]), ENTRIES)


def differences(old, new):
    paths = old.keys() | new.keys()
    return [
        Difference(path=path, old=old.get(path), new=new.get(path)) for path in paths if old.get(path) != new.get(path)
    ]


@given(TREES, TREES)
def test_a_path_is_in_the_one_list_that_says_what_happened_to_it(old, new):
    added, modified, deleted = sort_paths(differences(old, new))

    assert added == sorted(path.decode() for path in new.keys() - old.keys())
    assert deleted == sorted(path.decode() for path in old.keys() - new.keys())
    assert modified == sorted(path.decode() for path in old.keys() & new.keys() if old[path] != new[path])


@given(TREES, TREES)
def test_a_rename_joins_a_deleted_and_an_added_path_of_equal_content_each_once(old, new):
    changed = differences(old, new)
    added, _, deleted = sort_paths(changed)

    renames = find_renames(changed)

    sources, targets = [each.source for each in renames], [each.target for each in renames]
    assert len(set(sources)) == len(sources)
    assert len(set(targets)) == len(targets)
    assert set(sources) <= set(deleted)
    assert set(targets) <= set(added)
    for each in renames:
        assert old[each.source.encode()].split()[2] == new[each.target.encode()].split()[2]


def test_the_same_file_name_wins_and_the_rest_goes_by_order():
    old = {path: entry(b"100644", "id") for path in (b"one/a", b"one/b")}
    new = {path: entry(b"100755", "id") for path in (b"two/b", b"two/x")}

    assert find_renames(differences(old, new)) == [
        Rename(source="one/a", target="two/x"),
        Rename(source="one/b", target="two/b"),
    ]


def test_a_name_that_is_not_text_is_shown_in_quotes():
    [added, _, _] = sort_paths([Difference(path=b"caf\xe9", old=None, new=entry(b"100644", "id"))])

    assert added == ['"caf\\351"']
