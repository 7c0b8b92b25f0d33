"""Programs that a repository names are not run; those that the user's own configuration names are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.git.worktrees.repository_programs import for_network, without_filters
from tests.git.real_repositories import Repo


@pytest.fixture
def users(repo: Repo, home: Path) -> Repo:
    """The repository, and a user who has a filter, a way to connect and a credential helper."""
    (home / ".gitconfig").write_text(
        '[filter "lfs"]\n\tclean = git-lfs clean\n[core]\n\tsshCommand = ssh -4\n[credential]\n\thelper = store\n'
    )
    return repo


def test_a_repository_that_names_no_program_needs_no_settings(users: Repo) -> None:
    assert without_filters(users.path) == ()
    assert for_network(users.path) == ()


def test_every_part_of_a_filter_that_the_repository_names_is_silenced(users: Repo) -> None:
    users.git("config", "filter.Evil.x.smudge", "touch /tmp/evil")

    assert dict(without_filters(users.path)) == {
        "filter.Evil.x.clean": "",
        "filter.Evil.x.smudge": "",
        "filter.Evil.x.process": "",
        "filter.Evil.x.required": "false",
    }


def test_a_file_of_attributes_is_read_only_where_it_is_an_ordinary_one(users: Repo) -> None:
    os.mkfifo(users.path / "pipe")
    users.git("config", "core.attributesFile", "pipe")
    users.git("config", "core.excludesFile", str(users.write("ignored")))

    assert without_filters(users.path) == (("core.attributesfile", os.devnull),)


def test_a_way_to_connect_and_a_helper_of_the_repository_give_way_to_the_users(users: Repo) -> None:
    for key in ("core.sshCommand", "core.askPass", "credential.https://example.org.helper"):
        users.git("config", key, "touch /tmp/evil")

    settings = for_network(users.path)

    assert settings is not None
    assert settings[:3] == (("core.sshcommand", "ssh -4"), ("core.askpass", ""), ("credential.helper", ""))
    assert settings[-1] == ("credential.helper", "store")
    assert "evil" not in str(settings)


@pytest.mark.parametrize(
    "key",
    [
        "remote.origin.uploadpack",
        "remote.a.b.promisor",
        "protocol.ext.allow",
        "core.gitProxy",
        "lfs.customtransfer.evil.path",
        "lfs.standalonetransferagent",
        "lfs.https://example.org.standalonetransferagent",
    ],
)
def test_a_setting_that_cannot_be_overruled_closes_the_network(users: Repo, key: str) -> None:
    users.git("config", key, "true")

    assert for_network(users.path) is None
