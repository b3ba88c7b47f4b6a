"""Errors of snapshots."""

from statuary.publishing.errors import PublishingError


class DamagedSnapshotError(PublishingError):
    """A snapshot is incomplete, modified or malicious. Nothing was written."""
