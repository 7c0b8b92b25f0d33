"""Strategies for plans, as a person could write them."""

from __future__ import annotations

from hypothesis import strategies as st

from mission.domain.checks.check import parse_check
from mission.domain.executions.signals import Delivery
from mission.domain.plans.plan_budget import PlanBudget
from mission.domain.plans.plan_file import COMMAND, PlanAgent, PlanFile, PlanMission, PlanTask

SIGNS = st.sampled_from("\"'\\\n\r\t[]{}#=, .\x01\x7f\x85\u2028ü🚀")
LETTERS = st.one_of(SIGNS, st.characters(codec="utf-8", exclude_characters="\0"))
TEXTS = st.text(LETTERS, min_size=1, max_size=20).map(str.strip).filter(bool)
NAMES = TEXTS.filter(str.isprintable)
GLOBS = st.sampled_from(["src/**", "a b/*.py", "[a-z].md", "docs/", "{a,b}.txt", 'quo"te'])
REVIEWS = st.sampled_from([None, "none", "person", "risk"])


def tuples(strategy, **limits):
    return st.lists(strategy, max_size=limits.pop("max_size", 3), **limits).map(tuple)


COMMANDS = TEXTS.map(lambda text: parse_check(text, field="c"))
OTHER_CHECKS = st.builds(
    lambda name, globs, required: parse_check({"name": name, "changed": globs, "required": required}, field="c"),
    NAMES,
    st.lists(GLOBS, min_size=1, max_size=2),
    st.booleans(),
)
FULL_CHECKS = st.builds(
    lambda run, env, seconds: parse_check(
        {"run": run, "name": "full", "env": env, "seconds": seconds, "before": "fail", "tests": "tests/**"}, field="c"
    ),
    TEXTS,
    st.dictionaries(st.sampled_from(["A", "B_1"]), TEXTS, max_size=2),
    st.one_of(st.integers(1, 9), st.floats(1, 9)),
)


CHECKS = tuples(st.one_of(COMMANDS, OTHER_CHECKS, FULL_CHECKS), unique_by=lambda check: check.name)
LIMITS = {
    "usd": st.one_of(st.none(), st.floats(0.01, 1000)),
    "tokens": st.one_of(st.none(), st.integers(1, 10**9)),
    "minutes": st.one_of(st.none(), st.integers(1, 100)),
    "launches": st.one_of(st.none(), st.integers(1, 100)),
}
BUDGETS = st.builds(PlanBudget, **LIMITS, per_task=st.one_of(st.none(), st.builds(PlanBudget, **LIMITS)))
AGENTS = st.builds(
    PlanAgent,
    client=st.sampled_from(["claude-code", "codex"]),
    count=st.integers(1, 9),
    arguments=tuples(st.text(LETTERS, max_size=5)),
    delivery=st.one_of(st.none(), st.sampled_from(Delivery)),
) | st.builds(PlanAgent, client=st.just(COMMAND), command=tuples(st.text(LETTERS, max_size=5), min_size=1))
OPTION_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "max_parallel": st.integers(0, 9),
        "overlap": st.sampled_from(["avoid", "allow"]),
        "retry_minutes": tuples(st.integers(0, 9) | st.floats(0, 9), min_size=1),
        "target": st.sampled_from(["main", "a/b"]),
        "land": st.booleans(),
        "regenerate": st.dictionaries(GLOBS, TEXTS, max_size=2),
        "setup_inputs": tuples(GLOBS),
    },
)


@st.composite
def plans(draw) -> PlanFile:
    """A whole plan whose tasks depend on earlier ones."""
    checks = draw(CHECKS)
    from_repository = not checks and draw(st.booleans())
    taken = {check.name for check in checks}
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    tasks = [
        PlanTask(
            name=name,
            description=draw(TEXTS),
            depends_on=draw(tuples(st.sampled_from(names[:number]), unique=True)) if number else (),
            areas=draw(tuples(GLOBS)),
            files_likely_affected=draw(tuples(GLOBS)),
            acceptance=draw(tuples(TEXTS)),
            checks=tuple(check for check in draw(CHECKS) if check.name not in taken),
            agent=draw(st.sampled_from([None, "codex"])),
            requires=draw(tuples(NAMES, unique=True)),
            review=draw(REVIEWS),
            sequence=draw(st.one_of(st.none(), st.integers(1, 9))),
        )
        for number, name in enumerate(names)
    ]
    return PlanFile(
        mission=PlanMission(
            name=draw(NAMES),
            objective=draw(TEXTS),
            repository=draw(NAMES),
            checks=checks,
            repository_checks=from_repository,
            final_checks=draw(CHECKS),
            setup=draw(st.one_of(st.none(), TEXTS)),
            copy=draw(tuples(st.sampled_from([".env", "a b/c"]))),
            review=draw(REVIEWS),
        ),
        agents=draw(tuples(AGENTS)),
        budget=draw(st.one_of(st.none(), BUDGETS)),
        tasks=tuple(tasks),
        options=draw(OPTION_VALUES),
    )
