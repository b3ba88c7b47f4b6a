"""A contract that a source lists as deployed; it is read only when it is needed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from statuary.domain.contracts.workspace import WorkspaceDeployment
from statuary.domain.json_values import Json
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    InvalidValueError,
    checksum_address,
    parse_address,
    parse_chain_id,
    parse_hex,
    shorten,
)
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.on_chain_contract import OnChainContract

UNKNOWN_ON_CHAIN = OnChainContract(None, None, WorkspaceDeployment())


class SourceContract(NamedTuple):
    """A contract in a source: a whole record, or a compilation."""

    record: bytes | None = None  # the bytes of a record; None if there is a compilation
    compilation: ImportedCompilation | None = None  # without output if it is not compiled yet
    on_chain: OnChainContract = UNKNOWN_ON_CHAIN  # what the source knows of the chain


class FoundContract(NamedTuple):
    """A contract that a source names."""

    chain_id: ChainId
    address: Address
    name: str  # what the source calls it
    read: Callable[[], SourceContract]  # reads the rest; raises ContractImportError


class UnreadableContract(NamedTuple):
    """An entry of a source that cannot be a contract of the site, and the reason."""

    name: str
    reason: str
    hint: str = ""


Found = Iterator[FoundContract | UnreadableContract]


def any_address(value: Json, where: str) -> Address:
    """Return an address of a tool's file, in any case of its digits.

    Raises:
        ContractImportError: if it is not 20 bytes of hex.
    """
    if not isinstance(value, str):
        raise ContractImportError(f"{where} has no address")
    try:
        return parse_address(value.lower())
    except InvalidValueError as error:
        raise ContractImportError(f"{where}: {error}", error.hint) from None


def any_chain_id(value: Json, where: str) -> ChainId:
    """Return the chain id of a tool's file: a number, or its text; raise ContractImportError if it is not one."""
    try:
        return parse_chain_id(str(value).strip())
    except InvalidValueError as error:
        raise ContractImportError(f"{where}: {error}", error.hint) from None


def any_hex(value: Json) -> Hex | None:
    """Return bytes of a tool's file, with or without `0x`; None if they are missing, empty or not hex."""
    text = str(value or "").lower()
    try:
        code = parse_hex(text if text.startswith("0x") else f"0x{text}")
    except InvalidValueError:
        return None
    return None if code == "0x" else code


def any_quantity(value: Json) -> str | None:
    """Return a number of a tool's file, which may be hex, as decimal text; None if it is not one."""
    try:
        return str(int(value, 16) if isinstance(value, str) and value.startswith("0x") else int(value))
    except (TypeError, ValueError):
        return None


def any_deployment(transaction: Json, block: Json, index: Json, sender: Json) -> WorkspaceDeployment:
    """Return the creating transaction of a tool's file, without malformed members."""
    name, deployer = any_hex(transaction), any_hex(sender)
    return WorkspaceDeployment(
        transaction_hash=name if name and len(name) == len("0x") + 64 else None,
        block_number=any_quantity(block),
        transaction_index=any_quantity(index),
        deployer=checksum_address(deployer) if deployer and len(deployer) == len("0x") + 40 else None,
    )


@contextmanager
def complete(file: Path) -> Iterator[None]:
    """Raise a ContractImportError where a file lacks what its tool writes."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ContractImportError(f"{file} is not complete: {shorten(what, 120)}") from None


def found_in(file: Path, name: str, contracts: Found) -> Found:
    """Yield the contracts of a file or folder, and the reasons for what cannot be read."""
    try:
        with complete(file):
            yield from contracts
    except ContractImportError as error:
        yield UnreadableContract(name, str(error), error.hint)
