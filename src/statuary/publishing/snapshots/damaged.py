"""What is wrong with a snapshot."""

from statuary.publishing.refused import PublishingRefused


class SnapshotDamaged(PublishingRefused):
    """A snapshot is not what it claims to be: not whole, changed, or made to harm. Nothing was written."""
