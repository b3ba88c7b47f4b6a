"""Lists of values that a later Sourcify, solc or Vyper may extend.

They are languages, compilers, reasons of transformations and members of records. A record with an unknown
value is published, and its proof says so. The value is an error only where bytes or public tables contradict
it, such as those of a known release.
"""

import re
from typing import Final

COMPILERS: Final = {"Solidity": "solc", "Yul": "solc", "Vyper": "vyper", "Fe": "fe"}
"""The known languages, each with its compiler."""


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+._-]{0,39}")


def is_plausible_name(text: str) -> bool:
    """Return whether a string may be a new language, compiler or type.

    A sentence or a deceptive string is not.
    """
    return _NAME.fullmatch(text) is not None


def is_known_compilation(language: str, compiler: str) -> bool:
    """Return whether statuary has rules for a language and its compiler.

    It has none for an unknown language or compiler. A known language with another language's compiler is a
    contradiction, which a rule reports.
    """
    return language in COMPILERS and (not compiler or compiler in COMPILERS.values())
