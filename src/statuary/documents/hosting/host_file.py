"""A file that goes to a host beside the site, or into its configuration."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostFile:
    """A text file.

    Attributes:
        path: where it belongs, relative to the project that is deployed.
        text: what it holds.
    """

    path: str
    text: str
