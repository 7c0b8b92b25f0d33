"""Work that no call asked for, and short names for content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import NotFound
from mission.services.work import BackgroundWork, digest_of

JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(one=JSON, other=JSON)
def test_equal_content_has_an_equal_name_and_other_content_another(one, other):
    assert (digest_of(one) == digest_of(other)) is (one == other)


def test_the_order_of_keys_does_not_matter_and_that_of_a_list_does():
    assert digest_of({"a": 1, "b": "\udcff"}) == digest_of({"b": "\udcff", "a": 1})
    assert digest_of([1, 2]) != digest_of([2, 1])


async def test_writes_return_their_values_and_a_failed_one_leaves_nothing(app):
    work = BackgroundWork(app.database)

    def take(tx, *, name, fail=False):
        taken = tx.jobs.take(name, now=tx.now, every=tx.silence)
        if fail:
            raise NotFound("no")
        return taken

    with pytest.raises(NotFound):
        await work.write(take, name="sweep", fail=True)
    assert await work.finish(take, name="sweep") is True
    assert await work.write(take, name="sweep") is False
    assert await work.read(lambda tx, *, seq: tx.events.since(seq, limit=1), seq=0) == []
