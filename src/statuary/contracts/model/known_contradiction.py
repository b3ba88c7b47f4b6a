"""What the site's author says of a contradicted contract."""

from datetime import date
from typing import NamedTuple

from statuary.base.primitives import Address


class KnownContradiction(NamedTuple):
    """What contradicts a contract that the site's author knows of and publishes all the same."""

    address: Address
    date: date
    reason: str
