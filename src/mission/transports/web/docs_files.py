"""The documentation at /docs: the files of its built site, which hold no data and need no access token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from mission.transports.web import page_files

FILES = Path(__file__).parents[2] / "docs"
ADDRESS = "/docs"
POLICY = page_files.POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""The generator's search draws itself with a style element; scripts are files of our own, as on the page."""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mission Control: documentation</title></head>
<body><h1>{title}</h1>
<p>{text}</p></body></html>
"""
NOT_BUILT = PAGE.format(
    title="The documentation is not built here",
    text="Read it in the folder <code>docs</code> of the source, starting with <code>docs/index.md</code>. "
    "In a clone of the source, <code>make docs</code> builds it; then reload this page.",
)
NOT_FOUND = PAGE.format(
    title="This page of the documentation does not exist",
    text=f'Start at the <a href="{ADDRESS}/">first page</a>, or use its search.',
)


def is_docs(path: str) -> bool:
    return path == ADDRESS or path.startswith(f"{ADDRESS}/")


class DocsFiles(StaticFiles):
    """Serves the built site, or says where the documentation is."""

    def __init__(self, *, files: Path = FILES) -> None:
        super().__init__(directory=files, html=True, check_dir=False)
        self._index = files / "index.html"

    def routes(self) -> list[Mount]:
        return [Mount(ADDRESS, self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._index.is_file():
            await HTMLResponse(NOT_BUILT, status_code=404)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or a page that says that there is none: a missing page is not one of the page's routes."""
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            return HTMLResponse(NOT_FOUND, status_code=404)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Let a browser ask whether its copy is still current: the next version has the same addresses."""
        answer = super().file_response(*args, **kwargs)
        answer.headers["Cache-Control"] = "no-cache"
        return answer
