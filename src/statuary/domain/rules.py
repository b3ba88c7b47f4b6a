"""A rule in the catalogue of everything that is checked."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule in the catalogue.

    Attributes:
        name: in kebab-case.
        severity: of its findings; empty if it varies.
        group: its subject.
    """

    name: str
    severity: str
    group: str
    sentence: str
