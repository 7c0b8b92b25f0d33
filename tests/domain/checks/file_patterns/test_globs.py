"""Globs: which paths match, compared with a simple matcher, and that no glob is slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.file_patterns import globs
from mission.domain.checks.file_patterns.globs import compile_glob, compile_globs
from mission.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("README.md", ["README.md"], ["docs/README.md", "README.md.txt", "readme.md"]),
        ("tests", ["tests"], ["tests/a.py"]),
        ("tests/", ["tests/a.py", "tests/b/c.py"], ["tests", "other/tests/a.py"]),
        ("tests/**", ["tests/a.py", "tests/b/c.py", "tests/.hidden"], ["tests", "src/tests/a.py"]),
        ("*.py", ["a.py", ".py"], ["src/a.py", "a.pyc"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "a.py"]),
        ("src/*/a.py", ["src/b/a.py"], ["src/a.py", "src/b/c/a.py"]),
        ("**/*.py", ["a.py", "src/a.py", "src/b/c.py"], ["a.pyc"]),
        ("src/**/a.py", ["src/a.py", "src/b/a.py", "src/b/c/a.py"], ["src/ba.py", "srca.py", "a.py"]),
        ("src/**.py", ["src/a.py", "src/b/a.py"], ["a.py"]),
        ("**/tests/**", ["tests/a", "a/tests/b"], ["tests", "mytests/a"]),
        ("**", ["a", "a/b"], []),
        ("?.py", ["a.py", "é.py"], ["ab.py", "/.py"]),
        ("a?b", ["axb"], ["a/b", "ab"]),
        ("v[0-9].txt", ["v1.txt"], ["va.txt"]),
        ("v[!0-9]x", ["vax"], ["v1x", "v/x"]),
        ("*.{js,ts}", ["a.js", "a.ts"], ["a.py", "a.{js,ts}"]),
        ("{src,lib/core}/**", ["src/a", "lib/core/a/b"], ["lib/a"]),
        ("test{s,}/*", ["test/a", "tests/a"], ["testss/a"]),
        ("app/[[]id[]].tsx", ["app/[id].tsx"], ["app/i.tsx"]),
        ("folder with blanks/*", ["folder with blanks/a\nb"], ["folder"]),
    ],
)
def test_a_glob_starts_at_the_top_and_only_two_stars_cross_folders(glob, matching, others):
    compiled = compile_glob(glob)

    assert compiled.select([*matching, *others]) == matching


def test_an_empty_path_never_matches():
    assert not compile_glob("**").matches("")


def test_several_globs_match_what_any_of_them_matches():
    several = compile_globs(["*.py", "docs/**"])

    assert several.select(["a.py", "b/a.py", "docs/x"]) == ["a.py", "docs/x"]
    assert compile_globs([]).select(["a"]) == []


def test_the_first_invalid_glob_is_named():
    with pytest.raises(InvalidInput, match=r"tests: '/a'"):
        compile_globs(["b", "/a", "["], field="tests")


PARTS = st.one_of(
    st.sampled_from(["a", "b", ".", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "[a-b.]", "{a,b}", "{a/,}", "{*,b/**}"])
)
GLOBS = st.lists(PARTS, min_size=1, max_size=8).map("".join)
PATHS = st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join)


@given(GLOBS, st.lists(PATHS, min_size=1, max_size=8))
def test_a_glob_matches_what_a_plain_regular_expression_of_it_matches(glob, paths):
    try:
        compiled = compile_glob(glob)
    except InvalidInput:
        return

    reference = re.compile(regular_expression(glob))
    assert compiled.select(paths) == [path for path in paths if reference.fullmatch(path)]


@given(st.lists(GLOBS, max_size=4), PATHS)
def test_globs_match_together_what_they_match_alone(texts, path):
    try:
        alone = [compile_glob(text).matches(path) for text in texts]
    except InvalidInput:
        return

    assert compile_globs(texts).matches(path) == any(alone)


def regular_expression(glob: str) -> str:
    """Return the glob as a regular expression, the obvious way: right, but slow for some globs."""
    glob = glob.removeprefix("./")
    glob += "**" if glob.endswith("/") else ""
    return "|".join(map(plain_expression, written_out(glob)))


def written_out(glob: str) -> list[str]:
    """Return the glob once for each way through its braces; the innermost braces have none inside."""
    found = re.search(r"\{([^{}]*)\}", glob)
    if not found:
        return [glob + "**" if glob.endswith("/") else glob]
    return [
        each
        for choice in found[1].split(",")
        for each in written_out(glob[: found.start()] + choice + glob[found.end() :])
    ]


def plain_expression(glob: str) -> str:
    pieces = re.findall(r"(?:^|(?<=/))\*\*+/|\*\*+|\*|\?|\[!?[^]]+\]|.", glob)
    return "".join(map(plain_piece, pieces))


def plain_piece(piece: str) -> str:
    if piece.startswith("**"):
        return "(?:.+/)?" if piece.endswith("/") else ".*"
    if piece.startswith("["):
        return "(?!/)" + piece.replace("[!", "[^")
    return {"*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))


@pytest.mark.parametrize(
    "glob", ["*a" * 200 + "b", "**/a" * 100 + "/b", "**a" * 150 + "b", "{a,aa}*" * 6 + "b", "?*" * 200]
)
@pytest.mark.parametrize("path", ["a" * 4000, "a/" * 2000 + "a"])
def test_no_glob_is_slow(glob, path):
    compiled = compile_glob(glob)
    begun = time.process_time()
    compiled.matches(path)

    assert time.process_time() - begun < 5


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(globs, "MOST_REMEMBERED", 5)
    compiled = compile_glob("**/[a-z]*.py")

    assert all(compiled.matches(f"{chr(0x100 + number)}/{'abc'[number % 3]}.py") for number in range(200))
    assert len(compiled._known) <= 6
