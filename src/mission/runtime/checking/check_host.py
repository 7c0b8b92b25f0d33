"""The services of this machine for checks: an environment, free ports, and counts from test reports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mission.domain.checks.environment import check_environment
from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.checks.junit import TestCounts
from mission.domain.checks.slot import TreeSlot
from mission.runtime.checking.junit_files import junit_counts


class LocalCheckHost:
    """This machine, as the checks of its worktrees see it."""

    def environment(
        self, *, path: str | None, variables: Mapping[str, str], task_id: str | None, slot: TreeSlot
    ) -> dict[str, str]:
        """Return the complete environment of a check."""
        return check_environment(os.environ, path=path, env=variables, task_id=task_id, slot=slot)

    def count_tests(self, folder: Path, *, glob: str | None, since: float) -> TestCounts | None:
        """Return the number of tests in the reports written since then; None without a report."""
        return junit_counts(folder, since=since, matches=compile_glob(glob).matches if glob is not None else None)
