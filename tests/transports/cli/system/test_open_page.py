"""`mission open`: a link that signs in once, or one to the documentation, which needs no sign-in."""

from __future__ import annotations

from tests.transports.cli.program import Program


def test_the_link_to_the_page_signs_in_and_the_one_to_the_documentation_does_not(mission: Program) -> None:
    page = mission.run("open", "--print")
    docs = mission.run("open", "--docs", "--print")

    assert "/open#" in page.out
    assert "sign in" in page.err
    assert (docs.code, docs.out.endswith("/docs/\n"), docs.err) == (0, True, "")
