"""The contents kept when a task starts: those of files that differ from HEAD, since no commit has them."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

LEFT_OUT = "left-out"


class KeptContents:
    """The contents kept for one snapshot, by id, and the paths that were left out, with the reason.

    A missing or damaged file has no contents: each one then counts as not kept. `failure` says why
    nothing was kept at all.
    """

    def __init__(self, file: Path, *, failure: str | None = None) -> None:
        self._archive: zipfile.ZipFile | None = None
        self._failure = failure
        self.left_out: Mapping[bytes, str] = {}
        try:
            self._archive = zipfile.ZipFile(file)
            reasons = json.loads(self._archive.read(LEFT_OUT))
            self.left_out = {path.encode("latin-1"): str(reason) for path, reason in reasons.items()}
        except (OSError, ValueError, KeyError, AttributeError, EOFError, zlib.error, zipfile.BadZipFile):
            return

    def content(self, id: str) -> bytes | None:
        if self._archive is None:
            return None
        try:
            return self._archive.read(id)
        except (OSError, ValueError, KeyError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError):
            return None

    def why_not(self, path: bytes) -> str | None:
        """Return why the content of this path was not kept, if known."""
        return self.left_out.get(path, self._failure)

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()


class Packing:
    """Contents being written to one compressed file, which `Kept` reads."""

    def __init__(self) -> None:
        self._stored = io.BytesIO()
        self._archive = zipfile.ZipFile(self._stored, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._ids: set[str] = set()

    def add(self, id: str, content: bytes) -> None:
        if id not in self._ids:
            self._ids.add(id)
            self._archive.writestr(id, content)

    def packed(self, left_out: Mapping[bytes, str]) -> bytes:
        """Finish the file, including the list of paths left out; nothing can be added after this."""
        # JSON has no bytes: latin-1 maps each byte to one character.
        reasons = {path.decode("latin-1"): why for path, why in left_out.items()}
        self._archive.writestr(LEFT_OUT, json.dumps(reasons))
        self._archive.close()
        return self._stored.getvalue()
