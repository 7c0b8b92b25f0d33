"""A repository of our own for a rebuilt tree: it reads the objects of the user's repository and writes nothing there.

It has the user's branches, tags and history, so that `git log`, `describe`, `diff` and `ls-files` work in the tree. Of
the user's configuration it has only settings that decide how files look, and none that names a program.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from mission.git.command import LONG, OURS, GitResult, Settings, run
from mission.git.file_names import quoted
from mission.git.safe_reading import read
from mission.git.snapshots.manifest import ManifestEntry
from mission.git.snapshots.repository_facts import RepositoryFacts
from mission.git.snapshots.shadow_repository import CHOSEN, MAX_RULES_BYTES, chosen_rules

COPIED = ("info/attributes", "info/exclude", "shallow")
NO_BRANCH = "ref: refs/heads/none\n"
ANY_NAME: Settings = (("core.protectNTFS", "false"), ("core.protectHFS", "false"))


class PrivateRepository:
    """The repository at `top`, made from the user's repository `source`; it will be used at the path `final`."""

    def __init__(self, top: Path, source: RepositoryFacts, *, final: Path) -> None:
        self.top = top
        self.git_dir = top / ".git"
        self._source = source
        self._final = final

    def create(self, head: str | None) -> None:
        """Create it with this commit checked out, and no file yet."""
        for name in ("objects/info", "refs", "info"):
            (self.git_dir / name).mkdir(parents=True)
        (self.git_dir / "HEAD").write_text(f"{head}\n" if head else NO_BRANCH)
        objects = quoted(os.fsencode(self._source.common_dir / "objects"))
        (self.git_dir / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        for name in COPIED:
            with suppress(OSError):
                (self.git_dir / name).write_bytes(read(self._source.common_dir, name, limit=MAX_RULES_BYTES))
        for name in CHOSEN:
            chosen = self._source.setting(name)
            if chosen is not None:
                (self.git_dir / name).write_bytes(chosen_rules(self._source, chosen))
        (self.git_dir / "packed-refs").write_bytes(self._refs())
        (self.git_dir / "config").write_text(self._config(), errors="surrogateescape")

    def has_commit(self, id: str) -> bool:
        return self.run("cat-file", "-e", f"{id}^{{commit}}", allowed=(0, 1, 128)).code == 0

    def missing(self, ids: Collection[str]) -> set[str]:
        """Return those of these blobs that neither repository has."""
        names = "".join(f"{id}\n" for id in ids).encode()
        rows = [line.split() for line in self.run("cat-file", "--batch-check", stdin=names).out.splitlines()]
        return set(ids) - {row[0].decode() for row in rows if row[1:2] == [b"blob"]}

    def add_blob(self, id: str, content: bytes) -> bool:
        """Store a content, if it is the one with this id."""
        stored = b"blob %d\0%s" % (len(content), content)
        if hashlib.new(self._source.object_format, stored).hexdigest() != id:
            return False
        path = self.git_dir / "objects" / id[:2] / id[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(stored, 1))
        return True

    def check_out(self, entries: Mapping[bytes, ManifestEntry]) -> None:
        """Write these files, whose contents exist, as git would: with their modes, links and line endings."""
        index = self.git_dir / "building-index"
        try:
            self.add_to_index(entries, index=index)
            self.run("checkout-index", "--all", "--quiet", index=index)
        finally:
            index.unlink(missing_ok=True)

    def add_to_index(self, entries: Mapping[bytes, ManifestEntry], *, index: Path | None = None) -> None:
        # 'H 100644 <id> 0' without its tag is what --index-info reads.
        lines = b"".join(b"%s\t%s\0" % (value[2:], path) for path, value in entries.items())
        if lines:
            self.run("update-index", "-z", "--replace", "--index-info", index=index, stdin=lines)

    def read_head(self) -> None:
        """Fill the index with the files of the commit that is checked out."""
        self.run("read-tree", "HEAD")

    def refresh(self) -> None:
        """Record the times of files in the index, so that git does not have to read them."""
        self.run("update-index", "-q", "--refresh", allowed=(0, 1))

    def ignored(self, names: Collection[bytes]) -> set[bytes]:
        """Return those of these paths that git ignores here; the names of folders end with a slash."""
        # This command refuses literal pathspecs; after './' no name is anything else.
        listed = b"".join(b"./%s\0" % name for name in names)
        options = {"GIT_LITERAL_PATHSPECS": "0"}
        found = self.run("check-ignore", "-z", "--stdin", stdin=listed, allowed=(0, 1), variables=options).out
        return {name.removeprefix(b"./") for name in found.split(b"\0")[:-1]}

    def files_of(self, commit: str) -> dict[bytes, ManifestEntry]:
        """Return the files of a commit as entries of a manifest."""
        rows = self.run("ls-tree", "-r", "-z", "--full-tree", commit).out.split(b"\0")[:-1]
        found = (row.partition(b"\t")[::2] for row in rows)
        return {path: b"H %s %s 0" % (facts.split()[0], facts.split()[2]) for facts, path in found}

    def run(
        self,
        *arguments: str,
        index: Path | None = None,
        stdin: bytes = b"",
        allowed: tuple[int, ...] = (0,),
        variables: Mapping[str, str] | None = None,
    ) -> GitResult:
        """Run one git command here, without any configuration of the user."""
        return run(
            *arguments,
            cwd=self.top,
            variables={
                "GIT_DIR": str(self.git_dir),
                "GIT_WORK_TREE": str(self.top),
                "GIT_INDEX_FILE": str(index or self.git_dir / "index"),
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_NOSYSTEM": "1",
                **(variables or {}),
            },
            settings=(*self._settings(self.git_dir), *ANY_NAME),
            stdin=stdin,
            allowed=allowed,
            timeout=LONG,
            umask=OURS,
        )

    def _settings(self, git_dir: Path) -> Settings:
        chosen = {f"core.{name}": str(git_dir / name) for name in CHOSEN if (self.git_dir / name).exists()}
        return tuple({**dict(self._source.settings), **chosen}.items())

    def _refs(self) -> bytes:
        """Return the user's branches and tags in git's own form."""
        return run("for-each-ref", "--format=%(objectname) %(refname)", cwd=self._source.top, timeout=LONG).out

    def _config(self) -> str:
        rows = [
            f"\t{key.partition('.')[2]} = {_escaped(value)}\n" for key, value in self._settings(self._final / ".git")
        ]
        return (
            f"[core]\n\trepositoryformatversion = 1\n\tbare = false\n{''.join(rows)}"
            f"[extensions]\n\tobjectFormat = {self._source.object_format}\n[gc]\n\tauto = 0\n"
        )


def _escaped(value: str) -> str:
    """Return a value as git's configuration spells it."""
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
