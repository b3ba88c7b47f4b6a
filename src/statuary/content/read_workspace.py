"""A workspace to its record: `contract.yaml` and the files beside it."""

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import orjson

from statuary.content.load_model import load_model
from statuary.content.parse_json import parse_json
from statuary.content.parse_record import ParsedContract
from statuary.content.source_files import SourceFile, decode_utf8
from statuary.content.sources.workspace_source import WorkspaceFiles, WorkspaceSource
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.derivation import derive_record
from statuary.domain.contracts.workspace import STD_JSON_INPUT, STD_JSON_OUTPUT, DerivationError
from statuary.domain.findings import Finding
from statuary.domain.json_values import Json
from statuary.domain.limits import LARGEST_RECORD
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_hex,
)


def read_workspace(file: SourceFile, source: ContractSource) -> ParsedContract:
    """Return the record that a workspace makes, or what is wrong with it."""
    findings: list[Finding] = []
    settings = load_model(file, WorkspaceSource, LARGEST_RECORD, findings)
    identity = _identity(source, findings)
    if settings is None or identity is None:
        return ParsedContract(None, findings=findings)
    chain_id, address = identity
    folder = _WorkspaceFolder(file, findings)
    files = folder.read(settings)
    if findings:
        return ParsedContract(None, findings=findings)
    try:
        return ParsedContract(derive_record(settings.workspace(chain_id, address, files)))
    except DerivationError as error:
        return ParsedContract(None, findings=[_derivation_finding(error, folder, settings, source.path)])


def _identity(source: ContractSource, findings: list[Finding]) -> tuple[ChainId, Address] | None:
    """Return chain id and address as the folders name them."""
    try:
        return parse_chain_id(source.chain_id), parse_address(source.address)
    except InvalidValueError as error:
        findings.append(
            Finding(
                rule="path-names-contract",
                path=source.path,
                message=f"the folder's {error}",
                hint=error.hint,
            )
        )
        return None


class _WorkspaceFolder:
    """The files of a workspace, beside its `contract.yaml`."""

    def __init__(self, file: SourceFile, findings: list[Finding]) -> None:
        self.root = file.root
        self.folder = PurePosixPath(file.path).parent
        self.findings = findings

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def read(self, settings: WorkspaceSource) -> WorkspaceFiles:
        return WorkspaceFiles.model_construct(
            std_json_input=self._read(settings.input, _json),
            std_json_output=self._read(settings.output, _json),
            onchain_creation=self._code(settings.creation, "creation.hex"),
            onchain_runtime=self._code(settings.runtime, "runtime.hex"),
        )

    def _code(self, name: str | None, default: str) -> Hex | None:
        if name is None and not os.path.lexists(self.root / self.path(default)):
            return None
        return self._read(name or default, _hex)  # type: ignore[no-any-return]

    def _read(self, name: str, reader: Callable[[bytes], Any]) -> Any:
        path = self.path(name)
        try:
            return reader(SourceFile(self.root, path).bytes(LARGEST_RECORD))
        except UnreadableError as error:
            self.findings.append(self._or_missing(error, name).finding(path))
        except InvalidValueError as error:
            self.findings.append(UnreadableError(str(error), error.hint).finding(path))
        return None

    def _or_missing(self, error: UnreadableError, name: str) -> UnreadableError:
        if os.path.lexists(self.root / self.path(name)):
            return error
        return UnreadableError(
            f"the workspace has no file {name!r}", "add it, or name another in contract.yaml"
        )


def _json(raw: bytes) -> Json:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(decode_utf8(raw))


def _hex(raw: bytes) -> Hex:
    return parse_hex(decode_utf8(raw).strip())


def _derivation_finding(
    error: DerivationError, folder: _WorkspaceFolder, settings: WorkspaceSource, path: str
) -> Finding:
    """Return the finding in the compiler's file that the error is about, or in `contract.yaml`."""
    files = {STD_JSON_INPUT: settings.input, STD_JSON_OUTPUT: settings.output}
    pointer = error.pointer
    named = files.get(str(pointer[0])) if pointer else None
    return Finding(
        rule="derivable",
        path=path if named is None else folder.path(named),
        pointer=() if named is None else pointer[1:],
        message=str(error),
        hint=error.hint,
    )
