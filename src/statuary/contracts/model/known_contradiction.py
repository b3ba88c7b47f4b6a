"""Contradictions that the site's author knows of."""

from datetime import date
from typing import NamedTuple

from statuary.base.primitives import Address


class KnownContradiction(NamedTuple):
    """A contradiction that the site's author has acknowledged in site.yaml."""

    address: Address
    date: date
    reason: str
