"""People read the same word for a state on the page and on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mission.domain.display_status import AGENT_LABELS, EXECUTION_LABELS, TASK_LABELS

PAGE = Path(__file__).parents[2] / "web" / "src" / "ui" / "status" / "status.ts"


@pytest.mark.parametrize(
    ("table", "words"), [("TASK", TASK_LABELS), ("AGENT", AGENT_LABELS), ("EXECUTION", EXECUTION_LABELS)]
)
def test_the_command_line_has_the_words_of_the_page(table: str, words: dict[str, str]) -> None:
    [block] = re.findall(rf"export const {table}: .*? = {{\n(.*?)\n}};", PAGE.read_text(), re.DOTALL)

    assert dict(re.findall(r'^  (\w+): status\(.*, "([^"]+)"\),$', block, re.MULTILINE)) == words
