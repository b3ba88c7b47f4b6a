"""The description of an unexpected exception names the place in statuary's code."""

from functools import partial

import pytest

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, did_you_mean


@pytest.mark.parametrize(
    ("work", "place"),
    [
        pytest.param(partial(int, "no number"), "", id="in the guard alone"),
        pytest.param(partial(did_you_mean, None, ()), " in base/findings.py:", id="in statuary"),
    ],
)
def test_unexpected_exception_message_names_source_location(work, place):
    found = run_guarded(work, "", "trying it")
    assert isinstance(found, Finding)
    assert (" in " in found.message) == bool(place)
    assert place in found.message
