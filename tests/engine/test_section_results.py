"""What a method of a section returns has an effect: no field of its result is dropped."""

from copy import deepcopy
from typing import NamedTuple

import pytest

from statuary.base.findings import Finding
from statuary.base.primitives import parse_instant
from statuary.engine.check_site import CheckTarget
from statuary.engine.report import BuildReport
from statuary.engine.sections import EnabledSection, Sections
from statuary.registry import Extension
from statuary.section import FinalResult, Run, Section, SectionResult

FINDINGS = (Finding(rule="made-up", message="a fault"),)
VALUES = {
    "values": ("a value",),
    "skipped": FINDINGS,
    "line": "a line",
    "counts": ("1 thing",),
    "findings": FINDINGS,
    "exclusion_reasons": FINDINGS,
    "excluded_count": 1,
}
KINDS: dict[str, type[NamedTuple]] = {"check": SectionResult, "build": SectionResult, "finalize": FinalResult}


@pytest.mark.parametrize(
    ("method", "name"), [(method, name) for method, kind in KINDS.items() for name in kind._fields]
)
def test_extension_result_fields_reach_build_report(
    method: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = KINDS[method](**{name: VALUES[name]})
    monkeypatch.setattr(Section, method, lambda *_: result)
    with CheckTarget() as target:
        report, run = BuildReport(), Run(instant=parse_instant("2026-11-26T00:00:00Z"), target=target)
        sections = Sections([EnabledSection(Extension("counter"), Section())], run, report)
        before = deepcopy((report, run.results))
        getattr(sections, method)()
        assert (report, run.results) != before
