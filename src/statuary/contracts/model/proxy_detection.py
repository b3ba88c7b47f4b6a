"""Detect proxies in bytecode (MEASUREMENTS.md, proxies).

Sourcify looks for proxy patterns in the creation code (or the runtime code, if that is unknown) and then
reads the chain. The same patterns are found here, which decides the cases that need no chain: a factory is
never a proxy, an EIP-1167 clone names its implementation, and code without patterns is not a proxy. Any other
result is a claim as of its date, which bytecode can contradict but not confirm.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from statuary.base.json_values import Json
from statuary.base.primitives import Address, checksum_address
from statuary.contracts.model.auxdata import LENGTH_BYTES
from statuary.contracts.model.cbor import is_cbor

SLOTS = {
    "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc": "EIP1967Proxy",
    "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50": "EIP1967Proxy",
    "7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3": "ZeppelinOSProxy",
    "c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7": "PROXIABLEProxy",
    "a619486e00000000000000000000000000000000000000000000000000000000": "GnosisSafeProxy",
    "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131b": "DiamondProxy",
    "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c": "DiamondProxy",
    "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131d": "DiamondProxy",
    "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbd": "EIP1967Proxy",
    "baab7dbf64751104133af04abc7d9979f0fda3b059a322a8333f533d3f32bf7f": "MaticProxy",
}
"""Constants that proxies push: storage slots, and the selector of `masterCopy()` for Safe's proxies."""

SLOT_NAMES = {b"matic.network.proxy.implementation": "MaticProxy"}
"""Strings whose Keccak-256 is a slot, for code by old releases of solc that hashes them at run time."""

EIP_1167 = re.compile(
    re.escape(bytes.fromhex("363d3d373d3d3d363d73"))
    + b"(.{20})"
    + re.escape(bytes.fromhex("5af43d82803e903d91602b57fd5bf3")),
    re.DOTALL,
)
"""The clone of EIP-1167, its implementation in the middle."""

CLONE_BYTES = 45
_CLONE_CONSTRUCTORS = (b"", bytes.fromhex("3d602d80600a3d3981f3"))
"""The code before a clone in nearly all cases, which then need no disassembly: none, or code that returns the clone."""

_SLOT_BYTES = {bytes.fromhex(slot): proxy_type for slot, proxy_type in SLOTS.items()}
_IN_DATA = _SLOT_BYTES | SLOT_NAMES
_DELEGATES_TO_OWN_SLOT = bytes.fromhex("30545af4")  # ADDRESS SLOAD GAS DELEGATECALL
_SEQUENCE = "SequenceWalletProxy"

_STOP, _ADDRESS, _CALLDATALOAD, _CODECOPY, _RETURNDATASIZE = 0x00, 0x30, 0x35, 0x39, 0x3D
_SLOAD, _JUMP, _JUMPI, _GAS, _JUMPDEST, _PUSH0, _PUSH1, _PUSH32 = (
    0x54,
    0x56,
    0x57,
    0x5A,
    0x5B,
    0x5F,
    0x60,
    0x7F,
)
_LOG1, _LOG4, _CREATE, _RETURN, _DELEGATECALL, _CREATE2, _REVERT = 0xA1, 0xA4, 0xF0, 0xF3, 0xF4, 0xF5, 0xFD

_ENDING = frozenset((_STOP, _RETURN, _JUMP, *range(_REVERT, 256)))
"""Instructions after which a program may end."""

_RELEVANT_OPCODES = frozenset(
    (_PUSH32, _JUMPDEST, _DELEGATECALL, _JUMP, _JUMPI, _RETURN, _CALLDATALOAD, _CREATE, _CREATE2, _CODECOPY)
) | frozenset(range(_LOG1, _LOG4 + 1))
"""Instructions that matter to the search."""


BEACON_SLOT = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
"""The slot in which EIP-1967 keeps the address of a beacon, which returns the implementation."""

SAFE = "GnosisSafeProxy"
DIAMOND = "DiamondProxy"


def proxy_slots(proxy_type: str, address: Address) -> list[str]:
    """Return the storage slots that may contain a proxy's implementation.

    A proxy is a contract that forwards calls to another contract, its implementation.

    Args:
        proxy_type: the type of the proxy, such as `EIP1967Proxy`.
        address: the address of the proxy.

    Returns:
        The slots as 32-byte hex strings, in the order in which this type of proxy uses them.
    """
    if proxy_type == SAFE:
        return [f"0x{0:064x}"]
    if proxy_type == _SEQUENCE:
        return [f"0x{address[2:].lower().zfill(64)}"]
    if proxy_type == DIAMOND:
        return []  # a diamond stores its facets in a mapping, not in a fixed slot
    return [f"0x{slot}" for slot, kind in SLOTS.items() if kind == proxy_type]


class ProxyVerdict(StrEnum):
    """The answer that bytecode alone gives to whether a contract is a proxy.

    A proxy forwards calls to another contract.
    """

    NOT_PROXY = "not a proxy"
    EIP_1167_PROXY = "an EIP-1167 proxy"
    NEEDS_CHAIN = "unknown without the chain"


class ProxyEvidence(NamedTuple):
    """The result of searching bytecode for the patterns of proxies."""

    verdict: ProxyVerdict
    implementation: Address | None = None  # the implementation of an EIP-1167 clone, else None
    is_plain_clone: bool = False
    """Whether the code is only the EIP-1167 clone.

    Every version of Sourcify detects such a clone, but the versions disagree if other code precedes or
    follows it.
    """
    candidates: tuple[str, ...] = ()  # the proxy types whose patterns are in the code, in order of appearance


class ProxyPatterns(NamedTuple):
    """The patterns in a contract's code that proxies have.

    A proxy forwards calls to another contract.
    """

    is_factory: bool  # whether the code creates contracts
    fixed: tuple[bytes, ...]  # constant addresses that the code delegates to
    candidates: tuple[str, ...]  # the proxy types whose storage slot the code pushes, with repetitions


def find_proxy_evidence(code: bytes) -> ProxyEvidence:
    """Decide from bytecode whether a contract may be a proxy.

    A proxy forwards calls to another contract, its implementation.

    Args:
        code: the creation code if it is known, else the runtime code.

    Returns:
        The decision, with the implementation if the code contains its address.
    """
    # The 45 bytes of an EIP-1167 clone may be followed by arguments, or preceded by a constructor. So look
    # for them at both ends of the code.
    clone = EIP_1167.match(code) or EIP_1167.fullmatch(code[-CLONE_BYTES:])
    if clone is not None and _is_only_eip_1167_clone(code):
        return _clone_evidence(clone[1], code)
    if clone is None and not _may_contain_proxy_pattern(code):
        return ProxyEvidence(ProxyVerdict.NOT_PROXY)
    patterns = find_proxy_patterns(code)
    if patterns.is_factory:
        return ProxyEvidence(ProxyVerdict.NOT_PROXY)
    if clone is not None and clone[1] in patterns.fixed[:1]:
        return _clone_evidence(clone[1], code)
    candidates = tuple(dict.fromkeys(patterns.candidates))
    verdict = ProxyVerdict.NEEDS_CHAIN if candidates else ProxyVerdict.NOT_PROXY
    return ProxyEvidence(verdict, candidates=candidates)


def _is_only_eip_1167_clone(code: bytes) -> bool:
    return len(code) == CLONE_BYTES or code[:-CLONE_BYTES] in _CLONE_CONSTRUCTORS


def _clone_evidence(implementation_bytes: bytes, code: bytes) -> ProxyEvidence:
    address = checksum_address(f"0x{implementation_bytes.hex()}")
    return ProxyEvidence(ProxyVerdict.EIP_1167_PROXY, address, is_plain_clone=len(code) == CLONE_BYTES)


def proxy_resolution_from_bytecode(code: bytes) -> dict[str, Json] | None:
    """Return a record's `proxyResolution` if the bytecode is enough to know it.

    Returns:
        The JSON object; None if the contract's storage has to be read.
    """
    evidence = find_proxy_evidence(code)
    if evidence.verdict is ProxyVerdict.NEEDS_CHAIN:
        return None
    if evidence.verdict is ProxyVerdict.NOT_PROXY:
        return {"isProxy": False, "proxyType": None, "implementations": []}
    implementations = [{"address": evidence.implementation}]
    return {"isProxy": True, "proxyType": "EIP1167Proxy", "implementations": implementations}


def _may_contain_proxy_pattern(code: bytes) -> bool:
    """Search for patterns as bytes, to avoid disassembling most contracts."""
    return _DELEGATES_TO_OWN_SLOT in code or any(mark in code for mark in _IN_DATA)


def find_proxy_patterns(code: bytes) -> ProxyPatterns:
    """Search a contract's bytecode for the patterns that proxies have.

    A proxy forwards calls to another contract. The code is disassembled in the same way as by whatsabi 0.28, which Sourcify
    uses. First comes the creation code, and then the runtime code that it returns.
    """
    disassembly = _Disassembly(code)
    end = disassembly.disassemble()
    patterns, init = disassembly.proxy_patterns(), disassembly.init
    if end and not patterns.fixed and not patterns.candidates:
        # The code may load the number of a proxy's storage slot from the data after the program, instead of
        # pushing it. So search the data for known slots.
        data = _data_after_program(code, end)
        patterns = patterns._replace(
            candidates=tuple(name for mark, name in _IN_DATA.items() if mark in data)
        )
    if init is not None and not patterns.fixed and not patterns.candidates:
        return patterns._replace(fixed=init.fixed, candidates=init.candidates)
    return patterns


def _data_after_program(code: bytes, program_end: int) -> bytes:
    # Such as constructor arguments. Leave out CBOR.
    data = code[program_end:]
    size = int.from_bytes(code[-LENGTH_BYTES:], "big") + LENGTH_BYTES
    if _is_halting_opcode(code[-1]) or size > len(data) or not is_cbor(data[-size:-LENGTH_BYTES]):
        return data
    return data[:-size]


def has_delegatecall(code: bytes) -> bool:
    """Return whether bytecode has the instruction DELEGATECALL.

    Every proxy has it, so other code need not be searched for proxy patterns.
    """
    offset = 0
    while offset < len(code):
        opcode = code[offset]
        if opcode == _DELEGATECALL:
            return True
        offset += opcode - _PUSH1 + 2 if _PUSH1 <= opcode <= _PUSH32 else 1
    return False


class _Disassembly:
    """A disassembly in progress, with the patterns found so far."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.at = 0
        self.offsets_before = (-1, -1, -1)
        self.init: ProxyPatterns | None = None
        self.runtime_offset = 0
        self.last_jump = 0
        self.has_pushed_32 = False
        self._start_program()

    def _start_program(self) -> None:
        self.is_factory = False
        self.fixed: dict[bytes, None] = {}
        self.candidates: list[str] = []
        self.first = ""
        self._start_function()

    def _start_function(self) -> None:
        self.returns = self.loads_calldata = False

    def proxy_patterns(self) -> ProxyPatterns:
        return ProxyPatterns(self.is_factory, tuple(self.fixed), tuple(self.candidates))

    def disassemble(self) -> int:
        """Disassemble the code up to the end of the program.

        Returns:
            The offset of the end; 0 if the code ends before the program does.
        """
        code = self.code
        offset = 0
        last_opcode = -1
        second = -1
        third = -1
        while offset < len(code):
            opcode = code[offset]
            # To save time, process only the instructions that can change the result.
            if (
                opcode in _RELEVANT_OPCODES
                or offset == self.runtime_offset
                or (last_opcode >= 0 and code[last_opcode] in _ENDING)
            ):
                self.at = offset
                self.offsets_before = (third, second, last_opcode)
                if self._process_instruction(opcode):
                    return offset
            third, second, last_opcode = second, last_opcode, offset
            offset += opcode - _PUSH1 + 2 if _PUSH1 <= opcode <= _PUSH32 else 1
        return 0

    def _process_instruction(self, opcode: int) -> bool:
        last_opcode = self._opcode_before(-1)
        if opcode == _PUSH32:
            self._process_push_32()
        elif _LOG1 <= opcode <= _LOG4 and self.has_pushed_32:
            pass  # the instruction is treated as an event, and ignored
        elif opcode == _JUMPDEST:
            if _is_halting_opcode(last_opcode) or last_opcode == _JUMP:
                self._start_function()
        elif self._ends_program(last_opcode):
            return True
        else:
            self._process_other_instruction(opcode, last_opcode)
        return False

    def _ends_program(self, last_opcode: int) -> bool:
        is_behind = self.runtime_offset < self.at and self.last_jump < self.at
        return is_behind and (_is_halting_opcode(last_opcode) or last_opcode == _JUMP)

    def _process_push_32(self) -> None:
        name = _SLOT_BYTES.get(self.code[self.at + 1 : self.at + 33])
        if name is None or name == self.first:
            self.has_pushed_32 = True
        else:
            self.first = self.first or name
            self.candidates.append(name)

    def _process_other_instruction(self, opcode: int, last_opcode: int) -> None:
        if opcode == _DELEGATECALL and last_opcode == _GAS:
            self._process_delegatecall()
        if opcode in (_JUMP, _JUMPI) and _is_push_opcode(last_opcode):
            self.last_jump = max(self.last_jump, self._pushed_constant(-1))
        self.returns |= opcode == _RETURN
        self.loads_calldata |= opcode == _CALLDATALOAD
        self.is_factory |= opcode in (_CREATE, _CREATE2)
        if opcode == _CODECOPY and self._copies_to_memory_start(last_opcode):
            self.runtime_offset = self._pushed_constant(-2)
        elif self.at == self.runtime_offset and self.returns and not self.loads_calldata:
            self.init = self.proxy_patterns()
            self._start_program()

    def _copies_to_memory_start(self, last_opcode: int) -> bool:
        return last_opcode in (_PUSH0, _PUSH1, _RETURNDATASIZE) and _is_push_opcode(self._opcode_before(-2))

    def _process_delegatecall(self) -> None:
        if _is_push_opcode(self._opcode_before(-2)):
            address = self._pushed_constant(-2) % (1 << 160)
            self.first = self.first or "FixedProxy"
            self.fixed[address.to_bytes(20, "big")] = None
        elif self._opcode_before(-2) == _SLOAD and self._opcode_before(-3) == _ADDRESS:
            self.first = self.first or _SEQUENCE
            self.candidates.append(_SEQUENCE)

    def _opcode_before(self, relative_index: int) -> int:
        place = self.offsets_before[relative_index]
        return self.code[place] if place >= 0 else -1

    def _pushed_constant(self, relative_index: int) -> int:
        place = self.offsets_before[relative_index]
        return int.from_bytes(self.code[place + 1 : place + 2 + self.code[place] - _PUSH1], "big")


def _is_push_opcode(opcode: int) -> bool:
    return _PUSH1 <= opcode <= _PUSH32


def _is_halting_opcode(opcode: int) -> bool:
    return opcode in (_STOP, _RETURN) or opcode >= _REVERT
