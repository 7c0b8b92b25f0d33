"""Which failures are tried again, and how often."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest
from sqlalchemy.exc import OperationalError

from mission.domain.errors import InvalidInput, OutcomeUnknown, StorageFull, TransientError
from mission.gateway.retry import Retry, is_passing


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (TransientError(), True),
        (StorageFull(), False),
        (OutcomeUnknown(), False),
        (InvalidInput("the connection is wrong"), False),
        (ConnectionResetError(), True),
        (TimeoutError(), True),
        (OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH)), True),
        (OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH)), True),
        (OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)), True),
        (OSError(errno.ENOENT, os.strerror(errno.ENOENT)), False),
        (OSError("Network is unreachable"), False),
        (ValueError("the connection timeout must be a number"), False),
        (type("ConnectionSettingsError", (Exception,), {})(), False),
        (OperationalError("select", {}, Exception("connection lost")), False),
        (asyncio.CancelledError("timeout"), False),
        (KeyboardInterrupt("connection"), False),
    ],
)
def test_a_failure_passes_by_its_class_and_never_by_its_words(error, passing):
    assert is_passing(error) is passing


class Attempts:
    def __init__(self, *errors):
        self.left = list(errors)
        self.count = 0

    async def __call__(self):
        self.count += 1
        if self.left:
            raise self.left.pop(0)
        return "done"


@pytest.mark.parametrize(
    ("errors", "count"), [([], 1), ([TransientError()], 2), ([TransientError(), ConnectionError()], 3)]
)
async def test_a_passing_failure_is_tried_again_until_it_succeeds(errors, count):
    attempts = Attempts(*errors)

    assert await Retry(pause=0).run(attempts) == "done"
    assert attempts.count == count


async def test_the_last_failure_is_the_one_that_is_raised():
    attempts = Attempts(TransientError("one"), TransientError("two"), TransientError("three"))

    with pytest.raises(TransientError, match="three"):
        await Retry(pause=0).run(attempts)
    assert attempts.count == 3


@pytest.mark.parametrize("attempts_allowed", [1, 2, 5])
async def test_the_number_of_attempts_counts_the_first_one(attempts_allowed):
    attempts = Attempts(*[TransientError() for _ in range(9)])

    with pytest.raises(TransientError):
        await Retry(attempts=attempts_allowed, pause=0).run(attempts)
    assert attempts.count == attempts_allowed


async def test_a_failure_that_lasts_and_one_that_would_do_harm_are_not_tried_again():
    lasting, harmful = Attempts(ValueError("wrong")), Attempts(TransientError())

    with pytest.raises(ValueError, match="wrong"):
        await Retry(pause=0).run(lasting)
    with pytest.raises(TransientError):
        await Retry(pause=0).run(harmful, harmless=lambda: False)
    assert (lasting.count, harmful.count) == (1, 1)
