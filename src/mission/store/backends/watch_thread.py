"""A thread that watches until it is told to end."""

from __future__ import annotations

import threading
from collections.abc import Callable


def in_thread(name: str, body: Callable[[threading.Event], None]) -> Callable[[], None]:
    """Run the body, which ends when its event is set; the result sets it and waits for the end."""
    stop = threading.Event()
    thread = threading.Thread(target=body, args=(stop,), name=name, daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end
