"""Lists of values that a later Sourcify, solc or Vyper may extend.

The values are languages, compilers, reasons of transformations and members of records. A record with an unknown
value is published, and its proof says so. The value is an error only where bytes or public tables contradict
it, such as those of a known release.
"""

import re
from typing import Final

COMPILERS: Final = {"Solidity": "solc", "Yul": "solc", "Vyper": "vyper", "Fe": "fe"}
"""The known languages, each with its compiler."""


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+._-]{0,39}")


def is_plausible_name(name: str) -> bool:
    """Return whether a string could name a new language, compiler or type.

    A sentence, or a string with invisible characters, could not.
    """
    return _NAME.fullmatch(name) is not None


def is_known_compilation(language: str, compiler: str) -> bool:
    """Return whether statuary knows both a language and a compiler.

    The result is True even if the compiler is for another language. A rule reports that case.

    Args:
        language: the language of a record, such as `Solidity`.
        compiler: the compiler of the record, such as `solc`.
    """
    return language in COMPILERS and (not compiler or compiler in COMPILERS.values())
