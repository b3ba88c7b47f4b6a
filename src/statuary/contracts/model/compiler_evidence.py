"""The evidence that each release of a compiler leaves in code and output.

One table has it by language and version, and all that judges a record reads the table. How an integrity hash is
computed, and how a release reads sources or settings, is with the code that does so.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version

SOLIDITY: Final = "Solidity"
VYPER: Final = "Vyper"


class AuxdataStyle(StrEnum):
    """The layout of the metadata (auxdata) that a compiler appends to bytecode."""

    NONE = "none"
    SOLIDITY = "solidity"
    VYPER_0_3_4 = "vyper 0.3.4"
    VYPER_BEFORE_0_3_10 = "vyper 0.3.5 to 0.3.9"
    VYPER = "vyper"


class SourceHash(StrEnum):
    """The input of the source hash in bytecode, if there is one."""

    NONE = "none"
    METADATA = "metadata"  # solc's metadata, which contains the hash of each source
    INTEGRITY = "integrity"  # the sources of a Vyper module and its imports


class AppendedImmutables(StrEnum):
    """The place of the size of immutables after Vyper's runtime code.

    Immutables are variables that the constructor sets.
    """

    NONE = "none"  # the compiler appends no immutables
    RETURNED = "returned"  # the size follows from the length that the creation code returns
    STATED = "stated"  # the auxdata of the creation code contains the size


class CompilerEvidence(NamedTuple):
    """The marks that a compiler release leaves in bytecode and output.

    Checks expect them in a record, and report a record that lacks them or has others.
    """

    auxdata: AuxdataStyle = AuxdataStyle.NONE
    has_runtime_auxdata: bool = False  # whether the runtime code ends with auxdata too
    names_compiler: bool = False  # whether auxdata has the version of the compiler
    lists_auxdata: bool = False  # whether the compiler's assembly output lists each auxdata section
    source_hash: SourceHash = SourceHash.NONE
    immutables: AppendedImmutables = AppendedImmutables.NONE
    has_documentation: bool = False  # whether devdoc and userdoc are separate outputs of the compiler
    has_source_ids: bool = False  # whether records contain the ids by which source maps refer to sources
    layouts: tuple[str, ...] = ()  # the names of the record members with storage layouts
    starts_anywhere: bool = False  # whether a contract may choose the first slot of its layout
    has_interface: bool = True  # whether the compiler writes an ABI


class _Release(NamedTuple):
    """A compiler release from which on code contains other evidence."""

    first: CompilerVersion
    evidence: CompilerEvidence


_OLDEST: Final = CompilerVersion(0, 0, 0, released=False)

# Each constant describes a compiler from one release on, and repeats only what changed. src/MEASUREMENTS.md
# says how this was measured.
_SOLC: Final = CompilerEvidence()
# Since solc 0.3.6, the output gives each source a number (its source id).
_SOLC_0_3_6: Final = _SOLC._replace(has_source_ids=True)
# Since solc 0.4.7, bytecode ends with CBOR data (auxdata) that contains a hash of the metadata:
# https://docs.soliditylang.org/en/latest/metadata.html
_SOLC_0_4_7: Final = _SOLC_0_3_6._replace(
    auxdata=AuxdataStyle.SOLIDITY, has_runtime_auxdata=True, source_hash=SourceHash.METADATA
)
# Since solc 0.4.11, the documentation (devdoc and userdoc) is an output of its own; before, only the metadata
# had it.
_SOLC_0_4_11: Final = _SOLC_0_4_7._replace(has_documentation=True)
# Since solc 0.4.12, the output `evm.legacyAssembly` contains the CBOR data in the bytecode as `.auxdata`.
_SOLC_0_4_12: Final = _SOLC_0_4_11._replace(lists_auxdata=True)
# Since solc 0.5.9, the CBOR data in the bytecode contains the compiler's version, as `solc`.
_SOLC_0_5_9: Final = _SOLC_0_4_12._replace(names_compiler=True)
_SOLC_0_5_13: Final = _SOLC_0_5_9._replace(layouts=("storageLayout",))
_SOLC_0_8_28: Final = _SOLC_0_5_13._replace(layouts=("storageLayout", "transientStorageLayout"))
# Since solc 0.8.29, a contract can choose its first storage slot: `contract C layout at 5 {}`
_SOLC_0_8_29: Final = _SOLC_0_8_28._replace(starts_anywhere=True)

_VYPER: Final = CompilerEvidence(has_source_ids=True)
# Since Vyper 0.3.1, contracts can have immutables (values set at deployment), in 32-byte words after the
# runtime code.
_VYPER_0_3_1: Final = _VYPER._replace(immutables=AppendedImmutables.RETURNED)
# Vyper 0.3.4 appends eleven bytes of CBOR to the code, without the length that later releases add.
_VYPER_0_3_4: Final = _VYPER_0_3_1._replace(
    auxdata=AuxdataStyle.VYPER_0_3_4, has_runtime_auxdata=True, names_compiler=True
)
# Since Vyper 0.3.5, code ends with a CBOR map and the length of that map.
_VYPER_0_3_5: Final = _VYPER_0_3_4._replace(auxdata=AuxdataStyle.VYPER_BEFORE_0_3_10)
# Since Vyper 0.3.10, only creation code ends with CBOR data: an array with the sizes of the code, the data
# section and the immutables.
_VYPER_0_3_10: Final = _VYPER_0_3_5._replace(
    auxdata=AuxdataStyle.VYPER, has_runtime_auxdata=False, immutables=AppendedImmutables.STATED
)
# Since Vyper 0.4.1, this CBOR array begins with a hash of the sources (Vyper's integrity hash), and the
# compiler writes a storage layout.
_VYPER_0_4_1: Final = _VYPER_0_3_10._replace(source_hash=SourceHash.INTEGRITY, layouts=("storageLayout",))

EVIDENCE: Final[Mapping[str, Sequence[_Release]]] = {
    SOLIDITY: (
        _Release(_OLDEST, _SOLC),
        _Release(CompilerVersion(0, 3, 6), _SOLC_0_3_6),
        _Release(CompilerVersion(0, 4, 7), _SOLC_0_4_7),
        _Release(CompilerVersion(0, 4, 11), _SOLC_0_4_11),
        # Nightly builds of solc 0.4.12 already behave like the release.
        _Release(CompilerVersion(0, 4, 12, released=False), _SOLC_0_4_12),
        _Release(CompilerVersion(0, 5, 9), _SOLC_0_5_9),
        _Release(CompilerVersion(0, 5, 13), _SOLC_0_5_13),
        _Release(CompilerVersion(0, 8, 28), _SOLC_0_8_28),
        _Release(CompilerVersion(0, 8, 29), _SOLC_0_8_29),
    ),
    VYPER: (
        _Release(_OLDEST, _VYPER),
        _Release(CompilerVersion(0, 3, 1), _VYPER_0_3_1),
        _Release(CompilerVersion(0, 3, 4), _VYPER_0_3_4),
        _Release(CompilerVersion(0, 3, 5), _VYPER_0_3_5),
        _Release(CompilerVersion(0, 3, 10), _VYPER_0_3_10),
        _Release(CompilerVersion(0, 4, 1), _VYPER_0_4_1),
    ),
    # For sources in Yul, solc writes neither metadata nor an ABI.
    "Yul": (_Release(_OLDEST, CompilerEvidence(has_interface=False)),),
    "Fe": (_Release(_OLDEST, CompilerEvidence()),),
}
"""The evidence of each language's compiler, oldest release first."""


@lru_cache(maxsize=1024)
def compiler_evidence(language: str, version: str) -> CompilerEvidence:
    """Return the marks that a compiler version leaves in bytecode and output.

    For example, most Solidity versions write a hash of the metadata at the end of bytecode.

    Args:
        language: the record's `compilation.language`. An unknown language has no evidence.
        version: the record's `compilation.compilerVersion`. An invalid version is treated as the oldest.
    """
    number = parse_compiler_version(version)
    found = CompilerEvidence()
    for release in EVIDENCE.get(language, ()):
        if release.first <= number:
            found = release.evidence
    return found
