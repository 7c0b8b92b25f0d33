"""`mission evidence export` and `verify`: evidence that others can verify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mission.domain.checks.attestations.attestation import GIT_TREE, AttestedResult, unsigned_envelope
from mission.domain.checks.attestations.envelope import format_envelopes
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.plural import counted
from mission.services.evidence import signing
from mission.services.evidence.signing import EnvelopeVerification
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import TREE_SHOWN
from mission.transports.cli.output import json_option, report_errors, say, show_json, warn
from mission.transports.cli.short_id import MISSION_ID

MAX_FILE = 60_000_000
FAILED = "FAILED"
_COLORS = {"verified": "green", "invalid": "red"}


@click.command()
@click.argument("mission_id", type=MISSION_ID, metavar="MISSION")
@click.option("--sign", "key_file", type=click.Path(path_type=Path), help="Private Ed25519 key (PEM) to sign with.")
@click.option("--out", "-o", "out", type=click.Path(path_type=Path), help="Write to a file instead of stdout.")
@json_option
@report_errors
def export(mission_id: str, key_file: Path | None, out: Path | None, as_json: bool) -> None:
    """Export the evidence for a mission's tasks as in-toto attestations.

    One Statement (predicate Test Result) for each tree, in DSSE envelopes. The key is read here and never sent.
    """
    key = signing.load_signing_key(key_file.read_bytes()) if key_file is not None else None
    found = client.call("evidence_export", {"mission_id": mission_id})
    if not found["statements"]:
        raise InvalidState(
            f"no completed task of {mission_id} was checked, so there is nothing to export",
            hint="Set checks with 'mission checks set --mission', then complete a task.",
        )
    envelopes = [unsigned_envelope(statement) for statement in found["statements"]]
    if key is not None:
        envelopes = [signing.sign_envelope(each, key=key) for each in envelopes]
    if out is not None:
        out.write_text(format_envelopes(envelopes))
    if as_json:
        written = {"file": str(out) if out is not None else None, "key_id": key.id if key is not None else None}
        show_json({**written, "envelopes": [each.as_dict() for each in envelopes], "unproved": found["unproved"]})
        return
    if out is None:
        click.echo(format_envelopes(envelopes), nl=False)
    else:
        signed = f"signed with key {key.id[:16]}" if key is not None else "unsigned"
        say(f"{out}: {counted(len(envelopes), 'statement')}, {signed}")
    if found["unproved"]:
        names = ", ".join(f"'{each['name']}'" for each in found["unproved"][:5])
        more = " …" if len(found["unproved"]) > 5 else ""
        warn([f"not included, because nothing was checked: {names}{more}"])


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--key", "key_file", type=click.Path(path_type=Path), help="Public Ed25519 key (PEM) of the signer.")
@json_option
@report_errors
def verify(file: Path, key_file: Path | None, as_json: bool) -> None:
    """Verify attestations offline, without a daemon or the network.

    Exit code 0 only if the key signed all of them and no required check failed.
    """
    text = _read(file)
    if key_file is not None:
        judged = signing.verify_text(text, key=signing.load_verifying_key(key_file.read_bytes()))
    else:
        judged = signing.read_text(text)
    if as_json:
        show_json({"attestations": [_record(each) for each in judged], "verified": _is_trusted(judged)})
    else:
        for each in judged:
            _show(each)
    if not _is_trusted(judged):
        sys.exit(1)


def _read(file: Path) -> str:
    if file.stat().st_size > MAX_FILE:
        raise InvalidInput(f"{file} is larger than {MAX_FILE:,} bytes", hint="Give a file with attestations.")
    return file.read_text(errors="replace")


def _is_trusted(judged: list[EnvelopeVerification]) -> bool:
    results = [each for each in judged if each.state != "ignored"]
    passed = all(each.result is not None and each.result.result != FAILED for each in results)
    return bool(results) and passed and all(each.state == "verified" for each in results)


def _show(each: EnvelopeVerification) -> None:
    if each.result is None:
        say(f"{each.state}: {each.reason}", fg=_COLORS.get(each.state, "yellow"))
        return
    result = each.result
    say(f"{each.state}: {result.result} for {_subject(result)}", fg=_COLORS.get(each.state, "yellow"), bold=True)
    if each.state != "verified":
        say(f"  {each.reason}")
    for label, names in (("passed", result.passed), ("warned", result.warned), ("failed", result.failed)):
        if names:
            say(f"  {label}: {', '.join(names)}")


def _subject(result: AttestedResult) -> str:
    """Return the tree and the commits that a result is about."""
    words = []
    for digests in result.subjects:
        for kind, digest in digests.items():
            name = {GIT_TREE: "tree", "gitCommit": "commit"}.get(kind, kind)
            words.append(f"{name} {digest[:TREE_SHOWN]}")
    return ", ".join(words)


def _record(each: EnvelopeVerification) -> dict[str, Any]:
    return {
        "state": each.state,
        "reason": each.reason,
        "result": each.result.result if each.result is not None else None,
        "subjects": [dict(digests) for digests in each.result.subjects] if each.result is not None else [],
        "statement": each.result.statement if each.result is not None else None,
    }
