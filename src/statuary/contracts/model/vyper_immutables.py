"""The size of the immutables that Vyper's creation code appends."""

import re
from collections.abc import Mapping
from typing import Final

from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.auxdata import Auxdata, parse_auxdata
from statuary.contracts.model.compiler_evidence import AppendedImmutables, AuxdataStyle, compiler_evidence

WORD_BYTES: Final = 32

_PUSH: Final = rb"(\x60.|\x61..|\x62.{3}|\x63.{4})"

_RETURNED_SIZE: Final = re.compile(rb"\x39" + _PUSH + _PUSH + rb"\xf3", re.DOTALL)
"""CODECOPY, and a RETURN of a size at a place in memory (0.3.4 to 0.3.9)."""

_ADDED_SIZE: Final = re.compile(
    rb"(?:\x39" + _PUSH + rb"|\x80)" + _PUSH + rb"\x01" + _PUSH + rb"\xf3", re.DOTALL
)
"""The size of the runtime code, ADD of the immutables' size, and a RETURN of the sum (0.3.1 to 0.3.3)."""


def appended_immutables_size(
    creation: bytes | None,
    runtime: bytes | None,
    *,
    language: str,
    version: str,
    auxdata: Mapping[str, Auxdata],
) -> int:
    """Return the size in bytes of the immutables after Vyper's runtime code.

    Immutables are variables that the constructor sets. Since Vyper 0.3.10, the metadata of the creation code states the
    size. For older versions, it is computed from the length that the creation code returns.

    Args:
        creation: the recompiled creation code.
        runtime: the recompiled runtime code.
        language: the language of the record.
        version: the version of the compiler.
        auxdata: the compiler's metadata in the creation code, by number.
    """
    evidence = compiler_evidence(language, version)
    if evidence.immutables is AppendedImmutables.STATED:
        return _stated_immutables_size(auxdata, evidence.auxdata)
    if evidence.immutables is AppendedImmutables.NONE or not creation or not runtime:
        return 0
    return _returned_immutables_size(creation, runtime)


def _stated_immutables_size(auxdata_sections: Mapping[str, Auxdata], style: AuxdataStyle) -> int:
    if "1" not in auxdata_sections:
        return 0
    try:
        return parse_auxdata(auxdata_sections["1"].value, style).immutable_size or 0
    except InvalidValueError:
        return 0


def _returned_immutables_size(creation_code: bytes, runtime_code: bytes) -> int:
    # Search on both sides of the runtime code, because the constructor may come before or after it.
    before, _, after = creation_code.partition(runtime_code)
    sizes = [0]
    for part in (before, after):
        sizes += [_push_operand(found[1]) - len(runtime_code) for found in _RETURNED_SIZE.finditer(part)]
        sizes += [_push_operand(found[2]) for found in _ADDED_SIZE.finditer(part)]
    return max(size for size in sizes if size % WORD_BYTES == 0)


def _push_operand(push_instruction: bytes) -> int:
    return int.from_bytes(push_instruction[1:], "big")
