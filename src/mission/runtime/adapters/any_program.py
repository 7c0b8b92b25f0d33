"""Any program: gets its task from the environment and signals over MCP or with marker lines."""

from __future__ import annotations

from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import Capabilities, LaunchAdapter, LaunchPlan, Preparation


def _prepare(order: LaunchPlan) -> Preparation:
    return Preparation(
        argv=[order.program, *order.arguments],
        environment={"MISSION_PROMPT_FILE": str(order.folder / "prompt.md")},
        files={"prompt.md": order.prompt},
    )


LAUNCH = LaunchAdapter(
    name="command",
    title="Any program",
    program="",
    runtime="custom",
    capabilities=Capabilities(supported=(Delivery.STDOUT_MARKER, Delivery.MCP_TOOL), preferred=Delivery.STDOUT_MARKER),
    prepare=_prepare,
    resumes=False,
    interrupt_keys="\x03",
)
