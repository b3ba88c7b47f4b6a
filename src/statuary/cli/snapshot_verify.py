"""`statuary snapshot verify`: check a snapshot, folder or site against its manifest and signature."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import text_or_json_option
from statuary.cli.options.signing_options import public_key_of, public_key_option
from statuary.cli.output.plain_text import size_text
from statuary.cli.output.printable import printable
from statuary.snapshots.manifest import SiteOrigin
from statuary.snapshots.verify import Verification, verify_snapshot

if TYPE_CHECKING:
    from statuary.snapshots.verify_records import RecordVerifier


@click.command()
@click.argument("location", metavar="FILE|FOLDER|URL")
@public_key_option
@click.option("--against", metavar="SNAPSHOT", help="Use this snapshot's manifest instead of its own.")
@click.option("--prove", "proving", is_flag=True, help="Also verify every contract record, as a build does.")
@text_or_json_option
def verify(location: str, public_key: str | None, against: str | None, proving: bool, form: str) -> None:
    """Check every byte of a snapshot, folder or site against its manifest, and the manifest against its signature.

    Exit codes: 0 intact; 1 damaged; 3 not a snapshot, or cut off.
    """
    key = public_key_of(public_key)
    with _record_verifier() if proving else nullcontext() as records:
        verification = verify_snapshot(location, public_key=key, against=against, inspect=records)
    if form == "json":
        click.echo(json.dumps(_json(verification, records)))
    else:
        click.echo("\n".join(_lines(verification, records)))
    failed = not verification.is_whole or (records is not None and records.errors)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.OK)


def _record_verifier() -> "RecordVerifier":
    from statuary.snapshots.verify_records import RecordVerifier

    return RecordVerifier()


def _lines(verification: Verification, records: "RecordVerifier | None") -> Iterator[str]:
    yield from map(printable, verification.problems)
    if records is not None:
        for finding in records.errors:
            yield printable(f"{finding.path}: {finding.severity}: {finding.message} [{finding.rule}]")
    manifest = verification.manifest
    yield f"{verification.whole:,} of {manifest.documents:,} documents are whole, {size_text(manifest.size)}"
    yield printable(_origin_line(manifest.origin))
    if verification.signature is not None:
        yield printable(
            f"signed with key {verification.signed_by} ({verification.signature.trusted_comment})"
        )
    elif verification.signed_by:
        yield f"signed with key {verification.signed_by}; give --public-key to verify the signature"
    else:
        yield "not signed"
    if verification.lacks_aliases:
        yield "lower-case addresses are missing, as after unzip; `statuary publish` writes both"
    if records is not None:
        yield f"{records.verified:,} records verified, {records.rejected:,} rejected"
        on_chain, deployed = records.anchors.shown.values()
        yield f"the chain's own proofs show the code of {on_chain:,} and the deployment of {deployed:,}"
    yield f"site {verification.manifest_digest}"


def _origin_line(origin: SiteOrigin) -> str:
    part = f"; only {', '.join(origin.only)}" if origin.only else ""
    revision = f", content {origin.revision}" if origin.revision else ""
    return f"as of {origin.instant.isoformat()}, built by statuary {origin.statuary}{revision}{part}"


def _json(verification: Verification, records: "RecordVerifier | None") -> dict[str, object]:
    origin = verification.manifest.origin
    value: dict[str, object] = {
        "whole": verification.is_whole,
        "site": verification.manifest_digest,
        "documents": verification.manifest.documents,
        "wholeDocuments": verification.whole,
        "problems": verification.problems,
        "instant": origin.instant.isoformat(),
        "revision": origin.revision,
        "statuary": origin.statuary,
        "only": origin.only,
        "signedBy": verification.signed_by or None,
        "signatureVerified": verification.signature is not None,
    }
    if records is not None:
        value |= {"proved": records.verified, "refused": records.rejected}
        value |= {claim.value: number for claim, number in records.anchors.shown.items()}
        value["errors"] = [{"path": f.path, "rule": f.rule, "message": f.message} for f in records.errors]
    return value
