"""DSSE envelopes: a payload, its type, and signatures over both, as JSON or as JSON lines."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain.errors import InvalidInput

LARGEST_FILE = 50_000_000
HINT = "Give a file written by 'mission evidence export', or another in-toto attestation."


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvelopeSignature:
    """One signature. Its key id is only a hint and is not protected."""

    signature: bytes
    key_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Envelope:
    """A payload with its signatures; without any it is unsigned."""

    payload: bytes
    payload_type: str
    signatures: Sequence[EnvelopeSignature] = ()

    @property
    def signed_bytes(self) -> bytes:
        """Return the bytes that are signed, which include the type (DSSE's pre-authentication encoding)."""
        kind = self.payload_type.encode()
        return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(self.payload), self.payload)

    def as_dict(self) -> dict[str, Any]:
        return {
            "payloadType": self.payload_type,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": each.key_id, "sig": base64.b64encode(each.signature).decode()} for each in self.signatures
            ],
        }


def format_envelopes(envelopes: Sequence[Envelope]) -> str:
    """Return one envelope as readable JSON, several as a bundle: JSON lines, one envelope each."""
    if len(envelopes) == 1:
        return json.dumps(envelopes[0].as_dict(), indent=2) + "\n"
    return "".join(json.dumps(each.as_dict()) + "\n" for each in envelopes)


def parse_envelopes(text: str) -> list[Envelope]:
    """Return the envelopes of a file; raise InvalidInput if there are none.

    Lines of a bundle that are not envelopes are ignored, as the format requires.
    """
    if len(text) > LARGEST_FILE:
        raise InvalidInput(f"The file has more than {LARGEST_FILE:,} characters.", hint=HINT)
    single = _document(text)
    if single is not None:
        return [_envelope(single)]
    lines = [document for line in text.splitlines() if (document := _document(line)) is not None]
    found = [_envelope(document) for document in lines if _looks_like_envelope(document)]
    if not found:
        raise InvalidInput("The file does not contain an attestation.", hint=HINT)
    return found


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _looks_like_envelope(document: object) -> bool:
    return isinstance(document, Mapping) and {"payload", "payloadType"} <= document.keys()


def _envelope(document: object) -> Envelope:
    if not isinstance(document, Mapping) or not _looks_like_envelope(document):
        raise InvalidInput("The file does not contain an attestation.", hint=HINT)
    kind = document["payloadType"]
    signatures = document.get("signatures") or []
    if not isinstance(kind, str) or not isinstance(signatures, list):
        raise InvalidInput("The envelope of the attestation is damaged.", hint=HINT)
    return Envelope(
        payload=_decoded(document["payload"]),
        payload_type=kind.encode(errors="replace").decode(),
        signatures=[_signature(each) for each in signatures],
    )


def _signature(entry: object) -> EnvelopeSignature:
    if not isinstance(entry, Mapping):
        raise InvalidInput("A signature of the attestation is damaged.", hint=HINT)
    key_id = entry.get("keyid")
    return EnvelopeSignature(
        signature=_decoded(entry.get("sig")),
        key_id=key_id if isinstance(key_id, str) else "",
    )


def _decoded(text: object) -> bytes:
    """Return the bytes of either Base64 alphabet; the format allows both."""
    if not isinstance(text, str):
        raise InvalidInput("The envelope of the attestation is damaged.", hint=HINT)
    plain = text.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("The attestation is not valid Base64.", hint=HINT) from None
