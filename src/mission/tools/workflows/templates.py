"""Tools for templates: plans with variables, stored in the database or in a repository."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from mission.domain.errors import InvalidInput
from mission.domain.missions.template import Template, TemplateTask, Variable
from mission.gateway.arguments.validation import check_value
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.missions import templates
from mission.services.missions.templates import Applied, Definition
from mission.tools.shared.fields import (
    Checks,
    GivenTexts,
    MissionId,
    Name,
    PathText,
    PhaseNumber,
    TemplateId,
    Text,
    Texts,
)
from mission.tools.shared.plan_tasks import MAX_TASKS
from mission.tools.shared.wording import Moment

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=100)]
MAX_VARIABLES = 200


class TaskOfTemplate(Arguments):
    name: Name
    description: Text
    sequence: PhaseNumber
    parallel_group: Name | None = None
    depends_on: list[Name] = Field([], max_length=1000)
    requires: list[Name] = Field([], max_length=100)
    estimated_complexity: Literal["low", "medium", "high"] | None = None
    files_likely_affected: GivenTexts = []
    checks: Checks = []
    acceptance: GivenTexts = []


class VariableOfTemplate(Arguments):
    name: VariableName
    description: str = ""
    required: bool = True
    default: str | None = None


class TemplateBody(Arguments):
    tasks: list[TaskOfTemplate] = Field(min_length=1, max_length=MAX_TASKS)
    variables: list[VariableOfTemplate] = Field([], max_length=MAX_VARIABLES)

    @model_validator(mode="after")
    def _check(self) -> TemplateBody:
        names = [variable.name for variable in self.variables]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"variables: declared twice: {', '.join(doubled)}")
        return self

    def definition(self, *, name: str | None = None, description: str | None = None) -> Definition:
        return Definition(
            tasks=[TemplateTask(**task.model_dump()) for task in self.tasks],
            variables=[Variable(**variable.model_dump()) for variable in self.variables],
            name=name,
            description=description,
        )


class TemplateFile(TemplateBody):
    name: Name | None = None
    description: Text | None = None


class CreateTemplate(Arguments):
    name: Name
    description: Text | None = None
    from_workflow_id: MissionId | None = Field(None, description="Use the plan of this workflow")
    template: TemplateBody | None = Field(None, description="Or give the tasks; text may contain {{variables}}")

    @model_validator(mode="after")
    def _check(self) -> CreateTemplate:
        if (self.from_workflow_id is None) == (self.template is None):
            raise InvalidInput(
                "Give either from_workflow_id or template.",
                hint="Give exactly one of them.",
                field="from_workflow_id",
                fields=["from_workflow_id", "template"],
            )
        return self


class CreatedTemplate(Result):
    id: str


class VariableRecord(Result):
    name: str
    description: str
    required: bool
    default: str | None


class TemplateTaskRecord(Result):
    name: str
    description: str
    sequence: int
    parallel_group: str | None
    depends_on: Texts
    requires: Texts
    estimated_complexity: str | None
    files_likely_affected: Texts


class TemplateSummary(Result):
    id: str
    name: str
    description: str | None
    tasks_total: int
    tasks: list[TemplateTaskRecord]
    variables: list[VariableRecord]
    source: str | None
    created_at: Moment

    @classmethod
    def of(cls, template: Template, *, limit: int = MAX_TASKS) -> TemplateSummary:
        return cls(
            id=template.id,
            name=template.name,
            description=template.description,
            tasks_total=len(template.tasks),
            tasks=template.plan[:limit],
            variables=template.blanks,
            source=template.source,
            created_at=template.created_at,
        )


class ListTemplates(Arguments):
    repository_path: PathText | None = Field(
        None, description="Absolute; default: working directory and all registered repositories"
    )
    limit: int = Field(100, ge=1, le=500)
    cursor: str | None = None


class BrokenFile(Result):
    source: str
    problem: str


class TemplateList(Result):
    templates: list[TemplateSummary]
    broken: list[BrokenFile] = Field(description="Only on the first page")
    next_cursor: str | None


class GetTemplate(Arguments):
    id: TemplateId
    repository_path: PathText | None = None


class ApplyTemplate(Arguments):
    template_id: TemplateId
    workflow_name: Name
    variables: dict[str, str] = Field({}, description="Values for the template's {{variables}}")
    repository_path: PathText | None = Field(None, description="Absolute; default: working directory")
    max_parallel_tasks: int = Field(1, ge=1, le=1000)
    auto_create_workspaces: bool = False


class AppliedTemplate(Result):
    workflow_id: str = attribute("planned.mission.id")
    tasks_created: int = attribute("planned.tasks_created")


LISTED_TASKS = 50
"""Maximum tasks of a template in a list."""


@tool(toolset="templates", result=CreatedTemplate)
async def template_create(call: Call, args: CreateTemplate) -> Template:
    """Save a plan for reuse: a workflow's, or the one given."""
    return await call.finish(
        templates.create,
        name=args.name,
        description=args.description,
        definition=args.template.definition() if args.template is not None else None,
        mission_id=args.from_workflow_id,
    )


@tool(toolset="templates", result=TemplateList, reads=True, address="/api/templates", stale_on=("template",))
async def template_list(call: Call, args: ListTemplates) -> TemplateList:
    """List templates by name: saved ones and files in .mission/templates of repositories (50 tasks each)."""
    found = await templates.gather(
        call,
        call.trees,
        repository_path=args.repository_path,
        directory=call.directory,
        read=_read,
        limit=args.limit,
        cursor=args.cursor,
    )
    return TemplateList(
        templates=[TemplateSummary.of(each, limit=LISTED_TASKS) for each in found.templates],
        broken=[BrokenFile(source=source, problem=problem) for source, problem in found.broken.items()],
        next_cursor=found.next,
    )


@tool(toolset="templates", result=TemplateSummary, reads=True, address="/api/templates/{id}")
async def template_get(call: Call, args: GetTemplate) -> Template:
    """Read one template with all its tasks and variables."""
    return await templates.find(
        call,
        call.trees,
        template_id=args.id,
        repository_path=args.repository_path,
        directory=call.directory,
        read=_read,
    )


@tool(toolset="templates", result=AppliedTemplate)
async def template_apply(call: Call, args: ApplyTemplate) -> Applied:
    """Create a planned workflow from a template. Missing variables are reported."""
    return await templates.apply(
        call,
        call.trees,
        template_id=args.template_id,
        name=args.workflow_name,
        variables=args.variables,
        repository_path=args.repository_path,
        directory=call.directory,
        max_parallel=args.max_parallel_tasks,
        auto_create_workspaces=args.auto_create_workspaces,
        read=_read,
        agent_id=call.actor,
    )


def _read(document: Any) -> Definition:
    """Return the definition in a file, checked like arguments."""
    check_value(document, field="the file")
    try:
        found = TemplateFile.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{where}: {first['msg']}" if where else first["msg"]) from None
    return found.definition(name=found.name, description=found.description)
