"""MISSION_HOME and the operator's token in it."""

from __future__ import annotations

import os
import stat

import pytest

from mission.home import UnusableHome, UnusableToken, make_home, operator_token, renew_token
from mission.settings import Settings

UNUSABLE_TOKENS = [
    pytest.param(b"\xff\xfe\x00", "damaged", id="no text"),
    pytest.param(b"abc\0\0\0", "damaged", id="zeros"),
    pytest.param(b"a b\nc d", "damaged", id="spaces"),
    pytest.param(b"x", "damaged", id="one letter"),
    pytest.param(b"0123456789abcdef\n0123456789abcdef\n", "damaged", id="two lines"),
    pytest.param(b"a" * 10_000, "damaged", id="long"),
    pytest.param(b"", "empty", id="empty"),
    pytest.param(b" \n", "empty", id="blank"),
]
"""Contents of a token file, and what is wrong with them."""


@pytest.fixture
def settings(tmp_path):
    return Settings(home=tmp_path / "deep" / "home", host_id="laptop")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_home_is_made_for_its_owner_alone_and_may_be_made_again(settings):
    make_home(settings)
    make_home(settings)

    assert mode_of(settings.home) == 0o700
    assert settings.host_path.read_text() == "laptop\n"


def test_a_given_host_name_is_not_kept_as_the_first_one(tmp_path):
    given = Settings(home=tmp_path / "home", host_id="container", sources={"host_id": "MISSION_HOST_ID"})

    make_home(given)

    assert not given.host_path.exists()


@pytest.mark.parametrize("place", ["file", "file/inside"])
def test_a_home_that_cannot_be_made_is_named(tmp_path, place):
    (tmp_path / "file").write_text("")

    with pytest.raises(UnusableHome) as refused:
        make_home(Settings(home=tmp_path / place))

    assert str(tmp_path / place) in refused.value.message
    assert "MISSION_HOME" in refused.value.hint


def test_a_home_that_cannot_be_written_is_named(settings, monkeypatch):
    make_home(settings)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)

    with pytest.raises(UnusableHome, match="home"):
        make_home(settings)


def test_the_operators_token_is_made_once_and_private(settings):
    make_home(settings)

    first = operator_token(settings)

    assert len(first) >= 40
    assert operator_token(settings) == first
    assert mode_of(settings.token_path) == 0o600


def test_a_renewed_token_replaces_the_old_one(settings):
    make_home(settings)
    first = operator_token(settings)

    second = renew_token(settings)

    assert second != first
    assert operator_token(settings) == second


@pytest.mark.parametrize(("content", "reason"), UNUSABLE_TOKENS)
def test_a_token_file_that_cannot_be_used_is_named_and_left_as_it_is(settings, content, reason):
    make_home(settings)
    settings.token_path.write_bytes(content)

    with pytest.raises(UnusableToken, match=f"is {reason}"):
        operator_token(settings)
    assert settings.token_path.read_bytes() == content


def test_a_token_written_by_hand_is_taken_without_its_newline(settings):
    make_home(settings)
    settings.token_path.write_text("  my-own-long-token \n")

    assert operator_token(settings) == "my-own-long-token"
