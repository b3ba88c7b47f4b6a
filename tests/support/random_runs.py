"""How much random tests try: a little, the same on every run; or much, from a seed.

Tests with `@given` try 40 examples by default, and 1,000 or more in a large run, unless they say how many.

The environment variable STATUARY_LARGE_RUNS asks for much. Its value is the seed, such as 17, for ten times as much, or
the seed and how many times as much, such as 17x400. A nightly run takes a fresh seed and prints it.
"""

import os
from random import Random

from hypothesis import settings

_value = os.environ.get("STATUARY_LARGE_RUNS", "")
IS_LARGE = bool(_value)
SEED, _, _more = _value.partition("x")
MORE = int(_more or 10) if IS_LARGE else 1
"""How many times as much this run tries."""

LONGEST_LARGE_TEST = 3600
"""Seconds after which a test of a large run is stopped."""


def times(usual: int) -> int:
    """Return how often to try what is usually tried so often."""
    return usual * MORE


def seeded(name: int | str) -> Random:
    """Return a source of randomness of its own for each name."""
    return Random(f"{SEED} {name}" if IS_LARGE else name)


def load_profile() -> None:
    """Let `@given` try the same examples on every run, or those of the seed; no example has a deadline."""
    settings.register_profile("small", derandomize=True, deadline=None, max_examples=40)
    settings.register_profile(
        "large", derandomize=False, deadline=None, database=None, max_examples=times(100)
    )
    settings.load_profile("large" if IS_LARGE else "small")
