"""A daemon with short leases whose clock a test can set: `quick_daemon.py LEASE FILE up`, with seconds in FILE."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mission.domain import timestamps

LEASE = timedelta(seconds=float(sys.argv.pop(1)))
SHIFT = Path(sys.argv.pop(1))


def shifted() -> datetime:
    """Return the time on a clock that somebody has set."""
    return datetime.now(UTC) + timedelta(seconds=float(SHIFT.read_text()))


timestamps.utc_now = shifted  # before anything else takes it from there

from mission.__main__ import main  # noqa: E402
from mission.domain.checks import round as check_round  # noqa: E402
from mission.domain.runs import run  # noqa: E402
from mission.runtime.launching import launcher  # noqa: E402
from mission.services.checks import checker  # noqa: E402
from mission.services.runs import driver  # noqa: E402

run.HOLDER_LEASE = check_round.HOLDER_LEASE = LEASE
driver.LOOK_SECONDS = checker.LOOK_SECONDS = launcher.LOOK_SECONDS = 0.5

if __name__ == "__main__":
    main()
