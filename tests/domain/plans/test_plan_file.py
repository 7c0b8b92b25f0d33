"""Plan files: what is read from them, and the problems that are found with their lines."""

from __future__ import annotations

import textwrap
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.check import parse_check
from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.executions.signals import Delivery
from mission.domain.missions.plan_graph import check_plan
from mission.domain.plans.plan_budget import PlanBudget
from mission.domain.plans.plan_file import MAX_PLAN, PlanAgent, PlanFile, PlanMission, PlanTask, parse_plan
from mission.domain.plans.plan_problems import MAX_PROBLEMS, path_of
from mission.domain.plans.plan_table import PlanTable

CLIENTS = ("claude-code", "codex", "command")
MISSION = '[mission]\nname = "m"\n'
TASK = '[[tasks]]\nname = "a"\ndescription = "d"\n'
FROM_THE_SPECIFICATION = """\
[mission]
name = "JWT login"
objective = "Expired tokens are refused everywhere"
repository = "."
checks = ["make test"]                     # every task; strings or tables
final_checks = ["make lint", "make e2e"]
setup = "make deps"                        # once per worktree; again when setup_inputs change
review = "risk"
[[agents]]
client = "claude-code"                     # or "command" with command = ["./agent.sh"]
count = 3
arguments = ["--model", "opus"]
[budget]
usd = 20.0                                 # also tokens, minutes, launches; per_task = {usd = 2.0}
[[tasks]]
name = "token-check"
description = "Refuse expired tokens in the middleware"
depends_on = []
areas = ["src/auth"]
acceptance = ["an expired token gets 401"]
checks = [{name = "auth", run = "pytest -q tests/auth", before = "fail", tests = ["tests/auth/**"]}]
agent = "codex"                            # optional: only this client
"""


def parse(text: str) -> PlanFile:
    return parse_plan(textwrap.dedent(text), source="plan.toml", clients=CLIENTS)


def problems(text: str) -> list[tuple[int, str, str | None]]:
    """The line, message and hint of each problem."""
    with pytest.raises(InvalidInput) as refused:
        parse(text)
    return [(each["line"], each["message"], each["hint"]) for each in refused.value.details["problems"]]


def problem(text: str) -> tuple[int, str, str | None]:
    """The only problem."""
    [only] = problems(text)
    return only


def test_the_plan_of_the_specification_is_read():
    assert parse(FROM_THE_SPECIFICATION) == PlanFile(
        mission=PlanMission(
            name="JWT login",
            objective="Expired tokens are refused everywhere",
            repository=".",
            checks=(parse_check("make test", field="c"),),
            final_checks=(parse_check("make lint", field="c"), parse_check("make e2e", field="c")),
            setup="make deps",
            review="risk",
        ),
        agents=(PlanAgent(client="claude-code", count=3, arguments=("--model", "opus")),),
        budget=PlanBudget(usd=20.0),
        tasks=(
            PlanTask(
                name="token-check",
                description="Refuse expired tokens in the middleware",
                areas=("src/auth",),
                acceptance=("an expired token gets 401",),
                checks=(
                    parse_check(
                        {"name": "auth", "run": "pytest -q tests/auth", "before": "fail", "tests": ["tests/auth/**"]},
                        field="c",
                    ),
                ),
                agent="codex",
            ),
        ),
    )


def test_options_are_those_of_the_run_and_the_budget_may_be_one_of_them():
    plan = parse(
        MISSION
        + 'max_parallel = 4\nretry_minutes = [1, 2]\nland = true\nregenerate = {"*.lock" = "make lock"}\n'
        + "setup_inputs = []\nbudget = {tokens = 9, per_task = {launches = 2}}\n"
        + TASK
    )

    assert plan.options == {
        "max_parallel": 4,
        "retry_minutes": (1, 2),
        "land": True,
        "regenerate": {"*.lock": "make lock"},
        "setup_inputs": (),
    }
    assert plan.budget == PlanBudget(tokens=9, per_task=PlanBudget(launches=2))


def test_the_checks_may_be_those_of_the_repository():
    plan = parse(MISSION + 'checks = "repository"\n' + TASK)

    assert (plan.mission.repository_checks, plan.mission.checks) == (True, ())


def test_the_objective_is_the_name_if_there_is_none():
    assert parse(MISSION + TASK).mission.objective == "m"


def test_a_program_is_an_agent_and_relative_to_the_file():
    plan = parse(
        MISSION
        + '[[agents]]\nclient = "command"\ncommand = ["./a.sh", "./x"]\n'
        + 'capabilities = ["python"]\ndelivery = "mcp-tool"\n'
        + TASK
    )
    [agent] = plan.agents

    assert agent == PlanAgent(
        client="command", command=("./a.sh", "./x"), capabilities=("python",), delivery=Delivery.MCP_TOOL
    )
    assert agent.command_in("/plans/here") == ("/plans/here/a.sh", "./x")
    assert PlanAgent(client="command", command=("/bin/a",)).command_in("/plans") == ("/bin/a",)
    assert PlanAgent(client="command", command=("agent",)).command_in("/plans") == ("agent",)


def test_phases_follow_from_the_dependencies_unless_they_are_given():
    plan = parse(
        MISSION
        + '[[tasks]]\nname = "c"\ndescription = "d"\ndepends_on = ["b"]\n'
        + '[[tasks]]\nname = "b"\ndescription = "d"\ndepends_on = ["a"]\nsequence = 5\n'
        + TASK
    )

    assert plan.phases() == {"a": 1, "b": 5, "c": 6}


def test_all_problems_come_at_once_in_the_order_of_their_lines():
    found = problems("""\
        nmae = 3
        [mission]
        objectiv = "x"
        review = "agent"
        max_parallel = -1
        usd = 3
        [permissions]
        x = 1
        [budget]
        usd = "20"
        tokens = 1.5
        [[agents]]
        client = "claud-code"
        [[tasks]]
        name = "a"
        description = "b"
        depends_on = ["bb"]
        areas = [
          "ok",
          "[bad",
        ]
        agents = 3
    """)

    assert [line for line, _, _ in found] == [1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 17, 20, 22]
    assert found[2][1:] == ("mission has no key 'objectiv'", "Did you mean 'objective'?")
    assert found[3][1:] == ("mission.review 'agent' is not available yet", "Use person, risk or none.")
    assert found[5][2] == "It belongs in [budget]."
    assert found[6][1] == "permissions is not available yet"
    assert found[9][2] == "Did you mean 'claude-code'?"
    assert found[12][1] == "tasks[0].agents is not available yet"


def test_the_message_lists_file_and_line():
    with pytest.raises(InvalidInput) as two:
        parse('[mission]\nname = ""\n' + TASK + "x = 1")
    with pytest.raises(InvalidInput) as one:
        parse("[mission]\n" + TASK)

    assert two.value.message.splitlines() == [
        "plan.toml has 2 problems:",
        "plan.toml:2: mission.name is empty. Give some text, or remove the key.",
        f"plan.toml:6: tasks[0] has no key 'x'. {two.value.details['problems'][1]['hint']}",
    ]
    assert one.value.message == "plan.toml:1: mission has no name. Give it a short name."
    assert "mission run --example" in str(one.value.hint)


def test_only_so_many_problems_are_listed():
    with pytest.raises(InvalidInput) as refused:
        parse(MISSION + TASK + "".join(f"k{number} = 1\n" for number in range(MAX_PROBLEMS + 5)))

    assert len(refused.value.details["problems"]) == MAX_PROBLEMS
    assert refused.value.message.endswith("… and 5 more")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = \n", 1, "Invalid value"),
        (MISSION + "review = risk\n", 3, "Invalid value"),
        (MISSION + 'name = "n"\n', 3, "overwrite"),
        (MISSION + "checks = [\n1,\n\n\n", 4, "Invalid value"),
        (MISSION + 'setup = """\nx\n\n' + TASK, 3, "Unterminated string"),
        ("a = " + "[" * 10_000, 1, "nested too deeply"),
        (f"a = {'9' * 10_000}", 1, "not valid TOML"),
        ("\x00", 1, "not valid TOML"),
    ],
)
def test_bad_syntax_has_its_line(text, line, words):
    found = problem(text)

    assert found[0] == line
    assert words in found[1]
    assert "(at " not in found[1]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (TASK, 1, "the plan has no [mission] table"),
        (MISSION, 1, "the plan has no tasks"),
        (MISSION + "[tasks]\n" + 'name = "a"\n', 3, "tasks must be an array of tables"),
        (MISSION + "[agents]\n" + 'client = "a"\n' + TASK, 3, "agents must be an array of tables"),
        ("mission = 3\n" + TASK, 1, "mission must be a table"),
        ("budget = 3\n" + MISSION + TASK, 1, "budget must be a table"),
        (MISSION + TASK + TASK, 7, "'a' is already the name of the task in line 4"),
        (MISSION + TASK + 'depends_on = ["a"]', 6, "'a' depends on itself"),
        (MISSION + TASK + 'depends_on = [\n"x"]', 7, "no task is named 'x'"),
        (MISSION + TASK + "depends_on = 'x'", 6, "tasks[0].depends_on must be a list, not text"),
        (MISSION + TASK + "requires = ['x', 'x']", 6, "tasks[0].requires[1] names 'x' again"),
        (MISSION + TASK + "sequence = 0", 6, "from 1 to"),
        (MISSION + TASK + "acceptance = ['']", 6, "tasks[0].acceptance[0] is empty"),
        (MISSION + TASK + "checks = [{run = 'x', secnds = 1}]", 6, "tasks[0].checks[0] has no field 'secnds'"),
        (MISSION + TASK + "checks = ['x', 'x']", 6, "tasks[0].checks[1] is the second check named 'x'"),
        (MISSION + "checks = ['x']\n" + TASK + "checks = ['x']", 7, "named 'x' like a check in [mission]"),
        (MISSION + TASK + "agent = 'cursor'", 6, "tasks[0].agent 'cursor' is not a known client"),
        (MISSION + TASK + "review = 'agent'", 6, "tasks[0].review 'agent' is not available yet"),
        (MISSION + TASK + "review = 'me'", 6, "must be one of none, person, agent, risk, not 'me'"),
        (MISSION + "name.x = 1\n" + TASK, 3, "not valid TOML"),
        (MISSION + "setup = ['x']\n" + TASK, 3, "mission.setup must be text, not a list"),
        (MISSION + "copy = ['../x']\n" + TASK, 3, "mission.copy[0]"),
        (MISSION + "permissions = {}\n" + TASK, 3, "mission.permissions is not available yet"),
        (MISSION + "target = 'a..b'\n" + TASK, 3, "'a..b' is not the name of a branch"),
        (MISSION + "[mission.regenerate]\n'a' = 'x'\n'b[' = 'x'\n" + TASK, 5, "unmatched '['"),
        (MISSION + "[mission.regenerate]\n'a' = 'x'\n'*.x' = 3\n" + TASK, 5, 'mission.regenerate."*.x" must be text'),
        (
            MISSION + "[budget]\nper_task = {usd = 1, per_task = {}}\n" + TASK,
            4,
            "budget.per_task has no key 'per_task'",
        ),
        (MISSION + "budget = {}\n[budget]\n" + TASK, 3, "mission.budget is also given as a separate table"),
        (MISSION + "[[agents]]\nclient = 'command'\n" + TASK, 3, "agents[0] has no command"),
        (MISSION + "[[agents]]\nclient = 'codex'\ncommand = ['x']\n" + TASK, 5, "only for the client 'command'"),
        (MISSION + "[[agents]]\nclient = 'codex'\ncount = true\n" + TASK, 5, "must be a number, not true or false"),
        (MISSION + "[[agents]]\ncount = 1\n" + TASK, 3, "agents[0] has no client"),
        ('[mission]\nname = "a\\nb"\n' + TASK, 2, "cannot be printed"),
        ('[mission]\nname = "a\\u0000b"\n' + TASK, 2, "NUL"),
        (MISSION + "objective = 2000-01-01\n" + TASK, 3, "must be text, not a date or time"),
    ],
)
def test_each_problem_has_its_line(text, line, words):
    found = problem(text)

    assert found[0] == line
    assert words in found[1]
    assert found[2]


def test_an_empty_file_lacks_a_mission_and_tasks():
    assert [message for _, message, _ in problems("")] == [
        "the plan has no [mission] table",
        "the plan has no tasks",
    ]


def test_each_of_several_cycles_is_found_once():
    found = problems(MISSION + written([(name, [other]) for name, other in ("ab", "ba", "cd", "dc")]))

    assert [(line, message) for line, message, _ in found] == [
        (10, "the dependencies form a cycle: a → b → a"),
        (18, "the dependencies form a cycle: c → d → c"),
    ]


NAMES = st.sampled_from("abcde")


@given(st.lists(st.tuples(NAMES, st.lists(NAMES, max_size=3, unique=True)), min_size=1, max_size=6))
def test_an_order_is_accepted_exactly_if_the_graph_is(tasks):
    text = MISSION + written(tasks)

    assert is_accepted(lambda: parse(text)) == is_accepted(lambda: check_plan(tasks))


def written(tasks):
    return "".join(f'[[tasks]]\nname = "{name}"\ndescription = "d"\ndepends_on = {wanted}\n' for name, wanted in tasks)


def is_accepted(check):
    try:
        check()
    except InvalidInput:
        return False
    return True


def test_unknown_clients_are_the_callers_business_unless_it_names_the_known_ones():
    text = MISSION + '[[agents]]\nclient = "my-own"\n' + TASK

    assert parse_plan(text, source="p").agents[0].client == "my-own"


def test_a_byte_order_mark_is_skipped():
    assert parse("\ufeff" + MISSION + TASK).mission.name == "m"


def test_a_huge_plan_is_refused_before_it_is_read():
    with pytest.raises(TooLarge, match="characters"):
        parse_plan("#" * (MAX_PLAN + 1), source="plan.toml")


def test_ten_thousand_tasks_are_read_in_seconds():
    text = MISSION + written([(f"t{number}", [f"t{number - 1}"] if number else []) for number in range(10_000)])
    began = time.monotonic()

    plan = parse_plan(text, source="plan.toml")

    assert plan.phases()["t9999"] == 10_000
    assert time.monotonic() - began < 20


def test_ten_thousand_unknown_dependencies_are_found_in_seconds():
    began = time.monotonic()

    found = problems(MISSION + written([(f"task number {number}", [f"tusk {number}"]) for number in range(10_000)]))

    assert len(found) == MAX_PROBLEMS
    assert time.monotonic() - began < 30


@given(st.text())
def test_no_text_is_more_than_refused(text):
    with suppress(InvalidInput):
        parse_plan(MISSION + TASK + text, source="plan.toml")


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("tasks[2].checks[0].run", ("tasks", 2, "checks", 0, "run")),
        ('mission.regenerate."a.b"', ("mission", "regenerate", "a.b")),
        ("", ()),
    ],
)
def test_a_field_is_a_path(field, path):
    assert path_of(field) == path


def test_a_table_that_is_none_has_defaults():
    assert PlanTable(None, field="x", problems=None).raw("a") is None
