"""What the index lists: split into the certain and the special, and kept for the next time."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.git.snapshots.index_listing import Special, known_base, recall, renew, split
from mission.git.snapshots.manifest import join, parse
from mission.git.snapshots.snapshot_storage import SnapshotFolder

ID = b"0" * 40
RECORDS = st.dictionaries(
    st.sampled_from(
        [b"a", b"b", b"x/.gitattributes", b".gitattributes", b"my.gitattributes", b"caf\xe9", b"with\ttab"]
    ),
    st.tuples(st.sampled_from([b"H", b"S", b"h", b"M"]), st.sampled_from([b"100644", b"100755", b"120000", b"160000"])),
)


def text_of(listed: dict[bytes, tuple[bytes, bytes]]) -> bytes:
    return b"".join(b"%s %s %s 0\t%s\0" % (tag, mode, ID, path) for path, (tag, mode) in sorted(listed.items()))


@pytest.fixture
def room(tmp_path: Path) -> SnapshotFolder:
    made = SnapshotFolder(tmp_path / "room")
    made.make()
    return made


@given(RECORDS)
def test_every_path_is_certain_a_submodule_sparse_or_unsure(listed: dict[bytes, tuple[bytes, bytes]]) -> None:
    plain, special = split(text_of(listed))

    sorted_out = [*parse(plain), *special.links, *special.sparse, *special.unsure]
    assert sorted(sorted_out) == sorted(listed)
    for path, (tag, mode) in listed.items():
        if mode == b"160000":
            assert special.links[path] == ID
        elif tag == b"H":
            assert path in parse(plain)
        else:
            assert path in (special.sparse if tag == b"S" else special.unsure)
    assert set(special.attributes) == {path for path in listed if path.rpartition(b"/")[2] == b".gitattributes"}


@given(RECORDS)
def test_a_listing_is_recalled_as_it_was_kept(listed: dict[bytes, tuple[bytes, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = SnapshotFolder(Path(folder))
        room.make()
        kept = renew(room, text_of(listed), index="one")

        assert recall(room, index="one") == kept
        assert recall(room, index="two") is None
        assert room.load_base(kept.base) == split(text_of(listed))[0]


def tree(**changed: bytes) -> bytes:
    names = {f"f{number:02}".encode(): b"H 100644 %s 0" % ID for number in range(40)}
    return join({**names, **{name.encode(): value for name, value in changed.items()}})


def test_a_small_change_is_kept_as_a_drift_from_the_base(room: SnapshotFolder) -> None:
    first = renew(room, tree(), index="one")
    other = b"H 100644 %s 0" % (b"1" * 40)

    second = renew(room, tree(f01=other, new=other), index="two")

    assert second.base == first.base
    assert second.drift == {b"f01": other, b"new": other}
    assert recall(room, index="two") == second


def test_a_large_change_makes_a_new_base(room: SnapshotFolder) -> None:
    first = renew(room, tree(), index="one")

    second = renew(room, tree(**{f"g{number}": b"H 100644 %s 0" % ID for number in range(30)}), index="two")

    assert second.base != first.base
    assert second.drift == {}
    assert known_base(room) == second.base


def test_a_damaged_or_orphaned_listing_is_not_believed(room: SnapshotFolder) -> None:
    assert known_base(room) is None
    kept = renew(room, tree(), index="one")
    (room.path / "bases" / kept.base).unlink()
    assert recall(room, index="one") is None

    renew(SnapshotFolder(room.path), tree(), index="one")
    assert known_base(room) == kept.base
    (room.path / "listing").write_bytes(b"nonsense")
    assert recall(room, index="one") is None
    assert renew(room, tree(), index="one").special == Special()
