"""What is wrong with a snapshot."""

from statuary.publishing.errors import PublishingError


class DamagedSnapshotError(PublishingError):
    """A snapshot is not whole, was changed, or was made to do harm. Nothing was written."""
