"""Suggest checks for a repository: read its own files, and run each suggestion once to see which pass today."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from mission.domain.checks.check import Check, CheckKind
from mission.domain.checks.suggestions import Suggestion
from mission.domain.checks.suggestions import suggest as suggest_from
from mission.domain.errors import InvalidInput
from mission.domain.ids import new_id
from mission.git.project_files import read_project_files
from mission.services.checks.check_place import CheckHost
from mission.services.checks.check_runner import CheckRunner, CheckStart
from mission.services.checks.outcomes import state_of
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.services.workspaces.slots import slot_of

MAX_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class SuggestedCheck:
    """A suggestion, with its result if it was run."""

    name: str
    run: str
    why: str
    definition: dict[str, object]
    state: str | None = None
    seconds: float | None = None
    output: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggested:
    repository_path: str
    checks: Sequence[SuggestedCheck]


async def suggest(
    work: Work,
    trees: Trees,
    runner: CheckRunner,
    host: CheckHost,
    *,
    path: str,
    run: bool,
    search_path: str | None,
    report: Callable[[str], None],
    names: Collection[str] | None = None,
) -> Suggested:
    """Return checks for the repository at the path, all or those with these names.

    With `run`, each one is run once in its working tree.
    """
    place = await trees.named(path, field="repository_path")
    if place is None:
        raise InvalidInput(
            "repository_path: no such folder", hint="Give the full path of a repository.", field="repository_path"
        )
    folder = Path(place.tree.path)
    files = await trees.work(folder, read_project_files, folder)
    found = []
    suggestions = [each for each in suggest_from(files) if names is None or each.name in names]
    for number, each in enumerate(suggestions, 1):
        if run:
            report(f"{number} of {len(suggestions)}: {each.run}")
        found.append(
            await _tried(work, trees, runner, host, each, folder, search_path=search_path) if run else _shown(each)
        )
    return Suggested(repository_path=str(folder), checks=found)


async def _tried(
    work: Work,
    trees: Trees,
    runner: CheckRunner,
    host: CheckHost,
    suggestion: Suggestion,
    folder: Path,
    *,
    search_path: str | None,
) -> SuggestedCheck:
    """Return the suggestion with its result; nothing else of the run is kept."""
    id = new_id("evidence")
    slot = await slot_of(work, trees, path=str(folder))
    start = CheckStart(
        evidence_id=id,
        command=suggestion.run,
        directory=folder,
        environment=host.environment(path=search_path, variables={}, task_id=None, slot=slot),
        seconds=min(suggestion.seconds, MAX_SECONDS),
    )
    try:
        await runner.start(start)
        end = await runner.wait(id)
    finally:
        await runner.forget(id)
    state, reason = state_of(end)
    output = "\n".join(filter(None, (end.tail, reason)))
    return _shown(suggestion, state=str(state), seconds=round(end.seconds, 1), output=output)


def _shown(
    suggestion: Suggestion, *, state: str | None = None, seconds: float | None = None, output: str | None = None
) -> SuggestedCheck:
    check = Check(
        name=suggestion.name,
        kind=CheckKind.RUN,
        run=suggestion.run,
        seconds=suggestion.seconds,
        tests=suggestion.tests,
        junit=suggestion.junit,
    )
    return SuggestedCheck(
        name=suggestion.name,
        run=suggestion.run,
        why=suggestion.why,
        definition=check.as_dict(),
        state=state,
        seconds=seconds,
        output=output,
    )
