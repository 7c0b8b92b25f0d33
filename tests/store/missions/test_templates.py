"""Templates as the store keeps them."""

from __future__ import annotations

from mission.domain.missions.template import Template
from tests.store.rows import NOW


def template(id, name, **fields):
    values = {"description": None, "tasks": [], "variables": [], "created_at": NOW, **fields}
    return Template(id=id, name=name, **values)


def test_a_template_is_read_back_whole_and_an_unknown_one_is_nothing(tx):
    task = {"name": "{{what}}", "description": "d", "sequence": 1}
    made = template("tpl_1", "Release", description="how", tasks=[task], variables=[{"name": "what", "default": "it"}])
    tx.templates.add(made)

    assert tx.templates.find("tpl_1") == made
    assert tx.templates.find("tpl_2") is None


def test_every_template_is_labeled_and_those_that_exist_are_found_by_their_ids(tx):
    for id, name in (("tpl_1", "b"), ("tpl_2", "a"), ("tpl_3", "a")):
        tx.templates.add(template(id, name))

    assert sorted(tx.templates.labels()) == [("a", "tpl_2"), ("a", "tpl_3"), ("b", "tpl_1")]
    found = tx.templates.of_ids(["tpl_3", "tpl_9", "tpl_1"])
    assert {id: each.name for id, each in found.items()} == {"tpl_3": "a", "tpl_1": "b"}
