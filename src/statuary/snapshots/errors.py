"""What is wrong with a snapshot."""

from statuary.publishing.errors import PublishingError


class DamagedSnapshotError(PublishingError):
    """A snapshot is not what it claims to be: not whole, changed, or made to harm. Nothing was written."""
