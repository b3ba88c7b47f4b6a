"""Paths of a snapshot's manifest, signature and document list in a site that was published from it."""

FOLDER = "snapshot"
"""The folder of a snapshot's own members."""

MANIFEST = f"{FOLDER}/manifest.json"
SIGNATURE = f"{MANIFEST}.minisig"
PARTS = f"{FOLDER}/parts/"


def part_path(digest: str) -> str:
    """Return the path of a part of the manifest by its SHA-256."""
    return f"{PARTS}{digest}.jsonl"


def is_snapshot_path(path: str) -> bool:
    """Return whether a path belongs to the snapshot itself and not to a document."""
    return path in (MANIFEST, SIGNATURE) or path.startswith(PARTS)
