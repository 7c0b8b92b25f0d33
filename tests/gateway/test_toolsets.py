"""The choice of toolsets: by name, by role, or all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.gateway.toolsets import PRESETS, TOOLSETS, parse_toolsets


@given(st.lists(st.sampled_from([*TOOLSETS, *PRESETS, "all", " Mission ", "", " "]), max_size=6))
def test_a_choice_means_the_union_of_its_toolsets_each_once(words):
    chosen = parse_toolsets(",".join(words))

    assert len(chosen) == len(set(chosen))
    expected = set()
    for word in (each.strip().lower() for each in words):
        expected |= set(TOOLSETS) if word == "all" else set(PRESETS.get(word, (word,) if word else ()))
    assert set(chosen) == expected


@pytest.mark.parametrize(("word", "near"), [("misson", "mission"), ("workers", "worker"), ("zzz", None)])
def test_an_unknown_toolset_is_refused_with_the_nearest_name(word, near):
    with pytest.raises(InvalidInput) as refused:
        parse_toolsets(f"mission,{word}")

    assert refused.value.details == {"field": "toolsets"}
    assert ("did you mean" in refused.value.message) is (near is not None)
    assert near is None or f"'{near}'" in refused.value.message
