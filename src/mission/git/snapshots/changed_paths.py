"""Turn the difference between two manifests into a list of changes for a person or an agent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mission.domain.tasks.changes import Rename
from mission.git.file_names import display_name
from mission.git.snapshots.manifest import Difference, content_of


def sort_paths(differences: Iterable[Difference]) -> tuple[list[str], list[str], list[str]]:
    """Return added, modified and deleted paths, sorted; each path is in only one of the lists."""
    added, modified, deleted = [], [], []
    for difference in differences:
        if difference.old is None:
            added.append(display_name(difference.path))
        elif difference.new is None:
            deleted.append(display_name(difference.path))
        else:
            modified.append(display_name(difference.path))
    return sorted(added), sorted(modified), sorted(deleted)


def find_renames(differences: Iterable[Difference]) -> list[Rename]:
    """Return pairs of a deleted and an added path with the same content; of several candidates the same name wins."""
    sources: dict[bytes, list[bytes]] = defaultdict(list)
    targets: dict[bytes, list[bytes]] = defaultdict(list)
    for difference in differences:
        if difference.new is None and difference.old is not None:
            sources[content_of(difference.old)].append(difference.path)
        elif difference.old is None and difference.new is not None:
            targets[content_of(difference.new)].append(difference.path)
    pairs = [pair for content in sources for pair in _paired(sources[content], targets.get(content, []))]
    return sorted(
        (Rename(source=display_name(old), target=display_name(new)) for old, new in pairs), key=lambda pair: pair.source
    )


def _paired(sources: list[bytes], targets: list[bytes]) -> list[tuple[bytes, bytes]]:
    left, free = sorted(sources), sorted(targets)
    pairs = []
    for source in list(left):
        if twin := next((target for target in free if _name(target) == _name(source)), None):
            pairs.append((source, twin))
            left.remove(source)
            free.remove(twin)
    return pairs + list(zip(left, free, strict=False))


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
