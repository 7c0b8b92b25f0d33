"""Sends a webhook's request: short, without following redirections, and with no answer where there is trouble."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

log = logging.getLogger(__name__)

SECONDS = 10.0


async def post(url: str, *, body: bytes, headers: Mapping[str, str]) -> int | None:
    """Return the status of the receiver's answer, or None if there was none."""
    import httpx2  # deferred: only those who set a webhook need it

    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would write the address, which may be a secret
    try:
        async with asyncio.timeout(SECONDS), httpx2.AsyncClient(timeout=SECONDS) as client:
            answer = await client.post(url, content=body, headers=dict(headers))
            return answer.status_code
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as error:
        log.info("the webhook cannot be reached: %s", type(error).__name__)
        return None
