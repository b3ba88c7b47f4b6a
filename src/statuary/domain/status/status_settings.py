"""What of the status side is published, and how far ahead."""

from datetime import timedelta
from typing import NamedTuple


class StatusSettings(NamedTuple):
    """How the status documents are published.

    Attributes:
        cap: how many incidents (and maintenances) the lists hold; 0 holds all. Unresolved ones always stay.
        archives: whether the complete history is published by year.
        uptime: whether uptime is published.
        horizon: how far ahead epochs are written.
        max_epochs: how many epochs are written at most.
    """

    cap: int = 50
    archives: bool = True
    uptime: bool = True
    horizon: timedelta = timedelta(days=35)
    max_epochs: int = 500
