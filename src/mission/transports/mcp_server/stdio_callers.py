"""The caller on the other end of standard input: the operator, or the agent of an access token or an option."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from mission.gateway.caller import Caller, ReportProgress, listed_toolsets
from mission.services.agents.access_tokens import Bearer


class StdioCallers:
    """Creates the caller of each message; an access token is checked every time, because it may be revoked."""

    def __init__(
        self,
        *,
        toolsets: str,
        asked: str | None = None,
        agent: str | None = None,
        directory: str | None = None,
        bearer: Callable[[], Awaitable[Bearer | None]] | None = None,
    ) -> None:
        """Use `toolsets` if neither the client `asked` for some nor its access token chooses. `bearer` returns the
        owner of the access token."""
        self._toolsets = toolsets
        self._asked = asked
        self._agent = agent
        self._directory = directory
        self._bearer = bearer

    @property
    def are_operator(self) -> bool:
        """Return whether every caller is the operator, who sees all tools."""
        return self._agent is None and self._bearer is None

    async def caller(self, *, key: str | None = None, progress: ReportProgress | None = None) -> Caller:
        bearer = await self._bearer() if self._bearer is not None else None
        return Caller(
            transport="stdio",
            bearer=bearer,
            toolsets=listed_toolsets(self._asked, bearer, self._toolsets),
            agent=self._agent,
            directory=self._directory,
            key=key,
            progress=progress,
        )
