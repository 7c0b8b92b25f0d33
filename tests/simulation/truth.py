"""Count what agents said and what was true: false reports that were caught, and true ones that were refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mission.domain.runs.candidate import SENT_BACK, CandidateState
from tests.simulation.agents import Report
from tests.simulation.mission import Outcome


class Truth:
    """Sums over missions. Each is a plain number, so that several processes can be added up."""

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()

    def add(self, outcome: Outcome) -> None:
        """Count one mission."""
        sums = self._sums
        reports: dict[str, list[Report]] = {}
        for said in outcome.reports:
            reports.setdefault(said.execution_id, []).append(said)
        for each in outcome.candidates:  # an agent that is told what failed may report several times
            report = next(iter(reports.get(each.execution_id or "", ())), None)
            if report is None or report.task not in outcome.tasks.values():
                continue
            reports[report.execution_id].pop(0)
            sums["reports"] += 1
            merged = each.state is CandidateState.MERGED
            if report.is_true:
                sums["true_reports"] += 1
                sums["true_refused"] += int(each.state in SENT_BACK and self._is_blamed(each.reason))
            else:
                sums["false_reports"] += 1
                sums["false_caught"] += int(not merged)
                sums["false_accepted"] += int(merged and each.task_id in outcome.accepted)
        sums["merged"] += outcome.merged
        sums["wrong_merged"] += len(outcome.wrong)
        sums["minutes"] += outcome.minutes  # type: ignore[assignment]
        sums["waited"] += outcome.waited  # type: ignore[assignment]
        sums["usd"] += outcome.usd  # type: ignore[assignment]
        sums["deaths"] += outcome.deaths
        sums["answers"] += outcome.answers

    def as_dict(self) -> dict[str, Any]:
        return dict(self._sums)

    @staticmethod
    def _is_blamed(reason: str | None) -> bool:
        """Return whether a result was sent back for a failure; a conflict or a failure together with others is none."""
        words = reason or ""
        return "conflict" not in words and "Each side passed alone" not in words
