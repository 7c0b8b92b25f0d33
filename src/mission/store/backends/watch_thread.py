"""A thread that watches until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable


def in_thread(name: str, body: Callable[[threading.Event], None]) -> Callable[[], None]:
    """Start the body in a thread; return a function that sets its event and waits for its end."""
    stop = threading.Event()
    thread = threading.Thread(target=body, args=(stop,), name=name, daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end
