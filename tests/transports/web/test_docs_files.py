"""The documentation at /docs: anyone who reaches the daemon can read it, and nothing outside of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mission.transports.web import docs_files
from mission.transports.web.docs_files import DocsFiles
from tests.transports.live_server import Live

WITHOUT_TOKEN = {"Authorization": None}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site, next to something that is not part of it."""
    built = tmp_path / "docs"
    (built / "howto" / "prove-work").mkdir(parents=True)
    (built / "index.html").write_text("<title>Documentation</title>")
    (built / "howto" / "prove-work" / "index.html").write_text("<title>Prove work</title>")
    (tmp_path / "token").write_text("secret")
    (built / "link").symlink_to(tmp_path / "token")
    return built


@pytest.fixture
def client(site: Path) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=DocsFiles(files=site).routes())) as client:
        yield client


def test_a_page_is_found_by_its_folder_and_a_missing_one_leads_to_the_first(client: TestClient) -> None:
    assert "Documentation" in client.get("/docs").text
    assert "Prove work" in client.get("/docs/howto/prove-work/").text
    missing = client.get("/docs/howto/nothing/")
    assert (missing.status_code, 'href="/docs/"' in missing.text) == (404, True)


@pytest.mark.parametrize(
    "path", ["../token", "%2e%2e/token", "howto/../../token", "..%2ftoken", "%00", "link", "//etc/passwd"]
)
def test_nothing_outside_of_the_folder_is_served(client: TestClient, path: str) -> None:
    answer = client.get(f"/docs/{path}")

    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_a_browser_asks_whether_its_copy_is_current(client: TestClient) -> None:
    first = client.get("/docs/")

    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/docs/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_without_a_built_site_a_page_says_where_the_documentation_is(site: Path, client: TestClient) -> None:
    (site / "index.html").unlink()

    answer = client.get("/docs/")

    assert (answer.status_code, "make docs" in answer.text) == (404, True)


def test_the_daemon_serves_it_without_a_token_under_the_policy_of_the_page(
    live: Live,
) -> None:
    answer = live.request("GET", "/docs/", headers=WITHOUT_TOKEN)

    assert answer.status == (200 if (docs_files.FILES / "index.html").is_file() else 404)
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'; script-src 'self'" in answer.headers["content-security-policy"]
    assert live.request("GET", "/docs/", headers={**WITHOUT_TOKEN, "Host": "evil.example"}).status == 403
    assert live.request("POST", "/docs/", b"", headers=WITHOUT_TOKEN).status in (404, 405)
    assert live.request("GET", "/docs/../api/missions", headers=WITHOUT_TOKEN).status in (401, 404)
