"""Secrets in free text: found by shape, name and command, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.gateway.audit.secret_patterns import HIDDEN, is_not_password, masked

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
SECRET = st.text(LETTERS, min_size=35, max_size=45).map("K9".__add__)  # digits alone may be a count of tokens
PROSE = st.sampled_from(["", "see ", "üñí ", "line one\n", "Use it: "])
NAMES = st.sampled_from(["password", "DB_PASSWORD", "api_key", "API-KEY", "clientSecret", "access_token", "passphrase"])
GIVEN = st.sampled_from(["{}={}", "{}: {}", '"{}": "{}"', "{} = '{}'", "--{} {}", "--{}={}", "the {} is {}"])
PREFIXES = st.sampled_from(["sk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "AIza", "npm_", "pypi-", "mca_"])


@given(PROSE, NAMES, GIVEN, SECRET)
def test_a_value_given_to_the_name_of_a_secret_is_hidden(prose, name, form, secret):
    text = prose + form.format(name, secret)

    kept = masked(text)

    assert secret not in kept
    assert kept.startswith(prose)
    assert HIDDEN in kept


@given(PROSE, PREFIXES, SECRET, st.sampled_from(["", ".", " and more", "\nnext"]))
def test_a_secret_is_known_by_its_shape_without_any_name(prose, prefix, secret, behind):
    assert masked(f"{prose}{prefix}{secret}{behind}") == f"{prose}{HIDDEN}{behind}"


@given(PROSE, NAMES, GIVEN, SECRET)
def test_what_is_hidden_already_stays_as_it_is(prose, name, form, secret):
    once = masked(prose + form.format(name, secret))

    assert masked(once) == once


@given(st.text("abc xyz.,\n", max_size=80))
def test_plain_words_are_never_changed(text):
    assert masked(text) == text


@given(st.text(max_size=120))
def test_any_text_can_be_looked_through(text):
    assert isinstance(masked(text), str)


def test_more_words_may_name_a_secret():
    assert masked("pin_code=12345678") == "pin_code=12345678"
    assert masked("pin_code=12345678", ["pin"]) == f"pin_code={HIDDEN}"


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_quoted_value_is_hidden_whole_and_keeps_its_quotes(quote):
    text = f"password={quote}three words here{quote} host=db"

    assert masked(text) == f"password={quote}{HIDDEN}{quote} host=db"


def test_two_secrets_in_one_line_are_both_hidden():
    assert masked("user=ada password=hunter2 token=abcdefg host=db") == (
        f"user=ada password={HIDDEN} token={HIDDEN} host=db"
    )


def test_a_private_key_is_hidden_even_when_it_is_cut_off():
    assert masked("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg") == HIDDEN


@pytest.mark.parametrize(
    ("name", "value", "harmless"),
    [
        ("pass", "true", True),
        ("pass", "12/12", True),
        ("pass", "99.5%", True),
        ("pass", "hunter2", False),
        ("pwd", "/home/ada", True),
        ("pwd", "C:\\work", True),
        ("pwd", "$HOME", True),
        ("pwd", "12345", False),
    ],
)
def test_a_result_of_tests_and_a_folder_are_not_passwords(name, value, harmless):
    assert is_not_password(name, value) is harmless
