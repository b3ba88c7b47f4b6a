"""Read a contract: parse its record, or derive it from a workspace.

The path names chain and address; the checks compare them with the record.
"""

from dataclasses import replace
from pathlib import Path

from statuary.base.findings import Finding, Severity
from statuary.base.limits import LARGEST_RECORD
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract, parse_record_json
from statuary.contracts.sources.source_stat import record_digest
from statuary.source.source_files import SiblingFile, SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.system.files import OpenFolder


def read_contract(
    root: Path, source: ContractSource, open_folder: OpenFolder | None = None
) -> ParsedContract:
    """Read a contract that has its own file or folder.

    Args:
        root: the content folder.
        source: the location of the contract in it.
        open_folder: the content folder, if it is already open. Reading several contracts is then faster.

    Returns:
        The record with its evidence, or the findings if it cannot be read.
    """
    parsed = _parse_contract_file(_open_source_file(root, source, open_folder), source)
    if source.form is ContractForm.RECORD or parsed.record is None:
        return parsed
    from statuary.contracts.sources.evidence import read_anchor, read_compilation_evidence

    notes: list[Finding] = []
    compilation = read_compilation_evidence(root, source, notes)
    anchor = read_anchor(root, source, notes)
    # The digest is only that of the record's own file. Clear the digest, so that the contract is also built
    # again if its evidence changes.
    return parsed._replace(
        compilation=compilation,
        anchor=anchor,
        notes=[replace(note, severity=Severity.NOTE) for note in notes],
        digest=b"",
    )


def _open_source_file(root: Path, source: ContractSource, open_folder: OpenFolder | None) -> SourceFile:
    return (
        SourceFile(root, source.path) if open_folder is None else SiblingFile(root, source.path, open_folder)
    )


def _parse_contract_file(file: SourceFile, source: ContractSource) -> ParsedContract:
    try:
        if source.form is ContractForm.WORKSPACE:
            from statuary.contracts.sources.read_workspace import read_workspace  # few sites have one

            return read_workspace(file, source)
        raw = file.load_bytes(LARGEST_RECORD)
        if source.path.endswith(".json"):
            parsed = parse_record_json(raw, source.path)
        else:
            from statuary.contracts.sources.parse_record_yaml import parse_record_yaml

            parsed = parse_record_yaml(raw, source.path)
    except UnreadableError as error:
        return ParsedContract(None, findings=[error.to_finding(source.path)])
    return parsed._replace(digest=record_digest(raw))
