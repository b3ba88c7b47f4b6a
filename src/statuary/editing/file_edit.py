"""A change to one file of the content folder, as a value."""

from typing import NamedTuple


class FileEdit(NamedTuple):
    """What a file holds, and what it shall hold.

    Attributes:
        path: the file, relative to the content folder, with forward slashes.
        before: what it holds; None if there is no such file.
        after: what it shall hold.
    """

    path: str
    before: str | None
    after: str
