"""What agents and readers of the reference see is what stands in git; `make contract` takes over a wanted change."""

from __future__ import annotations

import json

import pytest

from mission.domain.token_count import tokenizer
from mission.gateway.toolsets import parse_toolsets
from mission.settings import Settings
from scripts.generate.reference import CONTRACT, REFERENCE, REGISTRY, ROOT, pages

PAGES = pages()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_generated_file_is_up_to_date(path, rewrite):
    wanted = PAGES[path]()
    if rewrite:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted)

    assert path.exists(), f"{path.relative_to(ROOT)} is missing: run 'make contract' and look at the difference"
    assert path.read_text() == wanted, f"{path.name} differs: run 'make contract' if the change is wanted"


def test_no_file_of_a_tool_or_page_that_is_gone_stays_behind(rewrite):
    left = {*CONTRACT.iterdir(), *REFERENCE.iterdir()} - PAGES.keys()
    if rewrite:
        for path in left:
            path.unlink()
        left = set()

    assert left == set()


def test_the_tools_a_client_sees_by_default_leave_it_room_to_think():
    default = Settings.__dataclass_fields__["toolsets"].default
    listed = [json.loads(PAGES[CONTRACT / f"{tool.name}.json"]()) for tool in REGISTRY.chosen(parse_toolsets(default))]
    asked = [{name: tool[name] for name in ("name", "description", "input_schema")} for tool in listed]
    whole = [{name: value for name, value in tool.items() if name != "toolset"} for tool in listed]

    assert len(asked) == 13
    assert tokenizer().count(_compact(asked), limit=2_000) is not None
    assert tokenizer().count(_compact(whole), limit=5_000) is not None


def _compact(document):
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)
