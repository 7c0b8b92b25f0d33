"""The build hook: builds the page for an install from source, with a temporary Node from a wheel."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        page = self._builder()
        return [] if page is None or page.is_fresh() or page.is_being_built() else [page.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        page = self._builder()
        if page is not None:
            page.build()

    def _builder(self) -> ModuleType | None:
        """Return web/build.py; None in a source distribution, which has the built page but not its sources."""
        file = Path(self.root) / "web" / "build.py"
        spec = importlib.util.spec_from_file_location("page_build", file) if file.is_file() else None
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
