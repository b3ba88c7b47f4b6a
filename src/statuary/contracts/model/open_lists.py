"""Lists that Sourcify, solc and Vyper may extend.

They are languages, compilers, reasons of transformations and members of records.

A value that such a list lacks is not known here: the record is published, and the proof says so. It is a fault only
where bytes or public tables contradict it, as those of a release that is known here do.
"""

import re
from typing import Final

COMPILERS: Final = {"Solidity": "solc", "Yul": "solc", "Vyper": "vyper", "Fe": "fe"}
"""The known languages, each with its compiler."""


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+._-]{0,39}")


def is_name(text: str) -> bool:
    """Return whether text may be a word that upstream adds.

    A sentence or a deceptive string is not.
    """
    return _NAME.fullmatch(text) is not None


def is_known_compilation(language: str, compiler: str) -> bool:
    """Return whether the rules for a language and its compiler are known.

    A known language with the compiler of another one, or with none, is known too: it is a contradiction.
    """
    return language in COMPILERS and (not compiler or compiler in COMPILERS.values())
