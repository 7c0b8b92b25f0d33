"""Threads that do not delay the end of the program: an unresponsive file system may block one forever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class ThreadStarter(Protocol):
    """A callable that starts a function in a thread of its own."""

    def __call__(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]: ...


def in_background(function: Callable[..., Result], *arguments: Any, name: str = "background") -> Future[Result]:
    """Run the function in a thread of its own and return its future."""
    future: Future[Result] = Future()

    def body() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = function(*arguments)
        except BaseException as error:  # noqa: BLE001 (the caller that waits for the result gets it)
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=body, name=name, daemon=True).start()
    return future


@contextmanager
def side_by_side() -> Iterator[ThreadStarter]:
    """Yield a way to start functions in threads of their own; wait for all of them at the end."""
    begun: list[Future[Any]] = []

    def start(function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        future = in_background(function, *arguments)
        begun.append(future)
        return future

    try:
        yield start
    finally:
        wait(begun)
