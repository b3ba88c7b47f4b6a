"""Find the auxdata in recompiled bytecode, numbered as Sourcify does.

A contract that creates others contains their auxdata too. solc lists the pieces in its assembly output
(`evm.legacyAssembly`, the keys `.auxdata`): the contract's own first, then those of the contracts it creates.
Sourcify finds their positions by compiling twice with different sources; without a compiler, each listed
piece is searched for as bytes. Without assembly output the pieces are recognized as CBOR: the runtime code's
own first, then the others by position; then numbers of contracts that are created by created contracts may
differ from Sourcify's.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.domain.contracts.bytecode.auxdata import (
    LENGTH_BYTES,
    Auxdata,
    AuxdataStyle,
    auxdata_style,
    has_source_hash,
    split_auxdata,
)
from statuary.domain.contracts.bytecode.cbor import decode_cbor_prefix
from statuary.domain.contracts.bytecode.code_references import javascript_order
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.json_values import Json
from statuary.domain.limits import MAX_ASSEMBLY_DEPTH
from statuary.domain.primitives import InvalidValueError, is_hex_digits

LAST_WITHOUT_ASSEMBLY = CompilerVersion(0, 4, 11)
"""The last version of solc that wrote auxdata but did not list it in its assembly."""

_FIRST_KEYS = (
    b"\x64ipfs\x58\x22",
    b"\x65bzzr0\x58\x20",
    b"\x65bzzr1\x58\x20",
    b"\x64solc",
    b"\x6cexperimental",
)
"""The beginnings of the first pair in solc's map, after the one byte that begins a small map."""

_SMALLEST_MAP, _LARGEST_MAP = 0xA1, 0xAF

AuxdataByNumber = dict[str, Auxdata]


class AuxdataPositions(NamedTuple):
    """The auxdata of both sides, by number."""

    creation: AuxdataByNumber
    runtime: AuxdataByNumber


def auxdata_positions(
    creation: bytes, runtime: bytes, *, language: str, version: str, assembly: Json
) -> AuxdataPositions:
    """Find the auxdata in a contract's recompiled bytecode.

    `assembly` is the compiler's `evm.legacyAssembly`, or None if it was not requested.
    """
    style = auxdata_style(language, version)
    if style is not AuxdataStyle.SOLIDITY:
        # Vyper's auxdata is at the very end; from 0.3.10 on, runtime code has none
        ends_runtime = style if style is not AuxdataStyle.VYPER else AuxdataStyle.NONE
        return AuxdataPositions(_last(creation, style), _last(runtime, ends_runtime))
    if parse_compiler_version(version) <= LAST_WITHOUT_ASSEMBLY:
        return AuxdataPositions(_last(creation, style), _last(runtime, style))
    listed = listed_auxdata(assembly) if isinstance(assembly, dict) else recognized_auxdata(creation, runtime)
    if len(listed) > 1:
        # compiling twice shows no difference in a piece without a hash, so Sourcify does not find those
        listed = [piece if has_source_hash(piece, style, version) else b"" for piece in listed]
        return AuxdataPositions(_found(creation, listed), _found(runtime, listed))
    return AuxdataPositions(_only(creation, style, listed), _only(runtime, style, listed))


def _only(code: bytes, style: AuxdataStyle, listed: list[bytes]) -> AuxdataByNumber:
    """Return the one listed piece: at the end of the code, or anywhere else."""
    return (_last(code, style) if listed else {}) or _found(code, listed)


def listed_auxdata(assembly: Json) -> list[bytes]:
    """Return the auxdata that solc's `evm.legacyAssembly` lists, in Sourcify's order."""
    return list(_listed(assembly, 0))


def recognized_auxdata(creation: bytes, runtime: bytes) -> list[bytes]:
    """Return the auxdata that can be recognized in bytecode: the contract's own, then the others."""
    inner = [piece.value for piece in recognized_auxdata_pieces(runtime)]
    outer = [piece.value for piece in recognized_auxdata_pieces(creation)]
    for value in inner:
        if value in outer:
            outer.remove(value)
    return [*inner[-1:], *inner[:-1], *outer]


def recognized_auxdata_pieces(code: bytes) -> Iterator[Auxdata]:
    """Yield the parts of a code that parse as solc's auxdata: a CBOR map with known keys, and its length."""
    for start in _map_starts(code):
        try:
            _, end = decode_cbor_prefix(code, start)
        except InvalidValueError:
            continue
        if int.from_bytes(code[end : end + LENGTH_BYTES], "big") == end - start:
            yield Auxdata(start, code[start : end + LENGTH_BYTES])


def _map_starts(code: bytes) -> list[int]:
    starts = []
    for key in _FIRST_KEYS:
        place = code.find(key, 1)
        while place >= 0:
            if _SMALLEST_MAP <= code[place - 1] <= _LARGEST_MAP:
                starts.append(place - 1)
            place = code.find(key, place + 1)
    return sorted(starts)


def _listed(branch: Json, depth: int) -> Iterator[bytes]:
    if not isinstance(branch, dict) or depth > MAX_ASSEMBLY_DEPTH:
        return
    for key in javascript_order(branch):
        value = branch[key]
        if key == ".auxdata" and isinstance(value, str) and is_hex_digits(value):
            yield bytes.fromhex(value)
        elif key == ".data" or (key.isascii() and key.isdigit()):
            # contracts numbered A to F are left out: their numbers are hexadecimal, and Sourcify reads decimals
            yield from _listed(value, depth + 1)


def _last(code: bytes, style: AuxdataStyle) -> AuxdataByNumber:
    piece = split_auxdata(code, style)
    return {"1": piece} if piece else {}


def _found(code: bytes, listed: Iterable[bytes]) -> AuxdataByNumber:
    """Search for the listed pieces; equal pieces get positions in order."""
    found: AuxdataByNumber = {}
    next_place: dict[bytes, int] = {}
    for number, value in enumerate(listed, start=1):
        place = code.find(value, next_place.get(value, 0)) if value else -1
        if place >= 0:
            found[str(number)] = Auxdata(place, value)
            next_place[value] = place + len(value)
    return found
