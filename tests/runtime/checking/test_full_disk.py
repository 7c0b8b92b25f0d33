"""Checks on a full disk: an error with its cause, never a passed check, and never the wrong folder removed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mission.runtime.checking.check_process import Checks
from tests.runtime.checking.conftest import Run, Start, until

PYTHON = shlex.quote(sys.executable)
MOUNTED_BYTES = 256 * 1024


@contextmanager
def small_disk_at(path: Path) -> Iterator[None]:
    """Mount a file system that is soon full."""
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MOUNTED_BYTES}", "none", str(path)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill(folder: Path) -> None:
    with (folder / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        for _ in range(2 * MOUNTED_BYTES // 512):
            ballast.write(bytes(512))


@pytest.fixture
def small_home(home: Path) -> Iterator[None]:
    with small_disk_at(home):
        yield


@pytest.fixture(autouse=True)
def safe_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in a folder that must still be complete in the end."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "file").touch()
    monkeypatch.chdir(tmp_path / "here")
    yield
    assert Path("file").exists()


@pytest.mark.usefixtures("small_home")
async def test_output_that_fills_the_disk_makes_a_passed_check_an_error(checks: Checks, start: Start):
    evidence_id = await start(f"{PYTHON} -c 'print((chr(120) * 99 + chr(10)) * 9999)'; exit 0")

    end = await checks.wait(evidence_id)

    assert end.error == "its output could not be stored: No space left on device"
    assert (end.exit_code, end.passed, end.output_bytes) == (None, False, 999_901)
    assert end.tail.endswith(" bytes could not be stored …]\n")
    assert set(checks.output(evidence_id).read_text().splitlines()[:-2]) == {"x" * 99}


@pytest.mark.usefixtures("small_home")
async def test_on_a_full_disk_a_check_does_not_start_and_says_so(checks: Checks, run: Run, home: Path):
    fill(home)

    end = await run("true", environment={"LONG": "x" * 10_000})

    assert end.error == "it could not be started: No space left on device"
    assert not end.passed
    assert checks.stored() == []


@pytest.mark.usefixtures("small_home")
async def test_an_end_that_cannot_be_recorded_is_an_error(checks: Checks, start: Start, home: Path, tree: Path):
    evidence_id = await start("touch ready; until [ -e continue ]; do sleep 0.01; done")
    await until((tree / "ready").exists)
    fill(home)
    (tree / "continue").touch()

    end = await checks.wait(evidence_id)

    assert end.error == "its end could not be recorded: the disk of MISSION_HOME is full, or the folder is not writable"
    assert not end.passed
    assert await checks.wait(evidence_id) == end


async def test_a_check_that_fails_on_a_full_disk_is_an_error(run: Run, tmp_path: Path):
    with small_disk_at(tmp_path / "full"):
        end = await run("dd if=/dev/zero of=data bs=4096 count=999", directory=tmp_path / "full")

    assert (end.exit_code, end.error) == (None, "there is no space left on the disk it writes to")
