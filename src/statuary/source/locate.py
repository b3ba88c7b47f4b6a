"""Look up the positions of findings by reading their files again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from statuary.base.findings import Finding, Position
from statuary.base.limits import LARGEST_RECORD
from statuary.source.front_matter import front_matter
from statuary.source.parse_json import locate_in_json
from statuary.source.parse_yaml import locate_in_yaml
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError


def locate_findings(
    root: Path, findings: Iterable[Finding], edited: Mapping[str, str] | None = None
) -> list[Finding]:
    """Add line and column to findings, reading each file once.

    Args:
        root: the content folder.
        edited: new texts by path, for files that are not written yet.
    """
    located = list(findings)
    by_path: dict[str, list[int]] = defaultdict(list)
    for number, finding in enumerate(located):
        if finding.position is None and finding.path:
            by_path[finding.path].append(number)
    for path, numbers in by_path.items():
        text = edited[path] if edited is not None and path in edited else _read_text(root, path)
        positions = _find_positions(text, path, [located[number] for number in numbers])
        for number, position in zip(numbers, positions, strict=True):
            located[number] = replace(located[number], position=position)
    return located


def _read_text(root: Path, path: str) -> str | None:
    try:
        text = SourceFile(root, path).load_text(LARGEST_RECORD)
        return front_matter(text) if path.endswith(".md") else text
    except UnreadableError:
        return None


def _find_positions(text: str | None, path: str, findings: list[Finding]) -> list[Position]:
    start = Position(1, 1)
    if text is None or not any(finding.pointer for finding in findings):
        return [start] * len(findings)
    locate = locate_in_json if path.endswith(".json") else locate_in_yaml
    try:
        positions = locate(text, [(finding.pointer, finding.on_key) for finding in findings])
    except UnreadableError as error:
        positions = [error.position] * len(findings)
    # A finding without a pointer is about the whole file, so it gets the first position of the file.
    pairs = zip(findings, positions, strict=True)
    return [position if finding.pointer else start for finding, position in pairs]
