"""A rule as people read it: a line of the catalogue of everything that is checked."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A line of the catalogue.

    Attributes:
        name: in kebab-case.
        severity: of its findings; empty where it depends on what is found.
        group: what it is about.
        sentence: the rule.
    """

    name: str
    severity: str
    group: str
    sentence: str
