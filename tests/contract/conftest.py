"""`--rewrite` writes the generated files anew instead of comparing them."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite tests/contract/tools and docs/reference")


@pytest.fixture
def rewrite(pytestconfig: pytest.Config) -> bool:
    """Whether a difference is wanted; in the whole run, which reads this file late, it never is."""
    return bool(pytestconfig.getoption("--rewrite", default=False))
