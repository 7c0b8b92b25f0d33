"""Secrets in free text: found by shape, name and command, however they are written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.gateway.audit.named_secrets import HIDDEN
from mission.gateway.audit.secret_patterns import masked

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
    ("text", "expected"),
    [
        ("curl -sSu ada:hunter2 https://x", f"curl -sSu ada:{HIDDEN} https://x"),
        ("curl -u :hunter2 https://x", f"curl -u :{HIDDEN} https://x"),
        ("curl --user 'ada:a;b|c' -U eve:pw1", f"curl --user 'ada:{HIDDEN}' -U eve:{HIDDEN}"),
        ("ls; curl x\nid -u ada:hunter2", "ls; curl x\nid -u ada:hunter2"),
        ("mysqldump -h db -phunter2 shop", f"mysqldump -h db -p{HIDDEN} shop"),
        ("sshpass -p hunter2 ssh db", f"sshpass -p {HIDDEN} ssh db"),
    ],
)
def test_a_password_in_an_option_of_a_command_is_hidden(text, expected):
    assert masked(text) == expected


def test_parts_that_overlap_are_hidden_together():
    assert masked("curl -u ada:pw,token=abcdef,rest") == f"curl -u ada:{HIDDEN}"


HARD_PIECES = [
    "curl ",
    "curl; ",
    "curl -u ",
    "mysql ",
    "mysql -p ",
    "sshpass -p ",
    "token",
    "token=",
    "token=1",
    "pass=",
    "password",
    "--password",
    "eyJ-",
    "-----BEGIN ",
    "https://a:",
]


@pytest.mark.parametrize("piece", HARD_PIECES)
def test_twice_the_text_takes_twice_the_time_whatever_it_repeats(piece):
    assert growth(lambda size: piece * (size // len(piece))) < LINEAR


@pytest.mark.parametrize(
    ("before", "piece", "behind"),
    [
        ("curl -", "u", ""),
        ("curl -u", "=", ""),
        ("the password is", " ", ""),
        ("db_pass=abc ", "a", "="),
        ("password=", "é", ""),
        ("secret" * 500 + '="', "x", '"'),
    ],
)
def test_one_long_word_takes_time_in_proportion_to_its_length(before, piece, behind):
    assert growth(lambda size: before + piece * size + behind) < LINEAR


TIMES_LONGER = 8
LINEAR = TIMES_LONGER**1.5
"""Between a time that grows with the length (8 ×) and one that grows with its square (64 ×)."""


def growth(text_of):
    """Return how many times longer a text takes that is eight times as long, in CPU time."""
    size = 2_000
    while (short := cpu_seconds(text_of(size))) < 0.004 and size < 500_000:
        size *= 2
    return cpu_seconds(text_of(TIMES_LONGER * size)) / short


def cpu_seconds(text):
    """Return the least CPU time of three tries, so that other programs on the machine do not count."""
    taken = []
    for _ in range(3):
        begun = time.thread_time()
        masked(text)
        taken.append(time.thread_time() - begun)
    return min(taken)
