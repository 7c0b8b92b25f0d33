"""Take a picture of each page in light and dark, at three widths.

Run as `python -m tests.browser.screenshots FOLDER [word …]`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from mission.settings import Settings
from tests.browser.chromium import FLAGS, obtain
from tests.browser.conftest import open_page
from tests.browser.sample_agents import plant_agents
from tests.browser.sample_data import fill
from tests.browser.sample_runs import plant_runs
from tests.transports.live_server import serving

SIZES = {
    "wide": {"width": 1440, "height": 1000},
    "middle": {"width": 1024, "height": 800},
    "narrow": {"width": 390, "height": 844},
}


RUN_STATES = ("planning", "ready", "running", "paused", "finishing", "finished", "stopped")


def addresses(ids: dict[str, str]) -> dict[str, str]:
    mission = f"/missions/{ids['mission']}"
    return {
        "now": "/",
        "missions": "/missions?show=all",
        "mission-graph": mission,
        "mission-board": f"{mission}?view=board",
        "mission-timeline": f"{mission}?view=timeline",
        "mission-journal": f"{mission}?view=journal",
        "mission-changes": f"{mission}?view=changes",
        "mission-agents": f"{mission}?view=agents",
        "mission-plan": f"{mission}?view=plan",
        "runs": "/runs",
        **{f"run-{state}": f"/runs/{ids[state]}" for state in RUN_STATES},
        "run-candidate": f"/runs/{ids['running']}?candidate={ids['candidate']}",
        "run-conflict": f"/runs/{ids['running']}?candidate={ids['conflict']}",
        "costs": "/costs",
        "search": "/search?q=postings",
        "inbox": "/inbox",
        "task": f"/tasks/{ids['task']}",
        "task-asking": f"/tasks/{ids['asking_task']}",
        "task-waiting": f"/tasks/{ids['waiting_task']}",
        "task-panel": f"/missions/{ids['exports']}?view=board&task={ids['asking_task']}",
        "agents": "/agents",
        "executions": "/executions",
        "executions-list": "/executions?view=list",
        "execution": f"/executions/{ids['asking']}",
        "execution-ended": f"/executions/{ids['failed']}",
        "workspaces": "/workspaces",
        "templates": "/templates",
        "audit": "/audit",
        "settings": "/settings",
    }


def main(folder: Path, words: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chromium = obtain()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), host_id="test-host")
        ids = asyncio.run(fill(settings))
        with serving(settings) as live, sync_playwright() as playwright:
            runs = live.run(live.app.database.write(plant_runs))
            agents, launched = plant_agents(live, Path(home) / "agents")
            ids = {**runs, **ids, **launched}
            browser = playwright.chromium.launch(
                executable_path=chromium.program, args=list(FLAGS), env=dict(chromium.environment)
            )
            for scheme in ("light", "dark"):
                for name, size in SIZES.items():
                    context = browser.new_context(viewport=size, color_scheme=scheme)
                    page = context.new_page()
                    page.on("console", lambda said: said.type == "error" and sys.stderr.write(f"{said.text}\n"))
                    page.on("pageerror", lambda error: sys.stderr.write(f"{error}\n"))
                    open_page(page, live)
                    for each, path in addresses(ids).items():
                        if words and not any(word in f"{each}-{name}-{scheme}" for word in words):
                            continue
                        page.goto(f"{live.url}{path}")
                        page.wait_for_load_state("networkidle")
                        page.wait_for_timeout(400)
                        page.screenshot(path=folder / f"{each}-{name}-{scheme}.png", full_page=name != "narrow")
                    context.close()
            browser.close()
            agents.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
