"""A contract's source to its record: a record file as it stands, a workspace by derivation.

The path names chain and address; a record that says otherwise is refused by the checks, not here.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import orjson

from statuary.content.files import SourceFile, decoded
from statuary.content.json_text import read_json
from statuary.content.layout import LARGEST_RECORD
from statuary.content.load import load, unreadable_finding
from statuary.content.record_text import RecordText, read_record_json, read_record_yaml
from statuary.content.sources.workspace import WorkspaceFiles, WorkspaceSource
from statuary.content.unreadable import Unreadable
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.contracts.derivation import derive_record
from statuary.domain.contracts.workspace import STD_JSON_INPUT, STD_JSON_OUTPUT, Underivable
from statuary.domain.findings import Finding
from statuary.domain.json_values import Json
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    Malformed,
    parse_address,
    parse_chain_id,
    parse_hex,
)


class ReadContract(NamedTuple):
    """A contract source as read.

    Attributes:
        record: the record, or None if it could not be read.
        findings: what is wrong with it.
        digest: SHA-256 of a record's file, white space at its end left out; empty for all else.
    """

    record: RecordText | None
    findings: list[Finding]
    digest: bytes = b""


def read_contract(root: Path, source: ContractSource) -> ReadContract:
    """Return the record that a source makes, with what is wrong about reading it."""
    file = SourceFile(root, source.path)
    try:
        if source.form is ContractForm.WORKSPACE:
            return _from_workspace(file, source)
        raw = file.bytes(LARGEST_RECORD)
        found = (read_record_json if source.path.endswith(".json") else read_record_yaml)(raw, source.path)
    except Unreadable as unreadable:
        return ReadContract(None, [unreadable_finding(unreadable, source.path)])
    digest = record_digest(raw)
    return (
        ReadContract(found, [], digest)
        if isinstance(found, RecordText)
        else ReadContract(None, found, digest)
    )


def record_digest(raw: bytes) -> bytes:
    """Return the SHA-256 of a record's file without white space at its end: of what is published, if that is canonical."""
    return sha256(raw if raw[-1:] == b"}" else raw.rstrip(b" \t\r\n")).digest()


def _from_workspace(file: SourceFile, source: ContractSource) -> ReadContract:
    findings: list[Finding] = []
    settings = load(file, WorkspaceSource, LARGEST_RECORD, findings)
    identity = _identity(source, findings)
    if settings is None or identity is None:
        return ReadContract(None, findings)
    chain_id, address = identity
    beside = _Beside(file, findings)
    files = beside.read(settings)
    if findings:
        return ReadContract(None, findings)
    try:
        return ReadContract(RecordText(derive_record(settings.workspace(chain_id, address, files)), None), [])
    except Underivable as underivable:
        return ReadContract(None, [_underivable(underivable, beside, settings, source.path)])


def _identity(source: ContractSource, findings: list[Finding]) -> tuple[ChainId, Address] | None:
    """Return chain id and address as the folders name them."""
    try:
        return parse_chain_id(source.chain_id), parse_address(source.address)
    except Malformed as malformed:
        findings.append(
            Finding(
                rule="path-names-contract",
                path=source.path,
                message=f"the folder's {malformed}",
                remedy=malformed.remedy,
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
        except Unreadable as unreadable:
            self.findings.append(unreadable_finding(self._or_absent(unreadable, name), path))
        except Malformed as malformed:
            self.findings.append(
                Finding(rule="readable-text", path=path, message=str(malformed), remedy=malformed.remedy)
            )
        return None

    def _or_absent(self, unreadable: Unreadable, name: str) -> Unreadable:
        """Say plainly that a file is not there."""
        if (self.root / self.path(name)).exists():
            return unreadable
        return Unreadable(
            f"the workspace has no file {name!r}", "put it there, or name another in contract.yaml"
        )


def _json(raw: bytes) -> Json:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return read_json(decoded(raw))


def _hex(raw: bytes) -> Hex:
    return parse_hex(decoded(raw).strip())


def _underivable(underivable: Underivable, beside: _Beside, settings: WorkspaceSource, path: str) -> Finding:
    """Place the refusal in the compiler's file that it is about, or in `contract.yaml`."""
    files = {STD_JSON_INPUT: settings.input, STD_JSON_OUTPUT: settings.output}
    pointer = underivable.pointer
    named = files.get(str(pointer[0])) if pointer else None
    return Finding(
        rule="derivable",
        path=path if named is None else beside.path(named),
        pointer=() if named is None else pointer[1:],
        message=str(underivable),
        remedy=underivable.remedy,
    )
