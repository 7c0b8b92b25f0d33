"""The report of a run as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MAX_FILES = 200
PROOF = {
    "proved": "proved",
    "unproved": "**not proved**",
    "accepted": "accepted by a person",
    "failing": "failing",
    "checking": "being checked",
    None: "–",
}


def as_markdown(report: Mapping[str, Any]) -> str:
    """Return the whole report; sections without content are left out."""
    parts = [
        _head(report),
        _section("Tasks", [_task_table(report["tasks"])] if report["tasks"] else []),
        *(_task(task) for task in report["tasks"]),
        _section("Final checks", _final(report["final"])),
        _section("Files", _files(report["files"])),
        _section("Decisions", [f"- {_plain(each['task'])}: {_plain(each['summary'])}" for each in report["decisions"]]),
        _section("Questions and answers", map(_question, report["questions"])),
        _section(
            "Waived checks",
            [f"- {_plain(each.get('check'))}: {_plain(each.get('reason'))}" for each in report["waivers"]],
        ),
        _section("Commits by others", map(_commit, report["foreign_commits"])),
        _section("Notes", [f"- {_plain(each)}" for each in report["notes"]]),
        _section("What is left", [f"- {_plain(each)}" for each in report["left"]]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(report: Mapping[str, Any]) -> str:
    mission, run, counts = report["mission"], report["run"], report["counts"]
    lines = [
        f"# {_plain(mission['name'])}",
        "",
        _plain(mission["objective"]),
        "",
        f"- **State:** {run['state']}" + (f" ({_plain(run['reason'])})" if run["reason"] else ""),
        f"- **Tasks:** {counts['merged']} of {counts['tasks']} merged: {counts['proved']} proved, "
        f"{counts['accepted']} accepted, {counts['unproved']} not proved; {counts['skipped']} skipped",
        f"- **Branch:** `{run['branch']}` at `{run['tip'][:12]}`, from `{run['base_commit'][:12]}`",
        f"- **Landed:** {_landed(report['landing'])}",
        f"- **Time and cost:** {cost_words(report['cost'])}",
    ]
    return "\n".join(lines)


def _landed(landing: Mapping[str, Any] | None) -> str:
    if landing is None or landing.get("state") != "landed":
        return "no"
    how = " as one commit" if landing.get("squash") else ""
    return f"on `{landing['target']}` at `{landing['commit'][:12]}`{how}"


def cost_words(cost: Mapping[str, Any]) -> str:
    """Return time and cost in words; what is unknown is called unknown."""
    money = f"{cost['usd']:.2f} USD" if cost["usd"] is not None else "unknown price"
    tokens = f"{cost['tokens']:,} tokens" if cost["tokens"] is not None else "unknown tokens"
    launches = "1 launch" if cost["launches"] == 1 else f"{cost['launches']} launches"
    return f"{cost['minutes']:.1f} minutes, {money}, {tokens}, {launches}"


def _task_table(tasks: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        f"| {_cell(task['name'])} | {task['stage']} | {PROOF.get(task['proof_state'], task['proof_state'])} "
        f"| {_cell(', '.join(task['clients']) or '–')} | {task['attempts']} | {task['revisions']} |"
        for task in tasks
    ]
    head = "| Task | Stage | Proof | Client | Attempts | Revisions |\n|---|---|---|---|---|---|"
    return "\n".join([head, *rows])


def _task(task: Mapping[str, Any]) -> str:
    """Return the details of one task: what its agent said, its evidence, review and files."""
    lines = [
        *([_plain(task["summary"])] if task["summary"] else []),
        *(f"- Check {_plain(each['name'])}: {each['state']}{_flaky(each)}" for each in task["evidence"]),
        *(f"- Sent back: {_plain(each)}" for each in task["sent_back"]),
        *(f"- Denied by its client: {_denied(each)}" for each in task["denied"]),
        *([f"- Review: {_review(task['review'])}"] if task["review"] else []),
        *([f"- Commit `{task['commit'][:12]}`"] if task["commit"] else []),
        *([f"- Files: {_named(task['files'])}"] if task["files"] else []),
    ]
    return "\n".join([f"### {_plain(task['name'])}", "", *lines]) if lines else ""


def _denied(denied: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (_plain(denied["tool"]), _plain(denied["detail"]) if denied["detail"] else "")))


def _review(review: Mapping[str, Any]) -> str:
    """Return the verdict of a review, who gave it, and with which words."""
    by = f" by {_plain(review['by'])}" if review.get("by") else ""
    words = f": {_plain(review['words'])}" if review.get("words") else ""
    return f"{_plain(review.get('verdict') or 'open')}{by}{words}"


def _flaky(check: Mapping[str, Any]) -> str:
    return " (only after a retry)" if check.get("flaky") else ""


def _final(final: Mapping[str, Any] | None) -> list[str]:
    if final is None or (not final["checks"] and final["state"] is None):
        return []
    lines = [f"- {_plain(each['name'])}: {each['state']}" for each in final["checks"]]
    repaired = [f"- Repair tasks: {len(final['repairs'])}"] if final["repairs"] else []
    accepted = [f"- Accepted by {_plain(final['accepted'])} though they did not pass."] if final["accepted"] else []
    return [f"On `{(final['commit'] or '')[:12]}`, in a fresh worktree:", "", *lines, *repaired, *accepted]


def _files(files: Sequence[str]) -> list[str]:
    more = [f"- … and {len(files) - MAX_FILES} more"] if len(files) > MAX_FILES else []
    return [*(f"- `{path}`" for path in files[:MAX_FILES]), *more]


def _question(item: Mapping[str, Any]) -> str:
    about = f" ({_plain(item['task'])})" if item["task"] else ""
    return f"- {_plain(item['subject'])}{about} → {_plain(item['answer'])} ({_plain(item['by'])})"


def _commit(commit: Mapping[str, Any]) -> str:
    return f"- `{str(commit.get('commit'))[:12]}` {_plain(commit.get('subject'))}"


def _section(title: str, lines: Iterable[str]) -> str:
    found = list(lines)
    return "\n".join([f"## {title}", "", *found]) if found else ""


def _named(files: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in files[:10]) + (f" and {len(files) - 10} more" if len(files) > 10 else "")


def _plain(text: Any) -> str:
    """Return text on one line, without signs that Markdown would read as HTML or a heading."""
    return " ".join(str(text if text is not None else "–").split()).replace("<", "&lt;")


def _cell(text: Any) -> str:
    return _plain(text).replace("|", "\\|")
