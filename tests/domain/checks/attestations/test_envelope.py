"""DSSE envelopes: what is signed, how files look, and which files are refused."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.attestations import envelope as module
from mission.domain.checks.attestations.envelope import Envelope, EnvelopeSignature, format_envelopes, parse_envelopes
from mission.domain.errors import InvalidInput

ENVELOPES = st.builds(
    Envelope,
    payload=st.binary(max_size=40),
    payload_type=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    signatures=st.lists(
        st.builds(
            EnvelopeSignature,
            signature=st.binary(max_size=70),
            key_id=st.text(st.characters(exclude_categories=["Cs"])),
        ),
        max_size=3,
    ),
)


def test_the_signed_bytes_are_those_of_the_specifications_example():
    envelope = Envelope(payload=b"hello world", payload_type="http://example.com/HelloWorld")

    assert envelope.signed_bytes == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_counted_in_bytes():
    assert Envelope(payload="ü".encode(), payload_type="ä").signed_bytes == "DSSEv1 2 ä 2 ü".encode()


def test_one_envelope_is_readable_json_and_several_are_lines():
    first = Envelope(payload=b"a", payload_type="x", signatures=[EnvelopeSignature(signature=b"s", key_id="k")])

    assert json.loads(format_envelopes([first])) == {
        "payloadType": "x",
        "payload": "YQ==",
        "signatures": [{"keyid": "k", "sig": "cw=="}],
    }
    assert format_envelopes([first]).count("\n") > 5
    assert [json.loads(line)["payload"] for line in format_envelopes([first, first]).splitlines()] == ["YQ==", "YQ=="]


@given(st.lists(ENVELOPES, min_size=1, max_size=3))
def test_what_is_written_is_read(envelopes):
    assert parse_envelopes(format_envelopes(envelopes)) == envelopes


def test_lines_that_are_not_envelopes_are_ignored():
    line = json.dumps(Envelope(payload=b"a", payload_type="x").as_dict())

    assert len(parse_envelopes(f'{line}\nnot json\n{{"other": 1}}\n\n[1]\n{line}\n')) == 2


def test_both_alphabets_of_base64_are_read():
    payload = bytes(range(256))
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=")

    assert parse_envelopes(json.dumps({"payload": text, "payloadType": "x"}))[0].payload == payload


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        '{"payload": "YQ=="}',
        '{"payload": 5, "payloadType": "x"}',
        '{"payload": "?", "payloadType": "x"}',
        '{"payload": "YQ==", "payloadType": 5}',
        '{"payload": "YQ==", "payloadType": "x", "signatures": "s"}',
        '{"payload": "YQ==", "payloadType": "x", "signatures": ["s"]}',
        '{"payload": "YQ==", "payloadType": "x", "signatures": [{}]}',
    ],
)
def test_a_file_without_a_whole_envelope_is_refused(text):
    with pytest.raises(InvalidInput) as refused:
        parse_envelopes(text)

    assert refused.value.hint


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 10)

    with pytest.raises(InvalidInput, match="more than 10"):
        parse_envelopes('{"payload": "", "payloadType": ""}')
