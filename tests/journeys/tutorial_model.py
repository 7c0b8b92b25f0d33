"""What a model does when it follows the tutorial: the next step, from what it has seen so far.

Both the scripted client of `make test` and the real one of `make test-clients` take their steps from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

FILES = {
    "farewell": {
        "farewell.py": 'def goodbye(name):\n    return f"Goodbye, {name}!"\n',
        "test_farewell.py": "import unittest\nfrom farewell import goodbye\n\n\n"
        "class FarewellTest(unittest.TestCase):\n"
        '    def test_says_goodbye(self):\n        self.assertEqual(goodbye("Ada"), "Goodbye, Ada!")\n',
    },
    "languages": {
        "languages.py": 'WORDS = {"en": "Hello", "de": "Hallo", "fr": "Bonjour"}\n\n\n'
        'def hello(name, language):\n    return f"{WORDS[language]}, {name}!"\n',
        "test_languages.py": "import unittest\nfrom languages import hello\n\n\n"
        "class LanguagesTest(unittest.TestCase):\n"
        '    def test_greets_in_french(self):\n        self.assertEqual(hello("Ada", "fr"), "Bonjour, Ada!")\n',
    },
    "shouting": {
        "shouting.py": "from greeter import greet\n\n\ndef shout(name):\n    return greet(name).upper()\n",
        "test_shouting.py": "import unittest\nfrom shouting import shout\n\n\n"
        "class ShoutingTest(unittest.TestCase):\n"
        '    def test_shouts(self):\n        self.assertEqual(shout("Ada"), "HELLO, ADA!")\n',
    },
}
LAUNCHED = re.compile(r"Your task is (t_[0-9a-z]{10}) of mission m_[0-9a-z]{10}: (\w+)")
STARTED = re.compile(r"\bt_[0-9a-z]{10}\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteFile:
    name: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    text: str


Step = ToolCall | WriteFile | Done


def next_step(seen: str, turn: int) -> Step:
    """Return the step after `turn` earlier ones; `seen` is the prompt and every result since then."""
    launched = LAUNCHED.search(seen)
    name = launched[2] if launched else "farewell"
    found = launched[1] if launched else next(iter(STARTED.findall(seen)), "")
    steps: list[Step] = [] if launched else _begin()
    steps += [WriteFile(name=file, text=text) for file, text in FILES[name].items()]
    outcome = {"summary": f"{', '.join(FILES[name])} written, tests included."}
    steps.append(ToolCall(tool="complete_task", arguments={"task_id": found, "status": "success", "outcome": outcome}))
    return steps[turn] if turn < len(steps) else Done(text="Done.")


def _begin() -> list[Step]:
    mission = {"name": "Farewell", "objective": "People can be sent off politely"}
    task = {"name": "Say goodbye", "goal": "goodbye(name) with a test", "areas": ["farewell.py", "test_farewell.py"]}
    return [ToolCall(tool="start_mission", arguments=mission), ToolCall(tool="start_task", arguments=task)]
