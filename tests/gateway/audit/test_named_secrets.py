"""Values that a text gives to names of secrets: where they are, and what is not one."""

from __future__ import annotations

import pytest

from mission.gateway.audit.named_secrets import is_not_password, named


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("DB_PASSWORD=hunter2 host=db", ["hunter2"]),
        ('"api_key": "three words here"', ["three words here"]),
        ("--token abc123 --verbose", ["abc123"]),
        ("the passphrase is open-sesame9.", ["open-sesame9"]),
        ("secret_token=abcdef", ["abcdef", "abcdef"]),
        ("token=12345 tokens left", []),
        ("the password is wrong", []),
        ("PASS: tests/test_it.py", []),
        ("monkey=banana", []),
    ],
)
def test_the_value_after_a_name_is_found(text, values):
    assert [text[start:end] for start, end in named(text)] == values


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
