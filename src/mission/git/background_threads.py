"""Threads that the end of the program does not wait for: a file system that does not answer may hold one forever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class ThreadStarter(Protocol):
    """Begins a function in a thread of its own."""

    def __call__(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]: ...


def in_background(function: Callable[..., Result], *arguments: Any, name: str = "background") -> Future[Result]:
    """What the function will answer, from a thread of its own."""
    future: Future[Result] = Future()

    def body() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = function(*arguments)
        except BaseException as error:  # noqa: BLE001 (whoever waits for it gets it)
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=body, name=name, daemon=True).start()
    return future


@contextmanager
def side_by_side() -> Iterator[ThreadStarter]:
    """Begin functions in threads of their own; at the end all have ended."""
    begun: list[Future[Any]] = []

    def start(function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        future = in_background(function, *arguments)
        begun.append(future)
        return future

    try:
        yield start
    finally:
        wait(begun)
