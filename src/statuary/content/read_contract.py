"""A contract's source to its record: a record file as it stands, a workspace by derivation.

The path names chain and address; a record that says otherwise is refused by the checks, not here.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import orjson

from statuary.content.file_kinds import LARGEST_RECORD
from statuary.content.load_model import load_model, unreadable_finding
from statuary.content.parse_json import parse_json
from statuary.content.parse_record import ParsedRecord, parse_record_json, parse_record_yaml
from statuary.content.source_files import SourceFile, decode_utf8
from statuary.content.sources.workspace_source import WorkspaceFiles, WorkspaceSource
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.contracts.derivation import derive_record
from statuary.domain.contracts.workspace import STD_JSON_INPUT, STD_JSON_OUTPUT, DerivationError
from statuary.domain.findings import Finding
from statuary.domain.json_values import Json
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_hex,
)


class ParsedContract(NamedTuple):
    """A contract source as read.

    Attributes:
        record: the record, or None if it could not be read.
        findings: what is wrong with it.
        digest: SHA-256 of a record's file, white space at its end left out; empty for all else.
    """

    record: ParsedRecord | None
    findings: list[Finding]
    digest: bytes = b""


def read_contract(root: Path, source: ContractSource) -> ParsedContract:
    """Return the record that a source makes, with what is wrong about reading it."""
    file = SourceFile(root, source.path)
    try:
        if source.form is ContractForm.WORKSPACE:
            return _from_workspace(file, source)
        raw = file.bytes(LARGEST_RECORD)
        found = (parse_record_json if source.path.endswith(".json") else parse_record_yaml)(raw, source.path)
    except UnreadableError as unreadable:
        return ParsedContract(None, [unreadable_finding(unreadable, source.path)])
    digest = record_digest(raw)
    return (
        ParsedContract(found, [], digest)
        if isinstance(found, ParsedRecord)
        else ParsedContract(None, found, digest)
    )


def record_digest(raw: bytes) -> bytes:
    """Return the SHA-256 of a record's file without white space at its end: of what is published, if that is canonical."""
    return sha256(raw if raw[-1:] == b"}" else raw.rstrip(b" \t\r\n")).digest()


def _from_workspace(file: SourceFile, source: ContractSource) -> ParsedContract:
    findings: list[Finding] = []
    settings = load_model(file, WorkspaceSource, LARGEST_RECORD, findings)
    identity = _identity(source, findings)
    if settings is None or identity is None:
        return ParsedContract(None, findings)
    chain_id, address = identity
    beside = _Beside(file, findings)
    files = beside.read(settings)
    if findings:
        return ParsedContract(None, findings)
    try:
        return ParsedContract(
            ParsedRecord(derive_record(settings.workspace(chain_id, address, files)), None), []
        )
    except DerivationError as underivable:
        return ParsedContract(None, [_underivable(underivable, beside, settings, source.path)])


def _identity(source: ContractSource, findings: list[Finding]) -> tuple[ChainId, Address] | None:
    """Return chain id and address as the folders name them."""
    try:
        return parse_chain_id(source.chain_id), parse_address(source.address)
    except InvalidValueError as malformed:
        findings.append(
            Finding(
                rule="path-names-contract",
                path=source.path,
                message=f"the folder's {malformed}",
                hint=malformed.hint,
            )
        )
        return None


class _Beside:
    """The files beside a `contract.yaml`."""

    def __init__(self, file: SourceFile, findings: list[Finding]) -> None:
        self.root = file.root
        self.folder = PurePosixPath(file.path).parent
        self.findings = findings

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def read(self, settings: WorkspaceSource) -> WorkspaceFiles:
        return WorkspaceFiles.model_construct(
            std_json_input=self._with(settings.input, _json),
            std_json_output=self._with(settings.output, _json),
            onchain_creation=self._code(settings.creation, "creation.hex"),
            onchain_runtime=self._code(settings.runtime, "runtime.hex"),
        )

    def _code(self, name: str | None, default: str) -> Hex | None:
        if name is None and not (self.root / self.path(default)).is_file():
            return None
        return self._with(name or default, _hex)  # type: ignore[no-any-return]

    def _with(self, name: str, reader: Callable[[bytes], Any]) -> Any:
        path = self.path(name)
        try:
            return reader(SourceFile(self.root, path).bytes(LARGEST_RECORD))
        except UnreadableError as unreadable:
            self.findings.append(unreadable_finding(self._or_absent(unreadable, name), path))
        except InvalidValueError as malformed:
            self.findings.append(
                Finding(rule="readable-text", path=path, message=str(malformed), hint=malformed.hint)
            )
        return None

    def _or_absent(self, unreadable: UnreadableError, name: str) -> UnreadableError:
        """Say plainly that a file is not there."""
        if (self.root / self.path(name)).exists():
            return unreadable
        return UnreadableError(
            f"the workspace has no file {name!r}", "put it there, or name another in contract.yaml"
        )


def _json(raw: bytes) -> Json:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(decode_utf8(raw))


def _hex(raw: bytes) -> Hex:
    return parse_hex(decode_utf8(raw).strip())


def _underivable(
    underivable: DerivationError, beside: _Beside, settings: WorkspaceSource, path: str
) -> Finding:
    """Place the refusal in the compiler's file that it is about, or in `contract.yaml`."""
    files = {STD_JSON_INPUT: settings.input, STD_JSON_OUTPUT: settings.output}
    pointer = underivable.pointer
    named = files.get(str(pointer[0])) if pointer else None
    return Finding(
        rule="derivable",
        path=path if named is None else beside.path(named),
        pointer=() if named is None else pointer[1:],
        message=str(underivable),
        hint=underivable.hint,
    )
