"""Deployed contracts that a source lists, read on demand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.json_values import Json
from statuary.base.primitives import (
    Address,
    ChainId,
    Hex,
    InvalidValueError,
    checksum_address,
    keccak256,
    parse_address,
    parse_chain_id,
    parse_lowercase_hex,
    shorten,
)
from statuary.contracts.chain.transaction import compute_create_address
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation

UNKNOWN_ON_CHAIN = OnChainContract(None, None, WorkspaceDeployment())


class SourceContract(NamedTuple):
    """A contract's data in a source: a record, or a compilation."""

    record: bytes | None = None  # the bytes of a record; None if there is a compilation
    compilation: ImportedCompilation | None = None
    """The compilation, without output if the contract is not compiled yet."""
    on_chain: OnChainContract = UNKNOWN_ON_CHAIN  # the source's data about the chain
    other_transactions: tuple[Hex, ...] = ()  # candidates, if the named one did not create the contract
    revision: str = ""  # how to build the deployed code; empty if the source does not say


class ListedContract(NamedTuple):
    """A contract in a source, to be imported."""

    chain_id: ChainId
    address: Address
    name: str  # the contract's name in the source
    read_source: Callable[[], SourceContract]  # reads the rest; raises NotImportableError, UnreachableError

    @property
    def label(self) -> str:
        """The contract's name and address, for reports."""
        return format_contract_label(self.name, self.address)


class UnreadableContract(NamedTuple):
    """A contract that cannot be imported, with the reason."""

    name: str
    reason: str
    hint: str = ""
    is_expected: bool = False
    """Whether the contract is skipped as expected, because the source only mentions it."""
    chain_id: ChainId | None = None  # None if the entry does not name it
    address: Address | None = None  # None if the entry has none, or a malformed one

    @property
    def label(self) -> str:
        """The contract's name and address, if known, for reports."""
        return self.name if self.address is None else format_contract_label(self.name, self.address)


def format_contract_label(name: str, address: Address) -> str:
    """Format a contract for reports, such as `Fare (0x…)`."""
    return name if name == address else f"{name} ({address})"


ListedContracts = Iterator[ListedContract | UnreadableContract]


def parse_json_address(value: Json, location: str) -> Address:
    """Parse an address in any letter case, and add its checksum.

    Args:
        value: the JSON value.
        location: where the value is, for the error message.

    Raises:
        NotImportableError: if the value is not 20 bytes of hex.
    """
    if not isinstance(value, str):
        raise NotImportableError(f"{location} has no address")
    try:
        return parse_address(value.lower())
    except InvalidValueError as error:
        raise NotImportableError(f"{location}: {error}", error.hint) from None


def parse_json_chain_id(value: Json, location: str) -> ChainId:
    """Parse a chain id: a JSON number or a string of digits.

    Args:
        value: the JSON value.
        location: where the value is, for the error message.

    Raises:
        NotImportableError: if the value is not a chain id.
    """
    try:
        return parse_chain_id(str(value).strip())
    except InvalidValueError as error:
        raise NotImportableError(f"{location}: {error}", error.hint) from None


def parse_any_hex(hex_value: Json) -> Hex | None:
    """Parse hex digits, with or without `0x`.

    Returns:
        The digits in lower case with `0x`; None if the value is empty or not hex.
    """
    text = str(hex_value or "").lower()
    try:
        code = parse_lowercase_hex(text if text.startswith("0x") else f"0x{text}")
    except InvalidValueError:
        return None
    return None if code == "0x" else code


def to_decimal_string(value: Json) -> str | None:
    """Convert a decimal or hex number to a decimal string.

    For example, `0x10` becomes `16`.

    Returns:
        The string, or None if the value is not a number.
    """
    if not isinstance(value, str | int | float):
        return None
    try:
        return str(int(value, 16) if isinstance(value, str) and value.startswith("0x") else int(value))
    except (ValueError, OverflowError):
        return None


def make_deployment(
    transaction_hash: Json, block_number: Json, transaction_index: Json, sender: Json
) -> WorkspaceDeployment:
    """Collect what is known about the transaction that created a contract.

    All arguments are JSON that nobody has checked yet; malformed values are ignored.

    Args:
        transaction_hash: the hash of the transaction that created the contract.
        block_number: the number of its block.
        transaction_index: its position in the block.
        sender: the address that sent the transaction.
    """
    name, deployer = parse_any_hex(transaction_hash), parse_any_hex(sender)
    return WorkspaceDeployment(
        transaction_hash=name if name and len(name) == len("0x") + 64 else None,
        block_number=to_decimal_string(block_number),
        transaction_index=to_decimal_string(transaction_index),
        deployer=checksum_address(deployer) if deployer and len(deployer) == len("0x") + 40 else None,
    )


@contextmanager
def not_importable_if_malformed(file: Path) -> Iterator[None]:
    """Turn Python errors while reading a file into NotImportableError.

    For example, a KeyError means that the file lacks a required part.

    Args:
        file: the file that is read, for the error message.

    Raises:
        NotImportableError: if KeyError, TypeError, AttributeError or ValueError is raised in this context.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise NotImportableError(f"{file} is incomplete or malformed: {shorten(what, 120)}") from None


def yield_contracts_or_error(file: Path, contract_name: str, contracts: ListedContracts) -> ListedContracts:
    """Yield the contracts in a file, and if reading fails, an error.

    The error takes the place of a contract, so that the import continues with other files.

    Args:
        file: the file that is read.
        contract_name: the name in the report for the contract that could not be read, such as the file's name.
        contracts: the contracts in the file, read while they are yielded.
    """
    try:
        with not_importable_if_malformed(file):
            yield from contracts
    except NotImportableError as error:
        yield UnreadableContract(contract_name, str(error), error.hint)


DETERMINISTIC_FACTORY: Final = "0x4e59b44847b379578588920ca78fbf26c0b4956c"
"""The factory of https://github.com/Arachnid/deterministic-deployment-proxy; its input is a salt and creation code."""

SALT_BYTES: Final = 32

UNCHECKED_CREATION: Final = "the creating transaction is the one that the source names; nothing here shows that it created the contract"


class CreatedContract(NamedTuple):
    """A contract that a transaction creates if it succeeds."""

    address: Address
    code: Hex


def find_created_contract(
    sender: Address, nonce: int | None, to: Hex | None, data: Hex
) -> CreatedContract | None:
    """Find the contract that a transaction creates, with its address.

    Transactions without a recipient, and calls of the deterministic deployment factory, create contracts.

    Args:
        sender: the address that sent the transaction.
        nonce: the sender's nonce; None if unknown.
        to: the recipient; None for a transaction that creates a contract.
        data: the input of the transaction.

    Returns:
        The contract, or None if the transaction is not known to create one.
    """
    if to is None:
        return None if nonce is None else CreatedContract(compute_create_address(sender, nonce), data)
    raw = bytes.fromhex(data[2:])
    if to != DETERMINISTIC_FACTORY or len(raw) <= SALT_BYTES:
        return None
    salt, code = raw[:SALT_BYTES], raw[SALT_BYTES:]
    return CreatedContract(compute_create2_address(to, salt, code), Hex(f"0x{code.hex()}"))


def find_creation_code(address: str, sender: Json, nonce: Json, to: Json, data: Json) -> Hex | None:
    """Find the creation code of a contract in a transaction, if proven.

    Args:
        address: the address of the contract, in any letter case.
        sender: the sender of the transaction. This and the next values are unchecked JSON.
        nonce: the sender's nonce.
        to: the recipient.
        data: the transaction's input.

    Returns:
        The code; None if the values do not show that the transaction created a contract at this address.
    """
    origin = parse_any_hex(sender)
    code = parse_any_hex(data)
    number = to_decimal_string(nonce)
    if origin is None or code is None:
        return None
    created = find_created_contract(
        Address(origin), None if number is None else int(number), parse_any_hex(to), code
    )
    return created.code if created is not None and created.address.lower() == address.lower() else None


def compute_create2_address(factory: str, salt: bytes, code: bytes) -> Address:
    """Compute the address of a contract that was created with CREATE2.

    Args:
        factory: the address of the contract that executes CREATE2.
        salt: the 32 bytes of the salt.
        code: the creation code.
    """
    packed = b"\xff" + bytes.fromhex(factory[2:]) + salt + keccak256(code)
    return checksum_address("0x" + keccak256(packed)[12:].hex())
