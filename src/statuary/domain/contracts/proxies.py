"""What bytecode alone says about being a proxy (contract-api measurement 6).

Sourcify looks for the marks of proxies in the creation code (the runtime code, where that is unknown) and then
asks the chain. Here the marks are found in the same way, so it is known which answers need no chain at all: a
factory is never a proxy, an EIP-1167 clone names its implementation, and code without marks is no proxy. The
rest is a claim "as of" its date that bytecode can contradict but not confirm.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from statuary.domain.primitives import Address, checksummed

SLOTS = {
    "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc": "EIP1967Proxy",
    "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50": "EIP1967Proxy",
    "7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3": "ZeppelinOSProxy",
    "c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7": "PROXIABLEProxy",
    "a619486e00000000000000000000000000000000000000000000000000000000": "GnosisSafeProxy",
    "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131b": "DiamondProxy",
    "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c": "DiamondProxy",
}
"""Constants that proxies push: storage slots, and the selector of `masterCopy()` for Safe's proxies."""

EIP_1167 = re.compile(
    re.escape(bytes.fromhex("363d3d373d3d3d363d73"))
    + b"(.{20})"
    + re.escape(bytes.fromhex("5af43d82803e903d91602b57fd5bf3")),
    re.DOTALL,
)
"""The clone of EIP-1167, its implementation in the middle."""

_SLOT_BYTES = {bytes.fromhex(slot): proxy_type for slot, proxy_type in SLOTS.items()}
_DELEGATES_TO_OWN_SLOT = bytes.fromhex("30545af4")  # ADDRESS SLOAD GAS DELEGATECALL

_STOP, _SLOAD, _ADDRESS, _GAS, _JUMPDEST = 0x00, 0x54, 0x30, 0x5A, 0x5B
_PUSH1, _PUSH32, _LOG1, _LOG4 = 0x60, 0x7F, 0xA1, 0xA4
_CREATE, _RETURN, _DELEGATECALL, _CREATE2, _REVERT = 0xF0, 0xF3, 0xF4, 0xF5, 0xFD


class Verdict(StrEnum):
    """What bytecode alone decides."""

    NOT_PROXY = "not a proxy"
    EIP_1167_PROXY = "an EIP-1167 proxy"
    NEEDS_CHAIN = "to be asked of the chain"


@dataclass(frozen=True, slots=True)
class ProxyEvidence:
    """The verdict on a code.

    Attributes:
        verdict: what is decided.
        implementation: of an EIP-1167 clone; None elsewhere.
        candidates: the proxy types whose marks are in the code, in order of appearance.
    """

    verdict: Verdict
    implementation: Address | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Marks:
    is_factory: bool
    fixed: tuple[bytes, ...]
    candidates: tuple[str, ...]


@lru_cache(maxsize=1024)
def proxy_evidence(code: bytes) -> ProxyEvidence:
    """Say what a contract's code (creation code if it is known, else runtime code) decides about proxies."""
    ending = EIP_1167.fullmatch(code[-45:])
    if ending is None and not _may_have_marks(code):
        return ProxyEvidence(Verdict.NOT_PROXY)
    marks = _marks(code)
    if marks.is_factory:
        return ProxyEvidence(Verdict.NOT_PROXY)
    if ending is not None and ending[1] in marks.fixed[:1]:
        return ProxyEvidence(Verdict.EIP_1167_PROXY, checksummed("0x" + ending[1].hex()))
    candidates = tuple(dict.fromkeys(marks.candidates))
    return ProxyEvidence(Verdict.NEEDS_CHAIN if candidates else Verdict.NOT_PROXY, None, candidates)


def _may_have_marks(code: bytes) -> bool:
    """Look for the marks as mere bytes, which spares nearly every contract the walk through its instructions."""
    return _DELEGATES_TO_OWN_SLOT in code or any(slot in code for slot in _SLOT_BYTES)


def _marks(code: bytes) -> _Marks:
    """Walk the program as whatsabi does: up to a halt that no jump destination follows."""
    is_factory, fixed, found, end = False, [], [], len(code)
    pushed_32 = False
    before: list[int] = []  # positions of the four instructions before this one, the last one last
    for at in _instructions(code):
        opcode, last = code[at], code[before[-1]] if before else -1
        if opcode == _PUSH32:
            slot = _SLOT_BYTES.get(code[at + 1 : at + 33])
            found += [slot] if slot else []
            pushed_32 = pushed_32 or slot is None
        elif _LOG1 <= opcode <= _LOG4 and pushed_32:
            pass  # whatsabi notes an event here, and looks no further at the instruction
        elif opcode != _JUMPDEST and _halts(last):
            end = at
            break
        elif opcode == _DELEGATECALL and last == _GAS:
            fixed += _constant_before(code, before)
            found += ["SequenceWalletProxy"] if _loads_own_slot(code, before) else []
        elif opcode in (_CREATE, _CREATE2):
            is_factory = True
        before = [*before[-3:], at]
    if not found and not fixed and end < len(code):
        # slots may lie in data behind the program, copied into memory from there
        found = [proxy_type for slot, proxy_type in _SLOT_BYTES.items() if slot in code[end:]]
    return _Marks(is_factory, tuple(fixed), tuple(found))


def _instructions(code: bytes) -> Iterator[int]:
    at = 0
    while at < len(code):
        yield at
        opcode = code[at]
        at += opcode - _PUSH1 + 2 if _PUSH1 <= opcode <= _PUSH32 else 1


def _halts(opcode: int) -> bool:
    return opcode in (_STOP, _RETURN) or opcode >= _REVERT


def _constant_before(code: bytes, before: list[int]) -> list[bytes]:
    """Return the address pushed right before GAS and DELEGATECALL, if a constant was."""
    if len(before) < 2 or not _PUSH1 <= (push := code[before[-2]]) <= _PUSH32:
        return []
    width = push - _PUSH1 + 1
    return [code[before[-2] + 1 : before[-2] + 1 + width][-20:].rjust(20, b"\0")]


def _loads_own_slot(code: bytes, before: list[int]) -> bool:
    return len(before) > 2 and code[before[-2]] == _SLOAD and code[before[-3]] == _ADDRESS
