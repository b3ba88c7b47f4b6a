"""EVM forks that compilers target, and the opcodes that each added."""

from collections.abc import Mapping
from typing import Final, NamedTuple

FORKS: Final = (
    "homestead",
    "tangerineWhistle",
    "spuriousDragon",
    "byzantium",
    "constantinople",
    "petersburg",
    "istanbul",
    "berlin",
    "london",
    "paris",
    "shanghai",
    "cancun",
    "prague",
    "osaka",
)
"""The values of solc's setting `evmVersion`, oldest first."""

ADDED: Final[Mapping[int, str]] = {
    0x46: "istanbul",  # CHAINID
    0x47: "istanbul",  # SELFBALANCE
    0x48: "london",  # BASEFEE
    0x5F: "shanghai",  # PUSH0
    **dict.fromkeys((0x49, 0x4A, 0x5C, 0x5D, 0x5E), "cancun"),  # BLOBHASH, BLOBBASEFEE, TLOAD, TSTORE, MCOPY
    0x1E: "osaka",  # CLZ
}
"""The fork that added an opcode; solc compiles none of them for an earlier one."""

_PUSH1, _PUSH32, _INVALID = 0x60, 0x7F, 0xFE


class UnsupportedOpcode(NamedTuple):
    """An opcode in bytecode that an EVM version does not support."""

    offset: int
    opcode: int
    fork: str


def find_unsupported_opcode(code: bytes, fork: str) -> UnsupportedOpcode | None:
    """Find the first opcode that an EVM version does not support.

    The search ends at the first `INVALID` opcode, because data follows it.

    Args:
        code: the bytecode, written by solc.
        fork: the name of the EVM version, such as `paris`; one of `FORKS`.
    """
    offset, newest = 0, FORKS.index(fork)
    while offset < len(code) and code[offset] != _INVALID:
        opcode = code[offset]
        added = ADDED.get(opcode)
        if added is not None and FORKS.index(added) > newest:
            return UnsupportedOpcode(offset, opcode, added)
        offset += opcode - _PUSH1 + 2 if _PUSH1 <= opcode <= _PUSH32 else 1
    return None
