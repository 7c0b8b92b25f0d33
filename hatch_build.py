"""The build hook: builds the page and the documentation for an install from source, with tools from wheels."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SiteHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        page, docs = self._builder("web"), self._docs()
        node = [] if page is None or page.is_fresh() or page.is_being_built() else [page.NODE_WHEEL]
        return node if docs is None or docs.is_fresh() else [*node, docs.GENERATOR]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        for builder in (self._builder("web"), self._docs()):
            if builder is not None:
                builder.build()

    def _docs(self) -> ModuleType | None:
        """Return docs/build.py unless it is unwanted: `make run` starts sooner without the documentation."""
        return None if os.environ.get("WITHOUT_DOCS") else self._builder("docs")

    def _builder(self, folder: str) -> ModuleType | None:
        """Return the folder's build.py; None in a source distribution, which has what it builds but not its sources."""
        file = Path(self.root) / folder / "build.py"
        spec = importlib.util.spec_from_file_location(f"{folder}_build", file) if file.is_file() else None
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
