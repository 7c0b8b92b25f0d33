"""Manifests: texts, deltas and their comparison."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mission.git.snapshots.manifest
from mission.git.snapshots.manifest import (
    Difference,
    Manifest,
    compare,
    digest_of,
    drift,
    entry,
    join,
    look_up,
    pack,
    parse,
    unpack,
    whole,
)

PATHS = st.sampled_from([b"a", b"b", b"a\tb", b"x\ty\tb", b"line\nbreak", b"d/e", b"\xff", b"-"])
ENTRIES = st.builds(entry, st.sampled_from([b"100644", b"100755"]), st.sampled_from(["0" * 40, "f" * 40]))
TREES = st.dictionaries(PATHS, ENTRIES)
MANY = {b"many/%d" % number: entry(b"100644", f"{number:040}") for number in range(60)}


@given(TREES)
def test_a_text_holds_every_entry(tree: dict[bytes, bytes]) -> None:
    assert parse(join(tree)) == tree


@given(TREES, st.sets(PATHS))
def test_few_and_many_paths_are_looked_up_alike(tree: dict[bytes, bytes], paths: set[bytes]) -> None:
    expected = {path: tree[path] for path in paths if path in tree}

    assert look_up(join(tree), paths) == expected
    assert look_up(join(tree | MANY), paths | MANY.keys()) == expected | MANY


@given(TREES, TREES)
def test_a_drift_leads_from_one_text_to_the_other(one: dict[bytes, bytes], other: dict[bytes, bytes]) -> None:
    delta = unpack(pack(drift(join(one), join(other))))

    assert whole(Manifest(base="", delta=delta), join(one)) == other


@given(st.sets(st.integers(0, 399), max_size=30), st.sets(st.integers(0, 399), max_size=30), st.integers(0, 60))
def test_a_drift_of_long_texts_names_exactly_what_differs(gone: set[int], edited: set[int], limit: int) -> None:
    one = {b"%03d/%s" % (number, b"x" * (number % 50)): entry(b"100644", f"{number:040}") for number in range(400)}
    paths = list(one)
    other = {path: one[path] for number, path in enumerate(paths) if number not in gone}
    other |= {paths[number]: entry(b"100755", "e" * 40) for number in edited}
    expected = {paths[number]: None for number in gone - edited} | {
        paths[number]: other[paths[number]] for number in edited
    }

    assert drift(join(one), join(other)) == expected
    assert drift(join(other), join(one)).keys() == expected.keys()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mission.git.snapshots.manifest, "SCATTERED", limit)
        assert drift(join(one), join(other)) == expected


@given(TREES, TREES, TREES, TREES)
def test_manifests_differ_where_the_trees_do(
    base: dict[bytes, bytes], other: dict[bytes, bytes], old: dict[bytes, bytes], new: dict[bytes, bytes]
) -> None:
    texts = {digest_of(join(tree)): join(tree) for tree in (base, other)}
    one = Manifest(base=digest_of(join(base)), delta=drift(join(base), join(old)))
    two = Manifest(base=digest_of(join(other)), delta=drift(join(other), join(new)))

    found = {(each.path, each.old, each.new) for each in compare(one, two, texts.__getitem__)}

    paths = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    assert found == {(path, old.get(path), new.get(path)) for path in paths}


def test_a_difference_says_what_was_and_what_is() -> None:
    value = entry(b"100644", "0" * 40)
    one, two = Manifest(base=digest_of(b"")), Manifest(base=digest_of(b""), delta={b"a": value})

    assert compare(one, two, lambda _: b"") == [Difference(path=b"a", old=None, new=value)]
