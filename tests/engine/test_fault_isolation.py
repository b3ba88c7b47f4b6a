"""The search for the files with which documents cannot be made holds few of the values that it made on its way."""

from collections.abc import Sequence
from weakref import WeakSet

from statuary.status.isolate_faulty_records import _find_failing_sources

COUNT = 500


class Pages:
    """What is made of some files."""


def test_fault_bisection_frees_memory_of_failures():
    alive: WeakSet[Pages] = WeakSet()
    most = 0

    def make(sources: Sequence[str]) -> None:
        nonlocal most
        pages = Pages()
        alive.add(pages)
        most = max(most, len(alive))
        if sources:
            raise KeyError(pages.__class__.__name__)

    sources = [f"incidents/{number}.yaml" for number in range(COUNT)]
    sound, findings = _find_failing_sources(make, sources, "making the pages")
    assert sound == []
    assert [finding.path for finding in findings] == sources
    assert "KeyError: 'Pages'" in findings[0].message.replace('"', "")
    assert most <= 5
