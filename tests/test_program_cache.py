"""Values that the next start of the same program finds again."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mission import program_cache
from mission.program_cache import ProgramCache, program_digest

VALUE = {"tools": ["ä", 1, None]}


@pytest.fixture
def cache(tmp_path: Path) -> ProgramCache:
    return ProgramCache(tmp_path / "cache")


def test_a_value_is_found_again_by_name(cache: ProgramCache, tmp_path: Path) -> None:
    cache.write("one", VALUE)
    cache.write("two", [])

    assert (cache.read("one"), cache.read("two"), cache.read("three")) == (VALUE, [], None)
    assert stat.S_IMODE((tmp_path / "cache" / "one").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_a_value_of_another_program_is_not_used(cache: ProgramCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write("one", VALUE)
    monkeypatch.setattr(program_cache, "program_digest", lambda: "another")

    assert cache.read("one") is None
    cache.write("one", [1])
    assert cache.read("one") == [1]


@pytest.mark.parametrize("place", [0, 70, -70, -1])
def test_a_value_with_a_changed_byte_is_not_used(cache: ProgramCache, tmp_path: Path, place: int) -> None:
    cache.write("one", VALUE)
    path = tmp_path / "cache" / "one"
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 0x80
    path.write_bytes(damaged)

    assert cache.read("one") is None


def test_every_cut_is_noticed(cache: ProgramCache, tmp_path: Path) -> None:
    cache.write("one", VALUE)
    path = tmp_path / "cache" / "one"
    whole = path.read_bytes()

    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.read("one") is None


def test_a_cache_that_cannot_be_written_is_only_missing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")

    ProgramCache(tmp_path / "cache").write("one", VALUE)

    assert ProgramCache(tmp_path / "cache").read("one") is None


def test_changed_code_is_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "mission" / "tools" / "new.py"
    module.parent.mkdir(parents=True)
    module.write_text("x = 1\n")
    monkeypatch.setattr(program_cache.mission, "__file__", str(tmp_path / "mission" / "__init__.py"))
    before = program_digest.__wrapped__()

    module.write_text("x = 10\n")

    assert program_digest.__wrapped__() != before
    assert program_digest.__wrapped__() == program_digest.__wrapped__()


def test_readers_never_see_a_part_while_others_write(tmp_path: Path) -> None:
    cache = ProgramCache(tmp_path / "cache")
    cache.write("one", VALUE)

    def read(_: int) -> bool:
        return cache.read("one") == VALUE

    with ThreadPoolExecutor(2) as readers:
        found = readers.map(read, range(200))
        for _ in range(20):
            cache.write("one", VALUE)
        assert all(found)
