"""JSON text as the store keeps it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mission.store.sql.compact_json import dumps

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)


@given(value=JSON)
def test_it_reads_back_and_is_no_longer_than_plain_json(value):
    written = dumps(value)

    assert json.loads(written) == value
    assert len(written) <= len(json.dumps(value, separators=(",", ":")))


def test_characters_stay_themselves_and_keys_in_their_order():
    assert dumps({"b": "ä😀", "a": [1, None]}) == '{"b":"ä😀","a":[1,null]}'
