"""What a run has spent: sums, what is unknown, and the warning before a limit is reached."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mission.domain.executions.execution import Execution, ExecutionStatus, Mode
from mission.domain.executions.signals import Delivery
from mission.domain.runs.options import Limits
from mission.domain.runs.spending import by_task, exhausted, spent_by, warning
from mission.domain.runs.view import Spent

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def execution(id="x_1", *, usage=None, status="completed", minutes=2.0, task_id="t_1", started=True):
    return Execution(
        id=id,
        mission_id="m_1",
        task_id=task_id,
        agent_id="a_1",
        adapter="codex",
        mode=Mode.HEADLESS,
        delivery=Delivery.MCP_TOOL,
        protocol={},
        host_id="h",
        created_at=NOW,
        updated_at=NOW,
        status=ExecutionStatus(status),
        usage=usage,
        started_at=NOW - timedelta(minutes=minutes) if started else None,
        ended_at=None if status in ("running", "starting") else NOW,
    )


def usage(usd=None, tokens=None):
    return {
        **({"cost_usd": usd} if usd is not None else {}),
        **({"input_tokens": tokens, "output_tokens": 1} if tokens is not None else {}),
    }


def test_executions_are_summed():
    spent = spent_by([execution(usage=usage(0.5, 100)), execution("x_2", usage=usage(0.25, 10))], now=NOW)

    assert spent == Spent(usd=0.75, tokens=112, minutes=4.0, launches=2)


def test_an_unknown_price_makes_the_sum_unknown_and_not_smaller():
    spent = spent_by([execution(usage=usage(0.5, 100)), execution("x_2", usage=usage(tokens=10))], now=NOW)

    assert (spent.usd, spent.tokens) == (None, 112)


def test_a_client_that_says_nothing_does_not_hide_what_others_have_spent():
    spent = spent_by([execution(usage=usage(2.5, 100)), execution("x_2", usage=None)], now=NOW)

    assert (spent.at_least("usd"), spent.at_least("tokens")) == (2.5, 101)
    assert exhausted(spent, Limits(usd=2.0)) == ["usd"]
    assert warning(spent, Limits(usd=3.0)) == "83% of the money is spent."


def test_a_client_that_ended_without_a_word_is_unknown():
    assert spent_by([execution(usage=None)], now=NOW).usd is None


@pytest.mark.parametrize("silent", [{"status": "running"}, {"status": "failed", "started": False}])
def test_what_cannot_have_spent_anything_yet_is_no_unknown(silent):
    spent = spent_by([execution(usage=usage(0.5, 100)), execution("x_2", **silent)], now=NOW)

    assert (spent.usd, spent.tokens, spent.launches) == (0.5, 101, 2)


def test_wall_time_replaces_the_sum_of_parallel_executions():
    assert spent_by([execution(), execution("x_2")], now=NOW, minutes=2.5).minutes == 2.5


def test_nothing_spent_is_zero():
    assert spent_by([], now=NOW) == Spent(usd=0.0, tokens=0, minutes=0.0, launches=0)


@pytest.mark.parametrize("nonsense", ["much", True, -1, None])
def test_a_price_that_is_no_amount_is_unknown(nonsense):
    assert spent_by([execution(usage={"cost_usd": nonsense})], now=NOW).usd is None


def test_a_warning_comes_at_four_fifths():
    limits = Limits(usd=10.0, launches=10)

    assert warning(Spent(usd=7.9, launches=7), limits) is None
    assert warning(Spent(usd=8.0, launches=1), limits) == "80% of the money is spent."
    assert warning(Spent(usd=9.0, launches=10), limits) == "90% of the money and 100% of the launches is spent."


def test_a_limit_that_cannot_be_watched_is_told():
    assert "does not report the money" in str(warning(Spent(usd=None), Limits(usd=1.0)))
    assert warning(Spent(usd=None), Limits(minutes=5.0)) is None


def test_limits_are_reached_and_unknown_reaches_none():
    assert exhausted(Spent(usd=2.0, tokens=5), Limits(usd=2.0, tokens=6)) == ["usd"]
    assert exhausted(Spent(usd=None), Limits(usd=2.0)) == []
    assert exhausted(Spent(usd=99.0), Limits()) == []


def test_executions_are_grouped_by_task():
    one, two, three = execution("x_1"), execution("x_2", task_id="t_2"), execution("x_3")

    assert by_task([one, two, three]) == {"t_1": [one, three], "t_2": [two]}
