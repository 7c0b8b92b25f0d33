"""Tools behind the page's task view: history, areas, changed files and lines."""

from __future__ import annotations

from pydantic import Field

from mission.domain.tasks.patch import Lines
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import task as task_view
from mission.services.views.task import ChangedFiles, TaskHistory
from mission.tools.shared.fields import TaskId
from mission.tools.shared.topics import JOURNAL


class LookTask(Arguments):
    task_id: TaskId


class LookFile(Arguments):
    task_id: TaskId
    path: str = Field(min_length=1, max_length=4_096, description="One of the task's changed files")


class TaskMove(Result):
    at: str
    status: str
    state: str = Field(description="The state as the page shows it")
    agent: str | None
    attempt: int


class TaskScope(Result):
    scope_match: bool
    unexpected_files: list[str]
    warnings: list[str]


class TaskStory(Result):
    id: str
    mission_id: str
    mission_name: str
    quality: str | None
    areas: list[str]
    tree: str | None = Field(description="Its working tree")
    moves: list[TaskMove] = Field(description="State changes, oldest first")
    scope: TaskScope | None = Field(description="Whether the changed files are in its areas; known after completion")

    @classmethod
    def of(cls, story: TaskHistory) -> TaskStory:
        task = story.task
        verified = (task.completion or {}).get("verification")
        moves = [
            TaskMove(
                at=move.at,
                status=move.status,
                state=move.word,
                agent=story.agents.get(move.agent_id or ""),
                attempt=move.attempt,
            )
            for move in story.moves
        ]
        return cls(
            id=task.id,
            mission_id=task.mission_id,
            mission_name=story.mission_name,
            quality=task.quality,
            areas=list(task.areas),
            tree=task.tree,
            moves=moves,
            scope=dict(verified) if verified else None,
        )


class TaskFile(Result):
    path: str
    how: str = Field(description="A added, M modified, D deleted")
    lines_added: int | None = Field(description="null if unknown")
    lines_removed: int | None = Field(description="null if unknown")
    outside: bool = Field(description="Whether it is outside the task's areas")


class TaskFiles(Result):
    files: list[TaskFile]
    total: int
    lines_added: int | None = Field(description="In all files; null if one of them is unknown")
    lines_removed: int | None = Field(description="In all files; null if one of them is unknown")
    outside: int = Field(description="How many files are outside the task's areas")
    known: bool = Field(description="Whether the task's tree has a snapshot")
    final: bool = Field(description="Whether it has ended; until then, the current difference")

    @classmethod
    def of(cls, found: ChangedFiles) -> TaskFiles:
        changes = found.changes
        lists = (("A", changes.added), ("M", changes.modified), ("D", changes.deleted)) if changes is not None else ()
        files = sorted((_file(found, path, how) for how, paths in lists for path in paths), key=lambda f: f.path)
        return cls(
            files=files[: task_view.MAX_FILES],
            total=len(files),
            lines_added=_sum([file.lines_added for file in files]),
            lines_removed=_sum([file.lines_removed for file in files]),
            outside=len(found.outside),
            known=changes is not None,
            final=found.final,
        )


def _file(found: ChangedFiles, path: str, how: str) -> TaskFile:
    count = found.counts.get(path)
    return TaskFile(
        path=path,
        how=how,
        lines_added=count.added if count is not None else None,
        lines_removed=count.removed if count is not None else None,
        outside=path in found.outside,
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


class FilePatch(Result):
    patch: str = attribute("text", description="Unified diff")
    whole: bool = Field(description="False when lines are missing")
    note: str | None = Field(description="Why lines are missing; null if it was just too long")


@tool(toolset="control", result=TaskStory, reads=True, stale_on=("task", *JOURNAL), about="task")
async def overview_task(call: Call, args: LookTask) -> TaskHistory:
    """Show a task's history and whether it stayed within its areas."""
    return await call.read(task_view.read, task_id=args.task_id)


@tool(toolset="control", result=TaskFiles, reads=True, stale_on=("task", *JOURNAL), about="task")
async def overview_files(call: Call, args: LookTask) -> ChangedFiles:
    """List the files a task changed; for an open task, the difference since its start."""
    return await task_view.changed_files(call, call.trees, task_id=args.task_id)


@tool(toolset="control", result=FilePatch, reads=True, stale_on=("task", *JOURNAL), about="task")
async def overview_diff(call: Call, args: LookFile) -> Lines:
    """Read the diff of one changed file, from the task's start to its end, or to now while it is open."""
    return await task_view.lines(call, call.trees, task_id=args.task_id, path=args.path)
