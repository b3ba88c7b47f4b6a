"""Field names of `fields` and `omit`, and members of every response.

Measured on Sourcify server 3.12.1, in the order of `fields=all`.
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
    "proxyResolution": ("onchainRuntimeBytecode", "onchainCreationBytecode"),
}
"""The members whose parts can be selected with a dot, and these parts."""

PROXY = "proxyResolution"

CODE_OF_PROXY = {"onchainRuntimeBytecode": "runtimeBytecode", "onchainCreationBytecode": "creationBytecode"}
"""The parts of `proxyResolution`: the on-chain code of a side, which the real server detects proxies in.

They replace the member's own value, which has no selectable parts; whoever selects the whole member gets that alone.
"""

BASE = ("matchId", "creationMatch", "runtimeMatch", "verifiedAt")
"""The nameable members of every response: `fields` moves them to the front, `omit` to the back."""

IDENTITY = ("match", "chainId", "address")
"""The last members of every response; they cannot be named."""

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
"""The fields that a selector may name.

The real server looks names up in JavaScript's prototype chain, so it also accepts `constructor`, `__proto__` or
`abi.length`, and answers 500 to `abi.0`. Here those are unknown fields.
"""
