"""What the audit keeps of arguments and results: no secrets, nothing too long, at little cost."""

from __future__ import annotations

import pytest

from mission.gateway.audit.masking import Masker

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
        ("pwd=hunter2 x; db_pass: 'two words'", "pwd=*** x; db_pass: '***'"),
        ("user: ada pass: geheim host: db", "user: ada pass: *** host: db"),
        ("SMTP_PASS=geheim\nuserPass=geheim", "SMTP_PASS=***\nuserPass=***"),
        ('{"pass": "geheim", "passwd": "geheim"}', '{"pass": "***", "passwd": "***"}'),
        ("tool --pass hunter2 --pwd=12345", "tool --pass *** --pwd=***"),
        ("curl -sSu ada:geheim https://x.org", "curl -sSu ada:*** https://x.org"),
        ("curl https://x.org --user 'ada:two'", "curl https://x.org --user 'ada:***'"),
        ("sshpass -p geheim ssh x; mysql -u root -pgeheim", "sshpass -p *** ssh x; mysql -u root -p***"),
        ("git clone https://ada:geheim@x.org/y", "git clone https://***@x.org/y"),
        ("The password is hunter2.", "The password is ***."),
        ("the database password is: geheim", "the database password is: ***"),
        ('the passphrase was "two words" once', 'the passphrase was "***" once'),
        ("my token is Abc123xyz, use it", "my token is ***, use it"),
        ("--- PASS: TestLogin (0.00s)\nPASS: test_x", "--- PASS: TestLogin (0.00s)\nPASS: test_x"),
        ("pass: 12 fail: 0, pass=12/12 pass: yes", "pass: 12 fail: 0, pass=12/12 pass: yes"),
        ("tests pass: all of them; bypass: on, passed: x", "tests pass: all of them; bypass: on, passed: x"),
        ("pass_rate=0.95 compass=north passes: many", "pass_rate=0.95 compass=north passes: many"),
        ("PWD=/home/ada pwd: ~/x", "PWD=/home/ada pwd: ~/x"),
        ("The password is wrong. The password is too short", "The password is wrong. The password is too short"),
        ("the password is required; a password was changed", "the password is required; a password was changed"),
        ("the token is expired and the secret is patience", "the token is expired and the secret is patience"),
        ("docker run -u 1000:1000 x; ls -u a:b", "docker run -u 1000:1000 x; ls -u a:b"),
        ("curl -u ada https://x.org:8080/y", "curl -u ada https://x.org:8080/y"),
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
        "pwd": "geheim",
        "dbPass": "geheim",
        "tests": {"pass": 12, "passed": "all"},
        "shell": {"pwd": "/srv/tree"},
    }

    assert Masker().value(given) == {
        "token": "***",
        "apiKey": "***",
        "nested": [{"client_secret": "***", "note": "fine"}],
        "credentials": {"user": "***", "pin": "***", "list": ["***"]},
        "password": "***",
        "tokens_input": 5,
        "usage": {"max_tokens": 100},
        "pwd": "***",
        "dbPass": "***",
        "tests": {"pass": 12, "passed": "all"},
        "shell": {"pwd": "/srv/tree"},
    }


def test_more_names_and_shapes_can_be_given():
    masker = Masker(names="kennung, PIN", pattern=r"CUST-\d+", max_length=10)

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
