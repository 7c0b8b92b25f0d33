"""What is asked of the tasks of a simulated mission, and how a command finds out whether it was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Files = Mapping[str, str]

SHARED = "shared.txt"
"""A file that several tasks have to add a line to."""
SOUND = "sound"
"""The check of every task: nothing in the tree is broken."""
FEW = "few-extras"
"""A check that two results pass alone and fail together."""
BROKEN = "broken"
LOCK = "uv.lock"
"""A file that a command makes from the others, and that says what a worktree is set up with."""
INSTALL, MAKE_LOCK = "install", "lock"
ADDED = "added"
"""The task that a person adds while the mission runs."""
REPAIR = "repair"
"""What the final checks ask for and no task of the plan does."""
MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """What one task has to achieve: a line in a file."""

    name: str
    path: str
    is_covered: bool = True
    """Whether a check of its own asks for the line."""

    @property
    def line(self) -> str:
        return f"{self.name} is done"

    @property
    def exam(self) -> str:
        """The file of the repository that says what the check asks for."""
        return f"tests/{self.name}.txt"

    @property
    def check(self) -> dict[str, object]:
        return {"name": f"exam {self.name}", "run": f"exam {self.name}", "tests": ["tests/**"]}

    def is_met(self, files: Files) -> bool:
        """Return whether the task is really done in this tree."""
        return self.line in files.get(self.path, "").splitlines()


def judge(command: str, files: Files) -> bool:
    """Return whether a command passes on these files."""
    name, _, about = command.partition(" ")
    if name == SOUND:
        is_locked = LOCK not in files or files[LOCK] == lock_of(files)
        return is_locked and not any(BROKEN in text or MARKERS[0] in text for text in files.values())
    if name == FEW:
        return sum(path.startswith("extra/") for path in files) <= 1
    if name == "exam":
        path, _, line = files.get(f"tests/{about}.txt", "nothing: nothing").strip().partition(": ")
        return line in files.get(path, "").splitlines()
    return command == "true"


def without_markers(text: str) -> str:
    """Return a file with both sides of each conflict and without the markers, each line once."""
    lines = [line for line in text.splitlines() if not line.startswith(MARKERS)]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def lock_of(files: Files) -> str:
    """Return what the lock file has to contain."""
    return "".join(f"{path}\n" for path in sorted(files) if path.startswith("src/"))


def inputs_of(files: Files) -> str:
    """Return a digest of the files that a setup depends on."""
    return f"installed {files.get(LOCK)}"
