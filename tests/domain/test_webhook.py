"""Webhooks: signatures that receivers can check, and how long a failure is retried."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import pytest
import standardwebhooks
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.timestamps import utc_now
from mission.domain.webhook import FIRST_PAUSE, MAX_PAUSE, Webhook, is_delivered, is_refused, pause_after
from tests.domain.samples import NOW


def hook(**fields):
    return Webhook(**{"url": "https://hooks.example/T1/key", "secret": "s3cret", "events": ["queue:*"], **fields})


def signed(key, body, *, id="evt_1"):
    content = b".".join((id.encode(), str(int(NOW.timestamp())).encode(), body))
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


@given(st.binary(max_size=50))
def test_a_receiver_can_check_the_signature_with_the_shared_secret(body):
    headers = hook().headers(id="evt_1", at=NOW, body=body)

    assert headers == {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(NOW.timestamp())),
        "content-type": "application/json",
        "webhook-signature": signed(b"s3cret", body),
    }


@given(st.binary(min_size=1, max_size=40))
def test_a_secret_with_the_standard_prefix_is_decoded_first(key):
    secret = "whsec_" + base64.b64encode(key).decode()

    assert hook(secret=secret).headers(id="evt_1", at=NOW, body=b"{}")["webhook-signature"] == signed(key, b"{}")


@given(st.text())
def test_a_receiver_that_uses_the_conventions_own_library_takes_what_we_signed(text):
    body, key = json.dumps({"text": text}).encode(), b"a shared secret"
    encoded = "whsec_" + base64.b64encode(key).decode()

    for secret, receiver in ((key.decode(), key), (encoded, encoded)):
        headers = hook(secret=secret).headers(id="evt_1", at=utc_now(), body=body)
        assert standardwebhooks.Webhook(receiver).verify(body, headers) == {"text": text}


def test_a_secret_that_only_looks_encoded_is_used_as_it_is():
    headers = hook(secret="whsec_not base64!").headers(id="evt_1", at=NOW, body=b"{}")

    assert headers["webhook-signature"] == signed(b"whsec_not base64!", b"{}")


def test_without_a_secret_nothing_is_signed():
    assert "webhook-signature" not in hook(secret="").headers(id="evt_1", at=NOW, body=b"{}")


def test_neither_address_nor_secret_shows_in_a_log():
    one = hook()

    assert "hooks.example" not in repr(one)
    assert "s3cret" not in repr(one)
    assert "T1" not in one.key


def test_a_receiver_is_remembered_by_its_address_alone():
    assert hook().key == hook(secret="other", events=[]).key
    assert hook().key != hook(url="https://hooks.example/T2/key").key


@pytest.mark.parametrize(
    ("events", "type", "wanted"),
    [
        (["queue:created"], "queue:created", True),
        (["queue:created"], "queue:updated", False),
        (["queue:*", "mail.sent"], "queue:updated", True),
        (["queue:*", "mail.sent"], "mail.sent", True),
        (["*"], "task:updated", True),
        (["Task:*"], "task:updated", False),
        ([], "task:updated", False),
    ],
)
def test_a_receiver_gets_the_events_that_one_of_its_patterns_fits(events, type, wanted):
    assert hook(events=events).wants(type) is wanted


@given(st.integers(1, 5_000))
def test_each_pause_doubles_the_one_before_up_to_a_limit(failures):
    pause = pause_after(failures)

    assert FIRST_PAUSE <= pause <= MAX_PAUSE
    assert pause_after(failures + 1) == min(pause * 2, MAX_PAUSE)


def test_the_first_pause_is_one_second():
    assert [pause_after(each) for each in (1, 2, 3)] == [timedelta(seconds=each) for each in (1, 2, 4)]


@given(st.none() | st.integers(100, 599))
def test_an_answer_is_a_delivery_a_refusal_or_worth_another_try(status):
    delivered, refused = is_delivered(status), is_refused(status)

    assert not (delivered and refused)
    if status is None or status >= 500 or status in (408, 425, 429):
        assert not delivered
        assert not refused
    elif status >= 300:
        assert refused
    else:
        assert delivered is (status >= 200)
