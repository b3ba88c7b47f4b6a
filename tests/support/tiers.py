"""The choice of a large table's cases that run in the default tier."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def few_by_default(cases: Iterable[Any], count: int) -> Sequence[Any]:
    """Return the arguments of `parametrize`: evenly spread cases run by default, and the others are `slow`.

    Args:
        cases: as `parametrize` takes them; tuples hold a value for each name, so one name takes no tuple.
        count: how many run by default.
    """
    every = list(cases)
    kept = {place * len(every) // count for place in range(count)}
    return [case if place in kept else _slow(case) for place, case in enumerate(every)]


def _slow(case: Any) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.slow), id=case.id)
    values = case if type(case) is tuple else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
