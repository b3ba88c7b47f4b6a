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
    """The layout of a compiler's auxdata."""

    NONE = "none"
    SOLIDITY = "solidity"
    VYPER_0_3_4 = "vyper 0.3.4"
    VYPER_BEFORE_0_3_10 = "vyper 0.3.5 to 0.3.9"
    VYPER = "vyper"


class SourceHash(StrEnum):
    """The subject of the hash in auxdata: metadata, sources, or none."""

    NONE = "none"
    METADATA = "metadata"  # solc's metadata, which has the hash of each source
    INTEGRITY = "integrity"  # Vyper's sources and their imports


class AppendedImmutables(StrEnum):
    """The source of the size of the immutables that follow runtime code."""

    NONE = "none"  # the compiler appends none
    RETURNED = "returned"  # from the length that the creation code returns
    STATED = "stated"  # the auxdata of the creation code has it


class CompilerEvidence(NamedTuple):
    """The traces of the sources that a compiler release leaves in code."""

    auxdata: AuxdataStyle = AuxdataStyle.NONE
    has_runtime_auxdata: bool = False  # whether the runtime code ends with auxdata too
    names_compiler: bool = False  # whether auxdata has the version of the compiler
    lists_auxdata: bool = False  # whether the output has each piece of auxdata, in its assembly
    source_hash: SourceHash = SourceHash.NONE
    immutables: AppendedImmutables = AppendedImmutables.NONE
    has_documentation: bool = False  # whether devdoc and userdoc are outputs, besides being in the metadata
    has_source_ids: bool = False  # whether records have the ids of sources in source maps
    layouts: tuple[str, ...] = ()  # the members of records with storage layouts
    starts_anywhere: bool = False  # whether a contract may choose the first slot of its layout
    has_interface: bool = True  # whether the compiler writes an ABI


class _Release(NamedTuple):
    """The first release with some evidence, which the later ones up to the next row leave too."""

    first: CompilerVersion
    evidence: CompilerEvidence


_OLDEST: Final = CompilerVersion(0, 0, 0, released=False)

# Measured on records of Sourcify and on runs of the releases: src/MEASUREMENTS.md. The layouts of auxdata are also those
# of Sourcify's package bytecode-utils.
_SOLC: Final = CompilerEvidence()
# earlier records have no source ids
_SOLC_0_3_6: Final = _SOLC._replace(has_source_ids=True)
# a map with the Swarm hash of the metadata, https://docs.soliditylang.org/en/latest/metadata.html
_SOLC_0_4_7: Final = _SOLC_0_3_6._replace(
    auxdata=AuxdataStyle.SOLIDITY, has_runtime_auxdata=True, source_hash=SourceHash.METADATA
)
# earlier, only the metadata has them
_SOLC_0_4_11: Final = _SOLC_0_4_7._replace(has_documentation=True)
# `.auxdata` in `evm.legacyAssembly`
_SOLC_0_4_12: Final = _SOLC_0_4_11._replace(lists_auxdata=True)
# `solc` in the map
_SOLC_0_5_9: Final = _SOLC_0_4_12._replace(names_compiler=True)
_SOLC_0_5_13: Final = _SOLC_0_5_9._replace(layouts=("storageLayout",))
_SOLC_0_8_28: Final = _SOLC_0_5_13._replace(layouts=("storageLayout", "transientStorageLayout"))
# `contract C layout at 5 {}`
_SOLC_0_8_29: Final = _SOLC_0_8_28._replace(starts_anywhere=True)

_VYPER: Final = CompilerEvidence(has_source_ids=True)
# immutables are whole words behind the runtime code
_VYPER_0_3_1: Final = _VYPER._replace(immutables=AppendedImmutables.RETURNED)
# eleven bytes of CBOR without their length
_VYPER_0_3_4: Final = _VYPER_0_3_1._replace(
    auxdata=AuxdataStyle.VYPER_0_3_4, has_runtime_auxdata=True, names_compiler=True
)
# a map and its length
_VYPER_0_3_5: Final = _VYPER_0_3_4._replace(auxdata=AuxdataStyle.VYPER_BEFORE_0_3_10)
# an array with the sizes of code, data and immutables, in creation code alone
_VYPER_0_3_10: Final = _VYPER_0_3_5._replace(
    auxdata=AuxdataStyle.VYPER, has_runtime_auxdata=False, immutables=AppendedImmutables.STATED
)
# the integrity hash is the first item of the array
_VYPER_0_4_1: Final = _VYPER_0_3_10._replace(source_hash=SourceHash.INTEGRITY, layouts=("storageLayout",))

EVIDENCE: Final[Mapping[str, Sequence[_Release]]] = {
    SOLIDITY: (
        _Release(_OLDEST, _SOLC),
        _Release(CompilerVersion(0, 3, 6), _SOLC_0_3_6),
        _Release(CompilerVersion(0, 4, 7), _SOLC_0_4_7),
        _Release(CompilerVersion(0, 4, 11), _SOLC_0_4_11),
        # its nightly builds too
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
    # solc writes neither metadata nor an ABI for Yul
    "Yul": (_Release(_OLDEST, CompilerEvidence(has_interface=False)),),
    "Fe": (_Release(_OLDEST, CompilerEvidence()),),
}
"""The evidence of each language's compiler, oldest release first."""


@lru_cache(maxsize=1024)
def compiler_evidence(language: str, version: str) -> CompilerEvidence:
    """Return the traces of the sources that a compiler leaves in code.

    Args:
        language: the record's `compilation.language`; one that is not known here leaves nothing.
        version: its `compilation.compilerVersion`; an invalid one counts as the oldest.
    """
    number = parse_compiler_version(version)
    found = CompilerEvidence()
    for release in EVIDENCE.get(language, ()):
        if release.first <= number:
            found = release.evidence
    return found
