"""What extensions give to pages."""

from typing import NamedTuple

from statuary.domain.primitives import Instant


class FormerVersion(NamedTuple):
    """An earlier published version of an edited update."""

    entry: int  # its number in the log
    at: Instant  # when it was published
    digest: str  # the SHA-256 of its bytes, in hex
