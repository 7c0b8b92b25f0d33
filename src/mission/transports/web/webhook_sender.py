"""Send a webhook's request with a short timeout and without following redirects."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

log = logging.getLogger(__name__)

SECONDS = 10.0


async def post(url: str, *, body: bytes, headers: Mapping[str, str]) -> int | None:
    """Return the status of the receiver's answer, or None if there was none."""
    import httpx2  # deferred: only needed with a webhook

    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would log the address, which may be secret
    try:
        async with asyncio.timeout(SECONDS), httpx2.AsyncClient(timeout=SECONDS) as client:
            answer = await client.post(url, content=body, headers=dict(headers))
            return answer.status_code
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as error:
        log.info("the webhook cannot be reached: %s", type(error).__name__)
        return None
