"""The lines that changed between a snapshot and a scan, as git shows them, within limits of size and memory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mission.domain.tasks.changes import Rename
from mission.domain.tasks.patch import MAX_PATCH_LENGTH, Lines, share, shortened
from mission.git.command import Output, stream
from mission.git.file_names import display_name, original, quoted
from mission.git.patches.file_contents import MAX_FILE_BYTES, Contents, Fetched, Found, Wanted, materialize
from mission.git.patches.kept_contents import KeptContents
from mission.git.snapshots.disk_entries import Disk
from mission.git.snapshots.manifest import Difference, ManifestEntry
from mission.git.snapshots.scanner import Scanner
from mission.git.snapshots.shadow_repository import Shadow

MAX_FILES = 2_000
MAX_READ_BYTES = 64_000_000
"""Bytes of git's output that are read; the rest is not shown."""
SECONDS = 60.0
LINK = b"160000"
HEADER = re.compile(rb"diff --git \S+/(\d+) \S+/\1\n")
NAMES = re.compile(rb"(?<=[ ])[ab]/\d+(?=[ \n])")

TOO_LARGE = f"The file is too large to compare line by line (the limit is {MAX_FILE_BYTES // 1_000_000} MB)."
TOO_MANY = f"More than {MAX_FILES:,} files changed; the lines of this one are not kept."
TOO_MUCH = "Too much changed to read it all; the lines of this file are not kept."
NESTED = "This is a separate repository; the lines changed inside it are not compared."
UNREADABLE = "The file could not be read, or it changed while it was being read."
GONE = (
    "The content from the start was not kept and is no longer in the repository: git's garbage collection removes "
    "objects that are not reachable from a branch."
)

Fetch = Callable[[Contents, Sequence[Wanted], Sequence[Wanted]], Found]
"""Writes the contents before and after the changes to their files."""
WhyNot = Callable[[bytes], str | None]
"""Returns why the content of a path was not kept, if known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    """A changed path and the files with its two contents."""

    difference: Difference
    before: Wanted | None
    after: Wanted | None

    def note(self, found: Found, why_not: WhyNot) -> str | None:
        """Return the reason why its lines cannot be shown."""
        states = [found.get(each.target) for each in (self.before, self.after) if each]
        if Fetched.TOO_LARGE in states:
            return TOO_LARGE
        if self.before and self.before.target not in found:
            why = why_not(self.difference.path)
            return f"The content from the start was not kept: {why}." if why else GONE
        return UNREADABLE if None in states else None


@dataclass(kw_only=True, slots=True)
class _Section:
    """Git's output about one file, up to the length that can be kept."""

    text: bytearray = field(default_factory=bytearray)
    whole: bool = True

    def add(self, line: bytes) -> None:
        self.text += line[: MAX_PATCH_LENGTH - len(self.text)]
        self.whole = self.whole and self.text.endswith(line)

    def cut(self, limit: int) -> None:
        self.whole = self.whole and len(self.text) <= limit
        del self.text[limit:]

    def decoded(self) -> str:
        """Return the text, up to its last complete line if it was cut."""
        text = self.text if self.whole else self.text[: self.text.rfind(b"\n") + 1]
        return text.decode("utf-8", "replace").replace("\0", "\ufffd")


def make_patch(
    scanner: Scanner, differences: Sequence[Difference], renames: Sequence[Rename], kept: KeptContents
) -> dict[str, Lines]:
    """Return the lines of each of these changes; a path that was only renamed shows just that."""

    def fetch(contents: Contents, before: Sequence[Wanted], after: Sequence[Wanted]) -> Found:
        return contents.at_start(before, kept) | contents.on_disk(after)

    with scanner.folder.scratch() as scratch:
        contents = Contents(scanner.shadow, scanner.disk, scratch)
        return _patch(differences, renames, contents, fetch=fetch, why_not=kept.why_not)


def make_patch_of_objects(
    shadow: Shadow, differences: Sequence[Difference], renames: Sequence[Rename], scratch: Path
) -> dict[str, Lines]:
    """Return the lines of changes between two trees of a repository, in the same form; `scratch` is an empty folder."""

    def fetch(contents: Contents, before: Sequence[Wanted], after: Sequence[Wanted]) -> Found:
        return contents.in_git([*before, *after])

    contents = Contents(shadow, Disk(shadow.repository.top), scratch)
    return _patch(differences, renames, contents, fetch=fetch, why_not=lambda _: None)


def _patch(
    differences: Sequence[Difference],
    renames: Sequence[Rename],
    contents: Contents,
    *,
    fetch: Fetch,
    why_not: WhyNot,
) -> dict[str, Lines]:
    files = {display_name(each.path): Lines(whole=False, note=TOO_MANY) for each in differences}
    ordered = sorted(differences, key=lambda each: each.path)[:MAX_FILES]
    moved = _moved(ordered, renames)
    rest = [each for each in ordered if display_name(each.path) not in moved]
    nested = {display_name(each.path): Lines(whole=False, note=NESTED) for each in rest if _is_nested(each)}
    compared = _compared([each for each in rest if not _is_nested(each)], contents, fetch=fetch, why_not=why_not)
    return shortened({**files, **moved, **nested, **compared})


def _compared(
    differences: Sequence[Difference], contents: Contents, *, fetch: Fetch, why_not: WhyNot
) -> dict[str, Lines]:
    scratch = contents.scratch
    for side in "ab":
        (scratch / side).mkdir(mode=0o700)
    pairs = [_pair(each, str(number), scratch) for number, each in enumerate(differences)]
    before = [pair.before for pair in pairs if pair.before]
    found = fetch(contents, before, [pair.after for pair in pairs if pair.after])
    lines: dict[str, Lines] = {}
    for pair in pairs:
        note = pair.note(found, why_not)
        sides = [each for each in (pair.before, pair.after) if each]
        for each in sides:
            if note is not None:
                each.target.unlink(missing_ok=True)
            else:
                materialize(each.target, each.entry)
        cut = any(found.get(each.target) is Fetched.BEGINNING for each in sides)
        lines[display_name(pair.difference.path)] = Lines(whole=note is None and not cut, note=note)
    for number, section in _read(scratch, [each.path for each in differences]).items():
        path = display_name(differences[number].path)
        lines[path] = replace(lines[path], text=section.decoded(), whole=lines[path].whole and section.whole)
    return {path: _checked(each) for path, each in lines.items()}


def _checked(lines: Lines) -> Lines:
    """Return the lines of one change; without a text, they are lines that git had no time to show."""
    return lines if lines.text or lines.note else Lines(whole=False, note=TOO_MUCH)


def _pair(difference: Difference, name: str, scratch: Path) -> _Pair:
    def wanted(side: str, entry: ManifestEntry | None, other: ManifestEntry | None) -> Wanted | None:
        target = scratch / side / name
        return Wanted(target=target, path=difference.path, entry=entry, alone=other is None) if entry else None

    return _Pair(
        difference=difference,
        before=wanted("a", difference.old, difference.new),
        after=wanted("b", difference.new, difference.old),
    )


def _read(scratch: Path, paths: Sequence[bytes]) -> dict[int, _Section]:
    """Return git's output about the two folders, by the number that is a file's name in them."""
    with stream(
        "diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--no-prefix", "--", "a",
        "b",
        cwd=scratch,
        # No surrounding repository and no file in the user's home may affect it.
        variables={
            "GIT_CEILING_DIRECTORIES": str(scratch.parent.resolve()),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
        },
        settings=(("core.attributesFile", "/dev/null"),),
        allowed=(0, 1),
        timeout=SECONDS,
    ) as output:  # fmt: skip
        return _sections(output, paths)


def _sections(output: Output, paths: Sequence[bytes]) -> dict[int, _Section]:
    """Yield the output about each file, with its own name filled in."""
    sections: dict[int, _Section] = defaultdict(_Section)
    number, inside, starts = -1, False, True
    for line in _lines(output):
        header = HEADER.fullmatch(line) if starts else None
        text = line
        if header:
            number, inside = int(header[1]), False
            text = b"diff --git " + _names(paths[number]) + b"\n"
            _trim(sections)
        elif starts and not inside:
            inside = line.startswith(b"@@ ")
            text = line if inside else _with_name(line, paths[number])
        sections[number].add(text)
        starts = line.endswith(b"\n")
    return sections


def _trim(sections: Mapping[int, _Section]) -> None:
    """Drop output that will not be kept, before it takes too much memory."""
    lengths = [len(section.text) for section in sections.values()]
    if sum(lengths) > 8 * MAX_PATCH_LENGTH:
        limit = share(lengths, 4 * MAX_PATCH_LENGTH)
        for section in sections.values():
            section.cut(limit)


def _lines(output: Output) -> Iterator[bytes]:
    left = MAX_READ_BYTES
    while left > 0 and (line := output.line(MAX_PATCH_LENGTH)):
        left -= len(line)
        yield line


def _with_name(line: bytes, path: bytes) -> bytes:
    """Return a line of a section's header with the file's own name."""
    if not line.startswith((b"--- ", b"+++ ", b"Binary files ")):
        return line
    # Git marks the end of a name with a space in it.
    end = b"\t" if b" " in path and line.startswith((b"--- ", b"+++ ")) else b""
    return NAMES.sub(lambda found: _quoted(found[0][:2] + path) + end, line)


def _names(path: bytes) -> bytes:
    return _quoted(b"a/" + path) + b" " + _quoted(b"b/" + path)


def _quoted(name: bytes) -> bytes:
    """Return the name as git writes it in a patch."""
    text = display_name(name)
    plain = text.isprintable() and not text.startswith('"') and "\\" not in text and '"' not in text
    return name if plain else quoted(name).encode()


def _moved(differences: Sequence[Difference], renames: Sequence[Rename]) -> dict[str, Lines]:
    """Return the patch text for a file that was moved without a change, with both names."""
    entries = {display_name(each.path): each.old or each.new for each in differences}
    moved: dict[str, Lines] = {}
    for rename in renames:
        source, target = original(rename.source), original(rename.target)
        old, new = (_mode(entries.get(name)) for name in (rename.source, rename.target))
        modes = b"old mode %s\nnew mode %s\n" % (old, new) if old != new else b""
        text = (
            b"diff --git %s %s\n%ssimilarity index 100%%\nrename from %s\nrename to %s\n"
            % (_quoted(b"a/" + source), _quoted(b"b/" + target), modes, _quoted(source), _quoted(target))
        ).decode("utf-8", "replace")
        if rename.source in entries and rename.target in entries:
            moved |= {rename.source: Lines(text=text), rename.target: Lines(text=text)}
    return moved


def _mode(entry: ManifestEntry | None) -> bytes:
    return entry.split(b" ")[1] if entry else b""


def _is_nested(difference: Difference) -> bool:
    return LINK in (_mode(difference.old), _mode(difference.new))
