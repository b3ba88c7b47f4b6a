"""The catalogue of all rules: name, severity and sentence of each."""

from collections.abc import Iterator

from statuary.base.findings import Rule
from statuary.registry import CONTENT_SECTIONS, all_sections, load


def all_rules() -> Iterator[Rule]:
    """Yield all rules that `statuary check` can report, from every section."""
    for section in (*(load(row.section) for row in CONTENT_SECTIONS), *all_sections()):
        yield from section.rules()
