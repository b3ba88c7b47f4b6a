"""A rule in the catalogue of everything that is checked."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule in the catalogue."""

    name: str  # in kebab-case
    severity: str  # of its findings; empty if it varies
    group: str  # its subject
    sentence: str
