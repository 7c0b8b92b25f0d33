"""Tools: what their declaration says, how they are found, and which a choice of toolsets means."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass

import pytest
from pydantic import ValidationError

from mission import tools
from mission.domain.errors import Conflict
from mission.gateway.registry import (
    Address,
    Arguments,
    Registry,
    Result,
    attribute,
    tool,
)
from mission.gateway.toolsets import TOOLSETS
from scripts.generate.reference import event_types

MODULE = '''
from mission.gateway.registry import Arguments, Result, tool


class Nothing(Arguments):
    pass


class Done(Result):
    id: str = "x"


@tool(toolset="{toolset}", reads=True, result=Done)
async def {name}(call, args: Nothing):
    """Do
    {name}."""
    return Done()


not_a_tool = 3
'''


class Nothing(Arguments):
    pass


class Secretive(Result):
    id: str
    key: str


@tool(toolset="mission", secret="key", destructive=True, result=Secretive)
async def made(call: object, args: Nothing) -> Secretive:
    """Make something."""
    return Secretive(id="x", key="y")


@tool(
    toolset="mission",
    result=Secretive,
    reads=True,
    address="/api/things/{id}",
    stale_on=("thing",),
    about="task",
    fades=True,
)
async def thing_get(call: object, args: Nothing) -> Secretive:
    """Read something."""
    return Secretive(id="x", key="y")


@dataclass(frozen=True)
class Box:
    id: str
    size: int = 3


@dataclass(frozen=True)
class Shelf:
    first: Box
    rows: tuple[Box, ...] = ()
    broken: Box | None = None


class BoxRow(Result):
    id: str
    size: int


class SmallBox(Result):
    id: str
    halves: int

    @classmethod
    def of(cls, box: Box) -> SmallBox:
        return cls(id=box.id, halves=box.size * 2)


class ShelfRecord(Result):
    first_id: str = attribute("first.id", description="The first")
    boxes: list[BoxRow] = attribute("rows")
    small: list[SmallBox] = attribute("rows")
    broken: SmallBox | None


@tool(toolset="mission", result=ShelfRecord)
async def shelf_get(call: object, args: Nothing) -> Shelf:
    """Read a shelf."""
    return Shelf(first=Box("a"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "some_tools"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, toolset in [("alpha", "tasks"), ("beta", "mission")]:
        (folder / f"{name}.py").write_text(MODULE.format(name=name, toolset=toolset))
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("some_tools")


def test_every_module_of_a_package_is_scanned_for_tools(package):
    registry = Registry(package)

    assert [each.name for each in registry] == ["alpha", "beta"]
    assert registry.get("alpha").description == "Do alpha."
    assert registry.get("not_a_tool") is None
    assert [each.name for each in registry.chosen(["mission", "crew"])] == ["beta"]


def test_a_tool_says_of_itself_what_its_declaration_says():
    assert (made.name, made.toolset, made.description) == ("made", "mission", "Make something.")
    assert (made.arguments, made.result) == (Nothing, Secretive)
    assert made.annotations == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    }


def test_a_value_is_rendered_by_its_attributes_and_by_what_a_model_computes():
    shelf = Shelf(first=Box("a"), rows=(Box("b", 1), Box("c")))

    assert shelf_get.render(shelf) == {
        "first_id": "a",
        "boxes": [{"id": "b", "size": 1}, {"id": "c", "size": 3}],
        "small": [{"id": "b", "halves": 2}, {"id": "c", "halves": 6}],
        "broken": None,
    }


def test_a_result_that_a_tool_made_itself_goes_out_as_it_is():
    assert made.render(Secretive(id="x", key="y")) == {"id": "x", "key": "y"}
    assert shelf_get.render(ShelfRecord(first_id="a", boxes=[], small=[], broken=Box("b", 1)))["broken"] == {
        "id": "b",
        "halves": 2,
    }


def test_a_value_without_the_declared_attributes_is_not_rendered():
    with pytest.raises(ValidationError):
        shelf_get.render(Box("a"))


def test_the_schema_of_a_result_names_its_fields_not_their_attributes():
    assert shelf_get.output_schema["required"] == ["first_id", "boxes", "small", "broken"]
    assert shelf_get.output_schema["properties"]["first_id"] == {"type": "string", "description": "The first"}


def test_a_tool_that_only_reads_may_be_repeated(package):
    assert Registry(package).get("alpha").annotations["idempotentHint"] is True


def test_a_secret_is_left_out_of_what_is_kept_and_cannot_be_given_again(package):
    plain = Registry(package).get("alpha")

    assert made.without_secret({"id": "x", "key": "s"}) == {"id": "x", "key": "***"}
    assert plain.without_secret({"id": "x"}) == {"id": "x"}
    plain.check_whole({"id": "x"})
    with pytest.raises(Conflict) as refused:
        made.check_whole({"id": "x", "key": "***"})
    assert refused.value.details == {"id": "x"}


def test_with_known_modules_a_tool_is_imported_when_it_is_first_asked_for(package):
    known = Registry(package).modules
    for module in set(known.values()):
        del sys.modules[module]

    lazy = Registry(package, modules=known)
    assert not set(known.values()) & set(sys.modules)
    assert lazy.get("unknown") is None
    assert lazy.get("beta").name == "beta"
    assert "some_tools.alpha" not in sys.modules
    assert [each.name for each in lazy] == [each.name for each in Registry(package)] == ["alpha", "beta"]
    assert lazy.modules == known == {"alpha": "some_tools.alpha", "beta": "some_tools.beta"}


def test_every_tool_is_in_a_toolset_that_can_be_chosen():
    registry = Registry(tools)

    assert {each.toolset for each in registry} == set(TOOLSETS)
    assert all(each.description and each.description.endswith(".") for each in registry)


def test_a_tool_says_where_rest_reads_it_and_which_events_make_its_answer_stale():
    assert thing_get.address == Address("/api/things/{id}")
    assert thing_get.address.path_argument == "id"
    assert (thing_get.stale_on, thing_get.about, thing_get.fades) == (("thing",), "task", True)
    assert made.address is None


def test_every_address_belongs_to_one_tool_that_takes_what_the_path_gives():
    registry = Registry(tools)
    declared = [each.address.path for each in registry if each.address is not None]

    assert sorted(declared) == list(registry.addresses())
    for found, address in registry.addresses().values():
        assert {address.path_argument or "id", *address.defaults} - {"id"} <= found.arguments.model_fields.keys()
        assert address.path_argument is None or address.path_argument in found.arguments.model_fields


def test_only_tools_that_read_declare_stale_topics_and_each_topic_has_events():
    topics = {kind.partition(":")[0].partition(".")[0] for kind in event_types()}
    for each in Registry(tools):
        if each.stale_on or each.fades or each.about:
            assert each.reads, each.name
        assert set(each.stale_on) <= topics, each.name
