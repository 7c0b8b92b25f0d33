"""What each client can do, apart from what is chosen for a launch; and command lines without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mission.domain.errors import InvalidState
from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import (
    MISSION,
    MISSION_TOKEN,
    SIGNALS,
    SIGNALS_TOKEN,
    LaunchPlan,
    Server,
    launches,
)
from mission.runtime.config_files import jsonc_editor as jsonc
from mission.runtime.launching.preparation import write

LAUNCHES = launches()
CLIENTS = [name for name in LAUNCHES if name != "command"]
SERVERS = [
    Server(name=SIGNALS, url="http://127.0.0.1:1/mcp/executions/x_1", token_variable=SIGNALS_TOKEN),
    Server(name=MISSION, url="http://127.0.0.1:1/mcp?toolsets=worker", token_variable=MISSION_TOKEN),
]
ENVIRONMENT = {
    "PATH": "/bin",
    "LC_ALL": "C",
    "ANTHROPIC_API_KEY": "a",
    "OPENAI_API_KEY": "o",
    "GEMINI_API_KEY": "g",
    "GH_TOKEN": "h",
    "MISSION_TOKEN": "operator",
    "GIT_DIR": "/x",
    "LD_PRELOAD": "/x.so",
}


def order(**changes: object) -> LaunchPlan:
    given = {"program": "/bin/agent", "prompt": "PROMPT", "folder": Path("/private"), "directory": Path("/tree")}
    return LaunchPlan(**{**given, "servers": SERVERS, "session_id": "SESSION", **changes})  # type: ignore[arg-type]


def test_capabilities_say_what_is_supported_preferred_and_needed():
    shown = {name: launch.capabilities.as_dict() for name, launch in LAUNCHES.items()}

    assert shown["claude-code"] == {
        "supported": ["mcp-tool", "stdout-marker"],
        "preferred": "mcp-tool",
        "provisioning": {
            "requiresRuntimeConfig": True,
            "supportsStdioBridge": True,
            "supportsDynamicTools": True,
        },
    }
    assert (shown["pi"]["supported"], shown["pi"]["preferred"]) == (["stdout-marker"], "stdout-marker")
    assert all(each["preferred"] in each["supported"] for each in shown.values())
    assert set(shown) == {"claude-code", "codex", "opencode", "copilot-cli", "gemini-cli", "pi", "command"}


@pytest.mark.parametrize(
    "name", [name for name in CLIENTS if Delivery.MCP_TOOL in LAUNCHES[name].capabilities.supported]
)
@pytest.mark.parametrize("interactive", [False, True])
def test_servers_are_named_with_the_variable_of_their_token(name: str, interactive: bool):
    made = LAUNCHES[name].prepare(order(interactive=interactive, arguments=["--more"]))

    configured = json.dumps([list(made.argv), dict(made.environment), dict(made.files)])
    for server in SERVERS:
        assert server.name in configured
        assert server.url.partition("?")[0] in configured
        assert server.token_variable in configured
    assert made.argv[0] == "/bin/agent"
    assert "PROMPT" in made.argv
    assert "--more" in made.argv


@pytest.mark.parametrize("name", CLIENTS)
def test_a_session_is_resumed_by_its_own_id(name: str):
    made = LAUNCHES[name].prepare(order(resume="EARLIER"))

    assert any("EARLIER" in word for word in made.argv)
    assert "SESSION" not in made.argv


def test_gemini_gets_a_home_of_links_with_the_users_settings_and_our_servers(tmp_path: Path):
    own = tmp_path / "ada" / ".gemini"
    own.mkdir(parents=True)
    (own / "oauth_creds.json").write_text("login")
    theirs = {"security": {"auth": {"selectedType": "oauth-personal"}}, "mcpServers": {"theirs": {"command": "x"}}}
    (own / "settings.json").write_text("// mine\n" + json.dumps(theirs))

    made = LAUNCHES["gemini-cli"].prepare(order(folder=tmp_path / "f", environment={"HOME": str(tmp_path / "ada")}))
    write(tmp_path / "f", made)

    home = Path(made.environment["GEMINI_CLI_HOME"])
    settings = jsonc.parse((home / ".gemini" / "settings.json").read_text())
    assert settings["security"] == theirs["security"]
    assert set(settings["mcpServers"]) == {"theirs", SIGNALS, MISSION}
    assert (home / ".gemini" / "oauth_creds.json").read_text() == "login"
    (home / ".gemini" / "tmp" / "session").touch()
    assert (own / "tmp" / "session").exists()  # to be resumed when the folder is gone
    assert "theirs" in (own / "settings.json").read_text()
    assert SIGNALS not in (own / "settings.json").read_text()


@pytest.mark.parametrize("text", ["{broken", '{"mcpServers": []}', "\xff"])
def test_gemini_settings_that_cannot_be_added_to_are_told_of_before_anything_is_launched(tmp_path: Path, text: str):
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InvalidState, match="Could not read the settings of Gemini CLI"):
        LAUNCHES["gemini-cli"].prepare(order(environment={"HOME": str(tmp_path)}))


def test_a_client_sees_its_own_keys_and_no_others():
    seen = {name: set(launch.environment(ENVIRONMENT)) - {"PATH", "LC_ALL"} for name, launch in LAUNCHES.items()}

    assert seen["command"] == set()
    assert seen["claude-code"] == {"ANTHROPIC_API_KEY"}
    assert seen["codex"] == {"OPENAI_API_KEY"}
    assert seen["copilot-cli"] == {"GH_TOKEN"}
    assert seen["gemini-cli"] == {"GEMINI_API_KEY"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-code", ["-p", "--permission-mode", "acceptEdits"]),
        ("codex", ["exec", "-c", 'approval_policy="never"']),
        ("opencode", ["run"]),
        ("copilot-cli", ["-p", "--allow-tool=write"]),
        ("gemini-cli", ["-p", "--approval-mode", "auto_edit"]),
        ("pi", ["-p"]),
    ],
)
def test_a_client_without_a_terminal_denies_instead_of_asking_and_its_arguments_allow_more(name: str, words: list[str]):
    argv = list(LAUNCHES[name].prepare(order(arguments=["--allow", "everything"])).argv)

    assert set(words) <= set(argv)
    assert not any("bypass" in word or "yolo" in word or "dangerous" in word for word in argv)
    prompt = argv.index("PROMPT")
    assert argv.index("--allow") < prompt  # an option of the client, not a part of what it is told
    for word in words[1:]:
        if word != "-p":
            assert argv.index(word) < argv.index("--allow")  # the last one counts
