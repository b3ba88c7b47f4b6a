"""Random tests that are the same on every run: hypothesis with a fixed seed and no clock."""

from hypothesis import settings

steady = settings(derandomize=True, deadline=None)
"""Decorates a `@given` test: the same examples every time, however slow the machine."""
