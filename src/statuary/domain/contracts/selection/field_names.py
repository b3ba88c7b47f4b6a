"""The names that `fields` and `omit` take, and the members that every answer has.

Measured of Sourcify server 3.12.1; the order is the one it serves with `fields=all`.
"""

BYTECODE = (
    "onchainBytecode",
    "recompiledBytecode",
    "sourceMap",
    "linkReferences",
    "cborAuxdata",
    "transformations",
    "transformationValues",
)

GROUPS: dict[str, tuple[str, ...]] = {
    "creationBytecode": BYTECODE,
    "runtimeBytecode": (*BYTECODE, "immutableReferences"),
    "deployment": ("transactionHash", "blockNumber", "transactionIndex", "deployer"),
    "compilation": (
        "language",
        "compiler",
        "compilerVersion",
        "compilerSettings",
        "name",
        "fullyQualifiedName",
    ),
    "signatures": ("function", "event", "error"),
}
"""The members below which one dot may select, and what they hold."""

BASE = ("matchId", "creationMatch", "runtimeMatch", "verifiedAt")
"""Members of every answer that can be named: `fields` moves them forward, `omit` moves them back."""

IDENTITY = ("match", "chainId", "address")
"""The last members of every answer; they cannot be named."""

SELECTABLE = (
    *BASE,
    "creationBytecode",
    "runtimeBytecode",
    "deployment",
    "sources",
    "compilation",
    "abi",
    "metadata",
    "storageLayout",
    "transientStorageLayout",
    "userdoc",
    "devdoc",
    "sourceIds",
    "additionalInput",
    "stdJsonInput",
    "stdJsonOutput",
    "signatures",
    "proxyResolution",
)
"""Every name without a dot, in served order."""

DOTTED = tuple(f"{group}.{member}" for group, members in GROUPS.items() for member in members)
"""Every name with a dot."""

NAMES = frozenset((*SELECTABLE, *DOTTED))


def is_field(name: str) -> bool:
    """Say whether a selector names a field.

    The real server looks names up along JavaScript's prototype chain and inside its own query table, so
    it also takes `constructor`, `__proto__` or `abi.length`, answers 500 to `abi.0`, and gives raw code
    for `proxyResolution.onchainRuntimeBytecode`. Here those are unknown fields like any other.
    """
    return name in NAMES
