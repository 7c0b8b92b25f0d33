"""The contents that are kept when a task starts: of files that differ from HEAD, since no commit has them."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

LEFT_OUT = "left-out"


class Kept:
    """The contents kept for one snapshot, by id, and the paths that were left out, with the reason.

    A file that is missing or damaged holds nothing: whoever asks is told that a content was not kept.
    """

    def __init__(self, file: Path) -> None:
        self._archive: zipfile.ZipFile | None = None
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

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()


def packed(contents: Mapping[str, Path], left_out: Mapping[bytes, str]) -> bytes:
    """Contents, which lie in these files, by id, and what was left out, as one compressed file."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        # JSON has no bytes: latin-1 maps each byte to one character.
        archive.writestr(LEFT_OUT, json.dumps({path.decode("latin-1"): why for path, why in left_out.items()}))
        for id, file in contents.items():
            archive.writestr(id, file.read_bytes())
    return stored.getvalue()
