"""Details of one row of `mission top`, as paragraphs of text."""

from __future__ import annotations

from typing import Any

from mission.domain.executions.marker_words import signal_words
from mission.transports.cli import daemon_client as client
from mission.transports.cli.runs.run_words import counts_words, headline, notes, spent_words, task_line
from mission.transports.cli.times import ago, clock
from mission.transports.cli.top.rows import Row
from mission.transports.cli.work.executions import execution_state, usage_words

LAST_OBSERVATIONS = 30


def read_details(row: Row) -> list[str]:
    """Return everything worth knowing about a row."""
    if row.section == "inbox":
        return _item(client.call("queue_get", {"id": row.id}, start=False))
    if row.section == "runs":
        return _run(client.call("run_get", {"run_id": row.id}, start=False))
    if row.execution_id is None:
        return _agent(dict(row.record))
    found = client.call("execution_get", {"id": row.execution_id}, start=False)
    wanted = {"execution_id": row.execution_id, "limit": LAST_OBSERVATIONS}
    return _execution(found, client.call("execution_observations", wanted, start=False)["observations"])


def _item(item: dict[str, Any]) -> list[str]:
    lines = [item["subject"], f"{item['id']} · {item['kind']} · {ago(item['created_at'])}"]
    for label, key in (("Mission", "mission"), ("Task", "task"), ("From", "agent")):
        if item[f"{key}_name"]:
            lines.append(f"{label}: {item[f'{key}_name']}")
    if item["body"] and item["body"] != item["subject"]:
        lines += ["", *item["body"].splitlines()]
    lines += ["", *(choice_words(number, choice) for number, choice in enumerate(item["choices"], start=1))]
    return lines


def choice_words(number: int, choice: dict[str, Any]) -> str:
    """Return a choice with its number; one that asks for text ends with an ellipsis."""
    return f"{number}  {choice['label']}{' …' if choice.get('kind') == 'manual' else ''}"


def _run(run: dict[str, Any]) -> list[str]:
    queue = [f"{each['position']}. {each['name']}: {each['state']}" for each in run["queue"]]
    return [
        headline(run),
        f"branch {run['branch']}" + (f", lands on {run['target']}" if run["target"] else ""),
        counts_words(run),
        spent_words(run),
        *notes(run),
        "",
        *map(task_line, run["tasks"]),
        *(["", "Merge queue", *queue] if queue else []),
    ]


def _agent(agent: dict[str, Any]) -> list[str]:
    return [agent["name"], f"{agent['id']} · {agent['state']}", f"Task: {agent['task'] or 'none'}"]


def _execution(found: dict[str, Any], observations: list[dict[str, Any]]) -> list[str]:
    used = [f"Used: {usage_words(found['usage'])}"] if found["usage"] else []
    signals = [f"{clock(row['created_at'])}  {signal_words(row['type'], row['payload'])}" for row in observations[::-1]]
    return [
        f"{found['agent_name']} on '{found['task_name']}'",
        f"{found['id']} · {found['adapter']} · {execution_state(found)} · started {ago(found['created_at'])}",
        *([f"Folder: {found['directory']}"] if found["directory"] else []),
        *used,
        *([found["reason"]] if found["reason"] else []),
        "",
        "Last signals" if signals else "No signals yet.",
        *signals,
    ]
