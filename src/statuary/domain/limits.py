"""How much of anything is read: one table of bounds, so that no input costs more than it should.

Each bound is far above what real records hold, and what exceeds it is a finding about that record alone.
"""

from typing import Final

MAX_ABI_TYPE_DEPTH: Final = 32
"""Levels of arrays and tuples in an ABI type; solc runs out of stack long before."""

MAX_ABI_ITEMS: Final = 10_000
"""Values of one ABI encoding, and types of one parameter list."""

MAX_CBOR_DEPTH: Final = 16
"""Levels of nesting in auxdata; compilers use three."""

MAX_JSON_DEPTH: Final = 200
"""Levels of nesting in a record; no compiler comes near, and Python's own stack is limited."""

MAX_ASSEMBLY_DEPTH: Final = 64
"""Contracts created by contracts created by contracts, in solc's assembly output."""

MAX_RESIZING_STEPS: Final = 1_000
"""Transformations that change the length of the code: real records have one or two, and each moves all that follows."""

MAX_AUXDATA_BYTES: Final = 1_024
"""Bytes of one piece of auxdata: solc writes about 50, Vyper about 60 and a few for each data section."""

MAX_LAYOUT_DEPTH: Final = 64
"""Levels of types within types in a storage layout."""

MAX_LAYOUT_TYPES: Final = 20_000
"""Types in a storage layout."""

MAX_IMPORT_DEPTH: Final = 64
"""Levels of Vyper modules that import each other."""

MAX_IMPORTED_MODULES: Final = 256
"""Imports of one Vyper module."""

MAX_PERMUTED_VARIABLES: Final = 5
"""Variables whose every order is tried to find the text of storage layout overrides."""

MAX_SHOWN_FINDINGS: Final = 100
"""Findings of one check about one record."""
