"""Launches of a run: in the task's worktree, with a shell's variables, and only as the run wants them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mission.settings import Settings
from tests.driven_runs import does, driven

CLAUDE = f"""#!{sys.executable}
import json, os
from pathlib import Path
Path("key.txt").write_text(os.environ.get("ANTHROPIC_API_KEY", "none"))
signal = {{"version": 1, "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"], "eventId": "1"}}
text = "@task::" + json.dumps({{**signal, "signal": {{"type": "completed_claim", "summary": "done"}}}}) + "\\n"
denied = [{{"tool_name": "Bash", "tool_input": {{"command": "curl example.org"}}}}]
print(json.dumps({{"type": "assistant", "message": {{"content": [{{"type": "text", "text": text}}]}}}}))
print(json.dumps({{"type": "result", "total_cost_usd": 0.5, "permission_denials": denied}}), flush=True)
"""


async def test_after_a_restart_a_client_gets_its_variables_again_from_a_shell(
    settings: Settings, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "claude").write_text(CLAUDE)
    (tmp_path / "claude").chmod(0o755)
    shell = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-of-the-shell"}
    agents = [{"client": "claude-code", "delivery": "stdout-marker"}]
    async with driven(settings, repository) as first:
        await first.start(does("one", "nothing"), agents=agents, handover=first.hand_over(shell))
        await first.call("run_pause", {"run_id": first.id})
    async with driven(settings, repository) as second:
        second.id, second.mission_id = first.id, first.mission_id
        await second.call("run_resume", {"run_id": second.id})
        question = await second.question("claude-code cannot be launched")
        assert f"mission resume {second.id}" in question["body"]
        assert len((await second.get())["questions"]) == 1

        await second.call("run_resume", {"run_id": second.id, "handover": second.hand_over(shell)})
        found = await second.finished()

    assert second.files(found["branch"])["key.txt"] == "sk-of-the-shell"
    assert found["questions"] == []
    assert found["tasks"][0]["denied"] == [{"tool": "Bash", "detail": '{"command": "curl example.org"}'}]
    assert found["spent"]["usd"] == 0.5
    assert list((settings.home / "handover").iterdir()) == []
