"""The operator tool that shows an agent's permission rules and what each decides."""

from __future__ import annotations

from pydantic import Field

from mission.domain.agents.agent import AgentType
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.agents import registration
from mission.tools.shared.fields import Texts


class OfAgent(Arguments):
    agent_id: str = Field(description="An agent (id or name), or a type such as WORKER")


class ShownRule(Result):
    effect: str
    pattern: str
    source: str
    tools: Texts = Field(description="Tools decided by this rule")


class Permissions(Result):
    agent_id: str | None
    type: str
    rules: list[ShownRule]
    denied_by_default: Texts


@tool(toolset="control", result=Permissions, reads=True)
async def permission_show(call: Call, args: OfAgent) -> Permissions:
    """Show which tools an agent may call and which rule decides; deny rules are checked first."""
    known = args.agent_id.upper() in AgentType.__members__
    agent = None if known else await call.read(registration.find, reference=args.agent_id)
    kind = agent.type if agent is not None else AgentType(args.agent_id.upper())
    decided: dict[str, list[str]] = {}
    for each in call.registry:
        decided.setdefault(call.policy.decide(kind, each.name).rule, []).append(each.name)
    return Permissions(
        agent_id=agent.id if agent is not None else None,
        type=kind,
        rules=[
            ShownRule(
                effect=rule.effect,
                pattern=rule.pattern,
                source="built in" if rule.built_in else "settings",
                tools=decided.pop(rule.named(kind), []),
            )
            for rule in call.policy.rules(kind)
        ],
        denied_by_default=[name for names in decided.values() for name in names],
    )
