"""Template files of a repository: which are found, under which id, and what a broken one says."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mission.domain.ids import expect_kind, is_id
from mission.git import template_files
from mission.git.template_files import TemplateFolder, read_template_files


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree" / ".mission" / "templates").mkdir(parents=True)
    return tmp_path / "tree"


def write(tree, name, text):
    path = tree / ".mission" / "templates" / name
    path.write_text(text)
    return path


def found(tree, identity="repository"):
    return read_template_files(TemplateFolder(top=tree, identity=identity))


def test_json_and_toml_files_are_read_by_name(tree):
    path = write(tree, "b.json", json.dumps({"tasks": []}))
    write(tree, "a.toml", 'name = "A"')
    write(tree, "notes.md", "nothing")

    first, second = found(tree)

    assert (first.stem, first.document, first.fault) == ("a", {"name": "A"}, None)
    assert (second.stem, second.document, second.source) == ("b", {"tasks": []}, ".mission/templates/b.json")
    assert second.changed_at == datetime.fromtimestamp(path.stat().st_mtime, UTC)


def test_an_id_stays_while_the_file_stays_where_it_is(tree):
    write(tree, "a.json", "{}")
    [before] = found(tree)
    write(tree, "a.json", '{"name": "changed"}')
    [after] = found(tree)

    assert before.id == after.id
    assert is_id(before.id)
    expect_kind(before.id, "template", field="id")
    assert found(tree, identity="another")[0].id != before.id


@pytest.mark.parametrize(("name", "text"), [("a.json", "{broken"), ("a.toml", "x ="), ("a.json", "[" * 100_000)])
def test_a_file_that_cannot_be_read_says_why_and_hides_no_other(tree, name, text):
    write(tree, name, text)
    write(tree, "z.json", "{}")

    broken, whole = found(tree)

    assert broken.document is None
    assert name.rpartition(".")[2].upper() in broken.fault
    assert len(broken.fault) < 300
    assert whole.fault is None


def test_bytes_that_are_not_text_are_a_fault(tree):
    write(tree, "a.json", "").write_bytes(b"\xff\xfe{}")

    assert found(tree)[0].fault


def test_a_file_that_is_too_large_is_not_read(tree, monkeypatch):
    monkeypatch.setattr(template_files, "MAX_FILE_BYTES", 10)
    write(tree, "a.json", '{"a": "0123456789"}')

    [large] = found(tree)

    assert large.document is None
    assert "10 bytes" in large.fault


def test_only_so_many_files_are_taken(tree, monkeypatch):
    monkeypatch.setattr(template_files, "MAX_FILES", 2)
    for name in "cba":
        write(tree, f"{name}.json", "{}")

    assert [each.stem for each in found(tree)] == ["a", "b"]


def test_no_link_is_followed(tree, tmp_path):
    (tmp_path / "secret.json").write_text('{"secret": true}')
    (tree / "inside.json").write_text('{"inside": true}')
    folder = tree / ".mission" / "templates"
    (folder / "out.json").symlink_to(tmp_path / "secret.json")
    (folder / "in.json").symlink_to(tree / "inside.json")
    (folder / "folder.json").mkdir()

    assert found(tree) == []


def test_a_tree_without_templates_has_none(tmp_path):
    assert found(tmp_path, tmp_path / "missing") == []
