"""Use cases of templates: create one, find those of the store and of repositories, and create workflows from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.checks.check import parse_checks
from mission.domain.errors import InvalidInput, NotFound
from mission.domain.ids import PREFIXES, new_id
from mission.domain.missions.mission import Family
from mission.domain.missions.plan_graph import check_plan
from mission.domain.missions.template import BLANK, Template, TemplateTask, Variable
from mission.git.template_files import TemplateFiles, TemplateFolder, read_template_files
from mission.services.missions import creation as missions
from mission.services.missions import planning
from mission.services.missions.creation import NewMission
from mission.services.missions.planning import NewTask, Plan, Planned
from mission.services.paging import bad_cursor, cut_page
from mission.services.repositories import registration as repositories
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.work import Work
from mission.store.transaction import Tx

MAX_TASKS = 10_000
MAX_REPOSITORIES = 200
"""How many known repositories are searched for templates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """The content of a template as its author wrote it."""

    tasks: Sequence[TemplateTask]
    variables: Sequence[Variable] = ()
    name: str | None = None
    description: str | None = None

    def check(self) -> None:
        """Raise if the plan cannot be followed; names with placeholders are checked only once they are filled in."""
        plan = [(task.name, task.depends_on) for task in self.tasks]
        if not any(BLANK.search(text) for name, wanted in plan for text in (name, *wanted)):
            check_plan(plan, field="template.tasks")


Reader = Callable[[Any], Definition]
"""Parses the content of a file into a definition, or raises with what is wrong."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """A new workflow, planned."""

    planned: Planned
    template: Template


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateSource:
    """A page of the templates that can be applied; the first page also has the files that cannot be parsed."""

    templates: Sequence[Template]
    broken: Mapping[str, str]
    next: str | None


Label = tuple[str, str]
"""Name and id of a template: its position in the list."""


async def gather(
    work: Work,
    trees: Trees,
    *,
    repository_path: str | None,
    directory: str | None,
    read: Reader,
    limit: int,
    cursor: str | None,
) -> TemplateSource:
    """Return the templates of the store and of repositories, by name.

    Only names are read from the store before the page is cut: a template may have thousands of tasks.
    """
    after = _label_of(cursor)
    files = await _files(work, trees, repository_path=repository_path, directory=directory)
    broken: dict[str, str] = {}
    from_files = {each.id: each for file in files if (each := _from_file(file, read, broken)) is not None}
    labels = [*await work.read(_labels), *((each.name, each.id) for each in from_files.values())]
    following = sorted(label for label in labels if after is None or label > after)
    page = cut_page(following, limit=limit, cursor=lambda label: f"{label[1]} {label[0]}")
    stored = await work.read(_of_ids, ids=[id for _, id in page.rows if id not in from_files])
    return TemplateSource(
        templates=[from_files.get(id) or stored[id] for _, id in page.rows],
        broken=broken if cursor is None else {},
        next=page.next,
    )


async def find(
    work: Work, trees: Trees, *, template_id: str, repository_path: str | None, directory: str | None, read: Reader
) -> Template:
    """Return the template with that id, from the store or from a repository's file."""
    stored = await work.read(_find, template_id=template_id)
    if stored is not None:
        return stored
    files = await _files(work, trees, repository_path=repository_path, directory=directory)
    broken: dict[str, str] = {}
    for file in files:
        if file.id == template_id:
            template = _from_file(file, read, broken)
            if template is None:
                raise InvalidInput(f"{file.source}: {broken[file.source]}", hint="Correct the file.", field=file.source)
            return template
    raise NotFound(
        f"there is no template {template_id}",
        action=Action.FIND_TEMPLATE,
        template_id=template_id,
    )


async def apply(
    work: Work,
    trees: Trees,
    *,
    template_id: str,
    name: str,
    variables: Mapping[str, str],
    repository_path: str | None,
    directory: str | None,
    max_parallel: int,
    auto_create_workspaces: bool,
    read: Reader,
    agent_id: str | None = None,
) -> Applied:
    """Create a workflow from the template, with its plan, in one transaction; `agent_id` is the agent that asks."""
    place = await trees.named(repository_path) or await trees.around(directory)
    template = await find(
        work, trees, template_id=template_id, repository_path=repository_path, directory=directory, read=read
    )
    plan = _plan(template, variables)
    new = NewMission(
        name=name,
        objective=name,
        family=Family.WORKFLOW,
        source_type="custom",
        source_ref=template.id,
        source_content=template.description or template.name,
        max_parallel=max_parallel,
        auto_create_workspaces=auto_create_workspaces,
        agent_id=agent_id,
    )
    return await work.finish(record, template=template, new=new, place=place, plan=plan)


def create(
    tx: Tx, *, name: str, description: str | None, definition: Definition | None, mission_id: str | None
) -> Template:
    """Store a template: a definition, or the plan of a mission."""
    if definition is None:
        definition = _of_mission(tx, mission_id or "")
    definition.check()
    template = _template(
        id=new_id("template"), name=name, description=description, definition=definition, created_at=tx.now, source=None
    )
    tx.templates.add(template)
    tx.emit(events.TemplateCreated(template=template))
    return template


def record(tx: Tx, *, template: Template, new: NewMission, place: TreeLocation | None, plan: Plan) -> Applied:
    """Create a mission with the template's plan."""
    mission = missions.create(tx, new=new, place=place)
    planned = planning.set_plan(tx, mission_id=mission.id, plan=plan, agent_id=new.agent_id)
    return Applied(planned=planned, template=template)


def _plan(template: Template, variables: Mapping[str, str]) -> Plan:
    plan = Plan(
        summary=template.description or template.name,
        approach=f"Created from the template '{template.name}'",
        tasks=[
            NewTask(
                name=task.name,
                description=task.description,
                sequence=task.sequence,
                parallel_group=task.parallel_group,
                depends_on=task.depends_on,
                requires=task.requires,
                complexity=task.estimated_complexity,
                files_likely_affected=task.files_likely_affected,
                checks=parse_checks(list(task.checks)),
                acceptance=task.acceptance,
            )
            for task in template.filled(variables)
        ],
    )
    plan.check()
    return plan


def _of_mission(tx: Tx, mission_id: str) -> Definition:
    """Return the tasks of a mission as a definition, without their history."""
    mission = tx.missions.get(mission_id)
    tasks = tx.plans.page(mission.id, limit=MAX_TASKS + 1, offset=0)
    if not 1 <= len(tasks) <= MAX_TASKS:
        raise InvalidInput(
            f"from_workflow_id: {mission.id} has {'no tasks' if not tasks else 'too many tasks'}",
            hint=f"Name a workflow with 1 to {MAX_TASKS:,} tasks.",
            field="from_workflow_id",
        )
    names = {task.id: task.name for task in tasks}
    depends_on = tx.plans.dependencies(list(names))
    return Definition(
        tasks=[
            TemplateTask(
                name=task.name,
                description=task.goal,
                sequence=task.phase_number,
                parallel_group=task.parallel_group,
                depends_on=[names[id] for id in depends_on[task.id]],
                requires=list(task.requires or ()),
                estimated_complexity=task.complexity,
                files_likely_affected=list(task.files_likely_affected or ()),
            )
            for task in tasks
        ]
    )


async def _files(
    work: Work, trees: Trees, *, repository_path: str | None, directory: str | None
) -> list[TemplateFiles]:
    """Return the files of the named repository; if none is named, of the caller's and all known ones on this host."""
    named = await trees.named(repository_path)
    here = named or await trees.around(directory)
    carriers = [TemplateFolder(top=here.tree.path, identity=here.common_dir or str(here.tree.path))] if here else []
    if named is None:
        known = await work.read(repositories.local, host_id=trees.host_id, limit=MAX_REPOSITORIES)
        carriers += [TemplateFolder(top=Path(each.path), identity=each.common_dir or each.path) for each in known]
    found = await asyncio.gather(*(trees.work(carrier.top, read_template_files, carrier) for carrier in carriers))
    first: dict[str, TemplateFiles] = {}  # the first of several worktrees of one repository counts
    for file in chain.from_iterable(found):
        first.setdefault(file.id, file)
    return list(first.values())


def _from_file(file: TemplateFiles, read: Reader, broken: dict[str, str]) -> Template | None:
    """Return the template in the file; add an error to `broken` if it cannot be parsed."""
    try:
        if file.fault is not None:
            raise InvalidInput(file.fault)
        definition = read(file.document)
        definition.check()
    except InvalidInput as error:
        broken[file.source] = error.message
        return None
    return _template(
        id=file.id,
        name=definition.name or file.stem,
        description=definition.description,
        definition=definition,
        created_at=file.changed_at,
        source=file.source,
    )


def _template(*, definition: Definition, **fields: Any) -> Template:
    return Template(
        tasks=[task.record() for task in definition.tasks],
        variables=[variable.record() for variable in definition.variables],
        **fields,
    )


def _label_of(cursor: str | None) -> Label | None:
    """Return the list position that the cursor holds; None for the first page."""
    if cursor is None:
        return None
    id, _, name = cursor.partition(" ")
    if not name or not id.startswith(f"{PREFIXES['template']}_"):
        raise bad_cursor("cursor")
    return name, id


def _labels(tx: Tx) -> list[Label]:
    return tx.templates.labels()


def _of_ids(tx: Tx, *, ids: Sequence[str]) -> dict[str, Template]:
    return tx.templates.of_ids(ids)


def _find(tx: Tx, *, template_id: str) -> Template | None:
    return tx.templates.find(template_id)
