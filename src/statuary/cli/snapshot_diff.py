"""`statuary snapshot diff`: the changes from one snapshot, folder or site to another."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import click

from statuary.cli.options.common_options import text_or_json_option
from statuary.cli.output.plain_text import changes_lines
from statuary.cli.output.printable import printable
from statuary.snapshots.diff import DocumentDifference, differences
from statuary.snapshots.manifest import Manifest, manifest_digest
from statuary.snapshots.manifest_parts import ManifestEntry
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot


@click.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@text_or_json_option
def diff(before: str, after: str, form: str) -> None:
    """Compare two snapshots, folders or sites; every byte of both is verified.

    Exit codes: 0 compared; 3 one of them is damaged or cannot be read.
    """
    with read_snapshot(before) as old, read_snapshot(after) as new:
        ends = {"from": manifest_digest(old.manifest_text), "to": manifest_digest(new.manifest_text)}
        changes = differences(_verified(old), _verified(new))
        if form == "json":
            click.echo(json.dumps({**ends, "changes": [_json(change) for change in changes]}))
        else:
            for line in changes_lines(change.change for change in changes):
                click.echo(line)
            for line in _changed_origin(old.manifest, new.manifest):
                click.echo(line)


def _verified(snapshot: SnapshotReader) -> Iterator[ManifestEntry]:
    """Yield the entries of a snapshot, each after its document has been checked."""
    return (entry for entry, _ in snapshot.documents())


def _json(difference: DocumentDifference) -> dict[str, object]:
    return {
        "action": difference.action,
        "path": difference.path,
        "before": difference.before._asdict() if difference.before else None,
        "after": difference.after._asdict() if difference.after else None,
    }


def _changed_origin(before: Manifest, after: Manifest) -> Iterator[str]:
    old = before.origin._asdict()
    for name, value in after.origin._asdict().items():
        if value != old[name]:
            yield printable(f"{name}: {_text(old[name])} -> {_text(value)}")
    if before == after:
        yield "the same site"


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return ", ".join(value) if isinstance(value, tuple) else str(value) or "-"
