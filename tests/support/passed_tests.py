"""What passed in one run of the tests, noted for the next, which runs the rest.

A file of which every test passed is not even imported by the next run. So no file may have more tests on another Python, or
where a program is installed: such a test exists everywhere, and is skipped (`requirements.py`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

WITH_DATA = "real_data"
"""The mark of tests that try more with the data beside the checkout: a pass without it says too little."""


class Passed(NamedTuple):
    """What need not run again."""

    files: Sequence[str] = ()  # those of which every test passed, by their paths in the checkout
    tests: Sequence[str] = ()  # those that passed, of the other files


def passed_of(reports: Mapping[str, Sequence[object]]) -> Passed:
    """Return what passed, from the reports of a run by their outcome ("passed", "skipped", "error" …)."""
    every = [(outcome, one) for outcome, some in reports.items() for one in some]
    tests = [
        one.nodeid
        for outcome, one in every
        if outcome == "passed" and isinstance(one, pytest.TestReport) and WITH_DATA not in one.keywords
    ]
    others = {
        _file(one.nodeid)
        for outcome, one in every
        if isinstance(one, pytest.TestReport | pytest.CollectReport)
        and (
            outcome not in ("", "passed")
            or (isinstance(one, pytest.TestReport) and WITH_DATA in one.keywords)
        )
    }
    files = sorted({_file(test) for test in tests} - others)
    return Passed(files, [test for test in tests if _file(test) in others])


def read_passed(file: str | None) -> Passed:
    """Read what pytest's cache keeps of a run; nothing if no file is given.

    Raises:
        OSError, ValueError: if it is not there, or not what `passed_of` gives.
    """
    return Passed(**json.loads(Path(file).read_bytes())) if file else Passed()


def _file(test: str) -> str:
    return test.partition("::")[0]
