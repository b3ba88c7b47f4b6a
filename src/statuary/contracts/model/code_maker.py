"""Identify the compiler that wrote code, from its last bytes.

The record may name another one.
"""

from typing import Final, NamedTuple

from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.auxdata import LENGTH_BYTES, find_trailing_auxdata, parse_auxdata
from statuary.contracts.model.cbor import CborValue, decode_cbor
from statuary.contracts.model.compiler import parse_compiler_version
from statuary.contracts.model.compiler_evidence import SOLIDITY, AuxdataStyle, compiler_evidence

_OF_SOLC: Final = frozenset(("ipfs", "bzzr0", "bzzr1", "solc"))


class CodeMaker(NamedTuple):
    """The compiler and version that the end of bytecode names."""

    compiler: str  # solc or vyper
    version: str  # the version, or the name of a nightly build; empty if the code has none
    auxdata: bytes

    def is_compatible_with_version(self, compiler_version: str) -> bool:
        """Return whether a compiler version can have produced the code.

        Args:
            compiler_version: the version in a record, such as `0.8.30+commit.73712a01`.
        """
        number = parse_compiler_version(compiler_version)
        if self.compiler == "solc" and not self.version:
            evidence = compiler_evidence(SOLIDITY, compiler_version)
            names_none = evidence.auxdata is AuxdataStyle.SOLIDITY and not evidence.names_compiler
            return names_none or not number.released
        release = f"{number.major}.{number.minor}.{number.patch}"
        return self.version == release or compiler_version.startswith(self.version)


def find_code_maker(code: bytes) -> CodeMaker | None:
    """Find the compiler that the metadata at the end of bytecode names.

    Returns:
        The compiler and its version; None if the code names none.
    """
    for style in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER, AuxdataStyle.VYPER_0_3_4):
        piece = find_trailing_auxdata(code, style)
        if piece is None:
            continue
        try:
            fields = parse_auxdata(piece.value, style)
            compiler = _compiler_name(piece.value, style)
        except InvalidValueError:
            continue
        if compiler:
            return CodeMaker(compiler, fields.compiler, piece.value)
    return None


def _compiler_name(auxdata: bytes, style: AuxdataStyle) -> str:
    if style is not AuxdataStyle.SOLIDITY:
        return "vyper"
    item: CborValue = decode_cbor(auxdata[:-LENGTH_BYTES])
    members = frozenset(item) if isinstance(item, dict) else frozenset()
    if "vyper" in members:
        return "vyper"
    return "solc" if members & _OF_SOLC else ""
