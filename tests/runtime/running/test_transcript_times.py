"""What an execution showed, put together from its pieces."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from mission.runtime.runner import transcript
from mission.runtime.runner.transcript import Transcript
from mission.runtime.running.screen import cast


def test_a_transcript_of_several_pieces_never_goes_back_in_time(tmp_path: Path, monkeypatch) -> None:
    """Several pieces begin within a second, and their headers count whole seconds."""
    now = 100.0
    monkeypatch.setattr(transcript, "time", SimpleNamespace(time=lambda: now, monotonic=lambda: now))
    written = Transcript(str(tmp_path), rows=24, columns=80, title="t", piece_bytes=150)
    for step in range(40):
        now = 100.1 + step * 0.3
        written.output(b"x" * 40, stream="out")
        if step == 20:
            written.typed(b"secret")
    written.close()

    shown = cast(tmp_path)

    assert len(transcript.pieces(str(tmp_path))) > 2
    assert shown is not None
    _, *events = map(json.loads, shown.splitlines())
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    assert abs(times[-1] - (now - 100.0)) < 1.0
    assert "secret" not in shown
