"""The address and the creation code of the contract that a transaction creates, from the transaction's own fields."""

from typing import Final, NamedTuple

from statuary.domain.chain.transaction import create_address
from statuary.domain.primitives import Address, Hex, checksum_address, keccak256

DETERMINISTIC_FACTORY: Final = "0x4e59b44847b379578588920ca78fbf26c0b4956c"
"""The factory of https://github.com/Arachnid/deterministic-deployment-proxy; its input is a salt and creation code."""

SALT_BYTES: Final = 32

UNCHECKED_CREATION: Final = "the creating transaction is the one that the source names; nothing here shows that it created the contract"


class CreatedContract(NamedTuple):
    """A contract that a transaction creates if it succeeds."""

    address: Address
    code: Hex


def created_contract(sender: Address, nonce: int | None, to: Hex | None, data: Hex) -> CreatedContract | None:
    """Return the contract that a transaction creates itself or through the deterministic factory; else None.

    Args:
        sender: who sends it.
        nonce: the sender's, if it is known.
        to: the receiver; None for a transaction that creates a contract.
        data: its input.
    """
    if to is None:
        return None if nonce is None else CreatedContract(create_address(sender, nonce), data)
    raw = bytes.fromhex(data[2:])
    if to != DETERMINISTIC_FACTORY or len(raw) <= SALT_BYTES:
        return None
    salt, code = raw[:SALT_BYTES], raw[SALT_BYTES:]
    return CreatedContract(create2_address(to, salt, code), Hex(f"0x{code.hex()}"))


def create2_address(factory: str, salt: bytes, code: bytes) -> Address:
    """Return the address that CREATE2 gives (EIP-1014): Keccak-256 of 0xff, creator, salt and hash of the code."""
    packed = b"\xff" + bytes.fromhex(factory[2:]) + salt + keccak256(code)
    return checksum_address("0x" + keccak256(packed)[12:].hex())
