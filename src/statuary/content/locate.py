"""From a finding's pointer to line and column: read again only when something is wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from statuary.content.file_kinds import LARGEST_RECORD
from statuary.content.parse_json import locate_in_json
from statuary.content.parse_yaml import locate_in_yaml
from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding, Position


def locate_findings(
    root: Path, findings: Iterable[Finding], edited: Mapping[str, str] | None = None
) -> list[Finding]:
    """Return the findings with their positions; each file is read once.

    Args:
        root: the content folder.
        findings: what has been found.
        edited: by path, the texts of files that are not yet written.
    """
    texts: dict[str, str | None] = dict(edited or {})
    return [_placed(root, finding, texts) for finding in findings]


def _placed(root: Path, finding: Finding, texts: dict[str, str | None]) -> Finding:
    if finding.position is not None or not finding.path:
        return finding
    if finding.path not in texts:
        texts[finding.path] = _text(root, finding.path)
    return replace(finding, position=_position(texts[finding.path], finding))


def _text(root: Path, path: str) -> str | None:
    try:
        return SourceFile(root, path).text(LARGEST_RECORD)
    except UnreadableError:
        return None


def _position(text: str | None, finding: Finding) -> Position:
    if text is None or not finding.pointer:
        return Position(1, 1)
    place = locate_in_json if finding.path.endswith(".json") else locate_in_yaml
    try:
        return place(text, finding.pointer, on_key=finding.on_key)
    except UnreadableError as unreadable:
        return unreadable.position
