"""A file that goes to a host beside the site, or into its configuration."""

from typing import NamedTuple


class HostFile(NamedTuple):
    """A text file.

    Attributes:
        path: where it belongs, relative to the project that is deployed.
        text: what it holds.
    """

    path: str
    text: str
