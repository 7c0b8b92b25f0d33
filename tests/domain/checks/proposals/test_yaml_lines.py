"""The reader of plain YAML: what it finds, and that no text troubles it."""

from __future__ import annotations

import textwrap
import time

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.proposals.yaml_lines import read_scalars


def scalars(text: str) -> dict[str, str]:
    return {".".join(path): value for path, value in read_scalars(textwrap.dedent(text))}


def test_mappings_lists_and_every_style_of_scalar_are_read():
    assert scalars("""
        # a comment
        name: "a: b"   # another
        'on': push
        jobs:
          test:
            steps:
            - uses: actions/checkout@v4
            - name: it''s
              run: |
                first
                  second # kept

              env:
                X: 1
            -
              run: >-
                folded
                text
        plain: go test
          ./...
        list:
          - one
          - - inner
          - "quo\\"ted"
          - 'it''s'
    """) == {
        "name": "a: b",
        "on": "push",
        "jobs.test.steps.0.uses": "actions/checkout@v4",
        "jobs.test.steps.1.name": "it''s",
        "jobs.test.steps.1.run": "first\n  second # kept",
        "jobs.test.steps.1.env.X": "1",
        "jobs.test.steps.2.run": "folded text",
        "plain": "go test ./...",
        "list.0": "one",
        "list.1.0": "inner",
        "list.2": 'quo"ted',
        "list.3": "it's",
    }


def test_what_is_not_plain_is_left_out():
    assert scalars("""
        flow: [a, b]
        map: {a: b}
        anchor: &x y
        alias: *x
        tag: !!str y
        last: kept
    """) == {"last": "kept"}


DOCUMENTS = st.recursive(
    st.from_regex(r"[a-z][a-z0-9 ./]{0,10}[a-z]", fullmatch=True),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)


@given(DOCUMENTS, st.integers(1, 4))
def test_any_nesting_of_mappings_and_lists_is_read(document, step):
    if isinstance(document, str):
        return

    assert read_scalars("\n".join(written(document, 0, step))) == list(flat(document, ()))


def written(value, column, step):
    blanks = " " * column
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        lead = f"{blanks}{name}:" if isinstance(value, dict) else f"{blanks}-"
        if isinstance(inner, str):
            yield f"{lead} {inner}"
        else:
            yield lead
            yield from written(inner, column + step, step)


def flat(value, path):
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, str):
            yield (*path, str(name)), inner
        else:
            yield from flat(inner, (*path, str(name)))


@given(st.text(alphabet="ab-:|># '\"\n\t[{&", max_size=80))
def test_any_text_is_read_without_an_error(text):
    read_scalars(text)


def test_a_hostile_text_is_read_in_reasonable_time():
    begun = time.process_time()
    for text in ("- " * 100_000, "a:\n" * 100_000, " " * 200_000 + "a", "a: '" + "'" * 200_000, '"' + "a" * 200_000):
        read_scalars(text)

    assert time.process_time() - begun < 10
