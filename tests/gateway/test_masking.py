"""What the audit keeps of arguments and results: no secrets, nothing too long, at little cost."""

from __future__ import annotations

import pytest

from mission.gateway.masking import Masker

KEY = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password=hunter2 and more", "password=*** and more"),
        ("PASSWORD: hunter2", "PASSWORD: ***"),
        ('{"db_password": "two words"}', '{"db_password": "***"}'),
        ("DB_PASSWORD='two words'; x", "DB_PASSWORD='***'; x"),
        ("secret_token=abcdef password=token=abcdef", "secret_token=*** password=***"),
        ("İ PASSWORD=hunter2", "İ PASSWORD=***"),
        ("api-key: abcdef", "api-key: ***"),
        ("mysql --password hunter2 -u root", "mysql --password *** -u root"),
        ("curl -H 'Authorization: Bearer abcdefghij'", "curl -H 'Authorization: ***'"),
        (f"send Bearer {KEY} along", "send *** along"),
        (f"the key is sk-{KEY}.", "the key is ***."),
        (f"ghp_{KEY}", "***"),
        (f"mca_{KEY}", "***"),
        ("AKIAABCDEFGHIJKLMNOP", "***"),
        (f"eyJhbGciOiJI.{KEY}.{KEY}", "***"),
        ("postgresql://ada:geheim@host/db", "postgresql://***@host/db"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok", "*** ok"),
        ("it took tokens: 8000 and max_tokens=500", "it took tokens: 8000 and max_tokens=500"),
        ("the secret of good tests is patience", "the secret of good tests is patience"),
        ("press any key", "press any key"),
    ],
)
def test_secrets_in_free_text_are_masked_and_words_are_not(text, kept):
    assert Masker().text(text) == kept


def test_secret_fields_are_masked_at_any_depth_and_numbers_of_tokens_are_not():
    given = {
        "token": "t",
        "apiKey": "k",
        "nested": [{"client_secret": "s", "note": "fine"}],
        "credentials": {"user": "ada", "pin": 1234, "list": ["x"]},
        "password": 12345,
        "tokens_input": 5,
        "usage": {"max_tokens": 100},
    }

    assert Masker().value(given) == {
        "token": "***",
        "apiKey": "***",
        "nested": [{"client_secret": "***", "note": "fine"}],
        "credentials": {"user": "***", "pin": "***", "list": ["***"]},
        "password": "***",
        "tokens_input": 5,
        "usage": {"max_tokens": 100},
    }


def test_more_names_and_shapes_can_be_given():
    masker = Masker(names="kennung, PIN", pattern=r"CUST-\d+", longest=10)

    assert masker.value({"kennung": "x", "my_pin": "1", "note": "CUST-12 x"}) == {
        "kennung": "***",
        "my_pin": "***",
        "note": "*** x",
    }
    assert masker.text("kennung=abc") == "kennung=***"
    assert masker.value("x" * 30) == "x" * 10 + "… (30 characters in all)"


def test_what_is_long_or_many_or_deep_is_cut_with_its_size():
    deep: dict = {}
    for _ in range(50):
        deep = {"a": deep}
    found = Masker().value({"long": "x" * 5_000, "many": list(range(1_000)), "deep": deep})

    assert found["long"].endswith("… (5,000 characters in all)")
    assert found["many"][-1] == "… 950 more"
    assert str(found).count("'a'") < 40
