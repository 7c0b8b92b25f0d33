"""Signatures of attestations: keys that are refused, tampering that is noticed, and another reader that agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from mission.domain.checks.attestations.attestation import AttestedEvidence, build_statements, unsigned_envelope
from mission.domain.checks.attestations.envelope import Envelope, EnvelopeSignature, format_envelopes, parse_envelopes
from mission.domain.errors import InvalidInput
from mission.services.evidence.signing import (
    load_signing_key,
    load_verifying_key,
    read_text,
    sign_envelope,
    verify_envelope,
    verify_text,
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))


def private_pem(key=PRIVATE, *, form=PrivateFormat.PKCS8, encryption=None):
    return key.private_bytes(Encoding.PEM, form, encryption or NoEncryption())


def public_pem(key=PRIVATE):
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def statement(tree="a" * 40):
    record = AttestedEvidence(
        id="ev_0000000001",
        task_id="t_0000000001",
        task_name="Add a flag",
        check="pytest",
        kind="run",
        text="pytest -q",
        definition="d" * 64,
        state="passed",
        tree=tree,
    )
    return build_statements([record], mission_id="m_0000000001", mission_name="Flags")[0]


UNSIGNED = unsigned_envelope(statement())
SIGNED = sign_envelope(UNSIGNED, key=load_signing_key(private_pem()))
KEY = load_verifying_key(public_pem())


def test_a_signed_attestation_is_verified_and_says_what_was_proved():
    [found] = verify_text(format_envelopes([SIGNED]), key=KEY)

    assert found.state == "verified"
    assert (found.result.result, found.result.passed) == ("PASSED", ["pytest"])
    assert found.result.subjects == [{"gitTree": "a" * 40}]


def test_an_attestation_without_a_signature_is_unsigned():
    [found] = verify_text(format_envelopes([UNSIGNED]), key=KEY)

    assert (found.state, found.result.result) == ("unsigned", "PASSED")


def test_without_a_key_nothing_is_verified():
    unsigned = unsigned_envelope(statement())
    signed = sign_envelope(unsigned, key=load_signing_key(private_pem()))
    other = Envelope(payload=b"{}", payload_type="text/plain")

    found = read_text(format_envelopes([unsigned, signed, other]))

    assert [each.state for each in found] == ["unsigned", "unverified", "ignored"]
    assert [each.result.result for each in found[:2]] == ["PASSED", "PASSED"]


def test_each_envelope_of_a_bundle_is_judged_alone():
    other = sign_envelope(unsigned_envelope(statement("b" * 40)), key=load_signing_key(private_pem(OTHER)))
    foreign = sign_envelope(Envelope(payload=b"{}", payload_type="text/plain"), key=load_signing_key(private_pem()))

    found = verify_text(format_envelopes([SIGNED, other, UNSIGNED, foreign]), key=KEY)

    assert [each.state for each in found] == ["verified", "invalid", "unsigned", "ignored"]
    assert "Another key" in found[1].reason
    assert found[1].result is None
    assert "text/plain" in found[3].reason


@given(st.data())
def test_changing_any_byte_of_the_payload_is_noticed(data):
    at = data.draw(st.integers(0, len(SIGNED.payload) - 1))
    bits = data.draw(st.integers(1, 255))
    payload = bytearray(SIGNED.payload)
    payload[at] ^= bits

    found = verify_envelope(replace(SIGNED, payload=bytes(payload)), key=KEY)

    assert (found.state, found.result) == ("invalid", None)
    assert "changed after it was signed" in found.reason


@pytest.mark.parametrize(
    "changed",
    [
        replace(SIGNED, payload=SIGNED.payload + b" "),
        replace(SIGNED, payload=b""),
        replace(SIGNED, payload_type="application/vnd.in-toto.test-result+json"),
        replace(SIGNED, signatures=[EnvelopeSignature(signature=b"", key_id=KEY.id)]),
        replace(SIGNED, signatures=[EnvelopeSignature(signature=bytes(64), key_id=KEY.id)]),
        replace(SIGNED, signatures=[EnvelopeSignature(signature=SIGNED.signatures[0].signature + b"x")]),
    ],
)
def test_any_other_change_is_noticed(changed):
    assert verify_envelope(changed, key=KEY).state == "invalid"


def test_a_wrong_key_id_or_more_signatures_change_nothing():
    signature = replace(SIGNED.signatures[0], key_id="somebody else")
    stranger = EnvelopeSignature(signature=bytes(64), key_id=KEY.id)

    assert verify_envelope(replace(SIGNED, signatures=[stranger, signature]), key=KEY).state == "verified"


def test_signing_twice_gives_the_same_bytes():
    assert sign_envelope(UNSIGNED, key=load_signing_key(private_pem())) == SIGNED


@pytest.mark.parametrize(
    ("make_pem", "why"),
    [
        (lambda: private_pem(encryption=BestAvailableEncryption(b"secret")), "encrypted"),
        (lambda: private_pem(form=PrivateFormat.OpenSSH), "OpenSSH"),
        (lambda: private_pem(generate_rsa_key(65537, 2048)), "RSA"),
        (lambda: private_pem(generate_ec_key(SECP256R1())), "EC"),
        (lambda: public_pem(), "public key"),
        (lambda: b"", "does not contain a private key"),
        (lambda: b"garbage\xff", "does not contain a private key"),
        (lambda: private_pem().replace(b"MC4C", b"MC4D"), "does not contain a private key"),
    ],
)
def test_a_key_that_cannot_sign_is_refused_with_the_reason(make_pem, why):
    with pytest.raises(InvalidInput, match=why) as refused:
        load_signing_key(make_pem())

    assert "openssl" in refused.value.hint


@pytest.mark.parametrize(
    ("make_pem", "why"),
    [
        (lambda: private_pem(), "private key"),
        (lambda: public_pem(generate_rsa_key(65537, 2048)), "RSA"),
        (lambda: b"", "does not contain a public key"),
        (lambda: b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "does not contain a public key"),
    ],
)
def test_a_key_that_cannot_verify_is_refused_with_the_reason(make_pem, why):
    with pytest.raises(InvalidInput, match=why) as refused:
        load_verifying_key(make_pem())

    assert "openssl" in refused.value.hint


def other_key(private=PRIVATE):
    return SSlibKey.from_crypto(private.public_key(), keyid=KEY.id)


def test_another_implementation_verifies_what_we_sign():
    theirs = OtherEnvelope.from_dict(json.loads(format_envelopes([SIGNED])))

    assert list(theirs.verify([other_key()], 1)) == [KEY.id]
    assert json.loads(theirs.payload) == statement()


def test_another_implementation_refuses_what_was_changed():
    theirs = OtherEnvelope.from_dict(json.loads(format_envelopes([replace(SIGNED, payload=b"{}")])))

    with pytest.raises(VerificationError):
        theirs.verify([other_key()], 1)


def test_we_verify_what_another_implementation_signs():
    theirs = OtherEnvelope(UNSIGNED.payload, UNSIGNED.payload_type, {})
    theirs.sign(CryptoSigner(PRIVATE))

    [envelope] = parse_envelopes(json.dumps(theirs.to_dict()))

    assert verify_envelope(envelope, key=KEY).state == "verified"


def test_the_library_is_loaded_only_where_something_is_signed():
    code = "import sys, mission.services.evidence.signing; print('cryptography' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "False"
