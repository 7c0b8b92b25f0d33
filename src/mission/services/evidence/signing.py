"""Signatures of attestations: Ed25519 keys in PEM files, signing, and verifying without any network.

The library is imported where it is needed: it takes a fifth of a second to load, and few processes sign.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mission.domain.checks.attestations.attestation import AttestedResult, read_result
from mission.domain.checks.attestations.envelope import Envelope, EnvelopeSignature, parse_envelopes
from mission.domain.errors import InvalidInput

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

CREATE = "Create a key pair with 'openssl genpkey -algorithm ed25519 -out key.pem'"
EXTRACT = "'openssl pkey -in key.pem -pubout -out public.pem' writes the public key."


@dataclass(frozen=True, kw_only=True, slots=True)
class SigningKey:
    """A private key and the id that its signatures carry."""

    private: Ed25519PrivateKey
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyingKey:
    """A public key and its id."""

    public: Ed25519PublicKey
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvelopeVerification:
    """The verification of one envelope, with its content; without a signature, the content is unconfirmed."""

    state: Literal["verified", "unsigned", "unverified", "invalid", "ignored"]
    """Unverified: it is signed, but no key was given. Ignored: it attests something other than test results."""
    reason: str
    result: AttestedResult | None = None
    """None if the signature is not valid, because the content must not be trusted."""


def load_signing_key(pem: bytes) -> SigningKey:
    """Return the private key of a PEM file; raise InvalidInput with the reason if it cannot sign."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if b"-----BEGIN PUBLIC KEY-----" in pem:
        raise InvalidInput("The key is a public key; signing needs the private one.", hint=f"{CREATE}.")
    if b"-----BEGIN OPENSSH PRIVATE KEY-----" in pem:
        raise InvalidInput("The key is in OpenSSH format; signing needs PKCS #8.", hint=f"{CREATE}.")
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        raise InvalidInput(
            "The key is encrypted; signing needs an unencrypted key.",
            hint="'openssl pkey -in key.pem -out plain.pem' writes it decrypted.",
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise InvalidInput("The file does not contain a private key in PEM.", hint=f"{CREATE}.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _wrong_kind(key)
    return SigningKey(private=key, id=_key_id(key.public_key()))


def load_verifying_key(pem: bytes) -> VerifyingKey:
    """Return the public key of a PEM file; raise InvalidInput with the reason if it cannot verify."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if b"PRIVATE KEY-----" in pem:
        raise InvalidInput("The key is a private key; verifying needs the public one.", hint=EXTRACT)
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise InvalidInput("The file does not contain a public key in PEM.", hint=EXTRACT) from None
    if not isinstance(key, Ed25519PublicKey):
        raise _wrong_kind(key)
    return VerifyingKey(public=key, id=_key_id(key))


def sign_envelope(envelope: Envelope, *, key: SigningKey) -> Envelope:
    """Return the envelope with one more signature."""
    signature = EnvelopeSignature(signature=key.private.sign(envelope.signed_bytes), key_id=key.id)
    return replace(envelope, signatures=(*envelope.signatures, signature))


def read_text(text: str) -> list[EnvelopeVerification]:
    """Return what each envelope in a file says, without a key; raise InvalidInput if there are none."""
    return [_unverified(envelope) for envelope in parse_envelopes(text)]


def verify_text(text: str, *, key: VerifyingKey) -> list[EnvelopeVerification]:
    """Return the verification of each envelope in a file; raise InvalidInput if there are none."""
    return [verify_envelope(envelope, key=key) for envelope in parse_envelopes(text)]


def verify_envelope(envelope: Envelope, *, key: VerifyingKey) -> EnvelopeVerification:
    """Return whether the key signed exactly this envelope; its content is included unless the signature is wrong."""
    if envelope.signatures and not any(_is_valid(each, envelope, key) for each in envelope.signatures):
        return EnvelopeVerification(state="invalid", reason=_why_invalid(envelope, key))
    try:
        result = read_result(envelope)
    except InvalidInput as error:
        return EnvelopeVerification(state="ignored", reason=error.message)
    if not envelope.signatures:
        return EnvelopeVerification(state="unsigned", reason="It has no signature.", result=result)
    return EnvelopeVerification(state="verified", reason="The signature is valid.", result=result)


def _unverified(envelope: Envelope) -> EnvelopeVerification:
    try:
        result = read_result(envelope)
    except InvalidInput as error:
        return EnvelopeVerification(state="ignored", reason=error.message)
    if not envelope.signatures:
        return EnvelopeVerification(state="unsigned", reason="It has no signature.", result=result)
    keys = ", ".join(each.key_id[:16] or "an unnamed key" for each in envelope.signatures[:5])
    reason = f"It is signed with {keys}; without the public key, that proves nothing."
    return EnvelopeVerification(state="unverified", reason=reason, result=result)


def _is_valid(signature: EnvelopeSignature, envelope: Envelope, key: VerifyingKey) -> bool:
    """Return whether the key made the signature; its key id is ignored, because it is not protected."""
    from cryptography.exceptions import InvalidSignature

    try:
        key.public.verify(signature.signature, envelope.signed_bytes)
    except InvalidSignature:
        return False
    return True


def _why_invalid(envelope: Envelope, key: VerifyingKey) -> str:
    named = [each.key_id for each in envelope.signatures if each.key_id]
    if not named or key.id in named:
        return "The signature does not match: the content was changed after it was signed, or another key signed it."
    return f"Another key signed it: {', '.join(each[:16] for each in named[:5])}; yours is {key.id[:16]}."


def _key_id(key: Ed25519PublicKey) -> str:
    """Return the SHA-256 of the public key in DER (SubjectPublicKeyInfo), which other tools use too."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _wrong_kind(key: object) -> InvalidInput:
    kind = type(key).__name__.removesuffix("PrivateKey").removesuffix("PublicKey").strip("_")
    return InvalidInput(f"The key type is {kind}; only Ed25519 keys are supported.", hint=f"{CREATE}.")
