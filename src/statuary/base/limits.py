"""Limits on input except those of extensions.

Content beyond a limit becomes a finding, and the rest is published. Each limit is far above what real content
needs.
"""

from typing import Final

MAX_ABI_TYPE_DEPTH: Final = 32
"""Levels of arrays and tuples in an ABI type; solc's own stack ends long before."""

MAX_CBOR_DEPTH: Final = 16
"""Levels of nesting in auxdata; compilers use three."""

MAX_RLP_DEPTH: Final = 16
"""Levels of lists in a header, transaction or trie node; a transaction's access list makes four."""

MAX_RECORD_DEPTH: Final = 200
"""Levels of nesting in a record; no compiler comes near, and Python's own stack is limited."""

MAX_JSON_TEXT_DEPTH: Final = 254
"""Levels of nesting in JSON text, as many as orjson writes."""

MAX_JSON_VALUES: Final = 2_000_000
"""Values of a JSON document from elsewhere: they take up to a hundred times the bytes of their text."""

MAX_INTEGER_DIGITS: Final = 80
"""Digits of an integer in JSON: storage slots have up to 78."""

MAX_STEPS: Final = 10_000_000
"""Steps of work on one record, each about a tenth of a microsecond: its proof, or its documents. Of the largest measured
records, none takes a fiftieth of it."""

TEXT_OF_A_STEP: Final = 128
"""Characters of text that are searched in a step."""

MAX_ASSEMBLY_DEPTH: Final = 64
"""Levels of contracts that create contracts, in solc's assembly output."""

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

LARGEST_BLOCK: Final = 1 << 63
"""The number of a block, its time in seconds or a nonce is less: JSON and databases hold no more."""

LARGEST_SOURCE_FILE: Final = 1 << 20
"""Bytes of one YAML or JSON file, and of one file of a theme."""

LARGEST_RECORD: Final = 16 << 20
"""Bytes of one contract's file, or of its line in a bulk file; the largest measured record has 0.97 MB."""

MAX_MESSAGE: Final = 2_000
"""Characters of a finding's message: the values in it may have any length."""

MAX_FOLDERS: Final = 32
"""Levels of folders in the content folder."""

MAX_NODES: Final = 2_000_000
"""Values of one YAML file; an alias counts each time it is used."""

MAX_AFFECTED: Final = 100_000
"""Components of a record times its updates: documents list the components with each update. It allows a thousand updates on
a hundred components."""

MAX_ALL_AFFECTED: Final = 500_000
"""Components in the documents of all records, counted again with each update and each window. It allows 20,000 incidents
with five updates on four components."""

MAX_DAY_RECORDS: Final = 20
"""Incidents and windows of one component that a day of its uptime names, the latest of them."""

MAX_EPOCH_ENTRIES: Final = 1_000_000
"""Components, with each open record and each of its updates, in the documents of all later instants that one build writes."""

MAX_EXPANSION: Final = 10
"""How often its own size one YAML file may grow by its aliases, in characters and values."""

MAX_YAML_DEPTH: Final = 200
"""Levels of nesting in one YAML file."""

MAX_YAML_TEXT_DEPTH: Final = 1_000
"""Levels of YAML text that libyaml composes safely; it crashes somewhere between 3,000 and 100,000."""

MAX_NUMBER_DIGITS: Final = 18
"""Digits of a whole number that certainly fit 64 bits."""

MAX_QUOTED: Final = 80
"""Characters of a wrong value that a message repeats."""

MAX_INTEGRITY_TEXTS: Final = 2_000
"""Orders of storage layout overrides whose integrity hash is computed."""
