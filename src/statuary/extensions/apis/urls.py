"""The URLs of the interfaces."""

from statuary.documents.url_table import LOOKUP_FOLDER, TEXT, PutStep, Url

SIGNATURE_LOOKUP = "signature-database/v1/lookup"
SIGNATURE_SEARCH = "signature-database/v1/search"
"""Paths without a document: an edge runtime answers them."""

SIGNATURE_SHARD = Url(
    "signature-shard",
    "signature-database/shards/{kind}/{shard}.json",
    "the signatures whose hash begins with the same two digits; the kind is `function` (4 bytes) or `event` (32 bytes)",
    put=PutStep.BODY,
)
SIGNATURE_NAMES = Url(
    "signature-names",
    "signature-database/files/names.txt",
    "every signature of the site, a line each, in byte order",
    TEXT,
    put=PutStep.BODY,
)
SIGNATURE_STATS = Url(
    "signature-stats",
    "signature-database/v1/stats",
    "how many signatures of each kind the site has, as Sourcify's 4byte service says it",
    own_rule=True,
)
FOUNDRY_SIGNATURES = Url(
    "foundry-signatures",
    "signature-database/files/foundry.json",
    "the signatures in the form of Foundry's cache, `~/.foundry/cache/signatures`",
)
CLEF_SIGNATURES = Url(
    "clef-signatures",
    "signature-database/files/4byte-custom.json",
    "the signature of each selector for `clef --4bytedb-custom`",
)
ABI = Url(
    "abi",
    "abis/{chain_id}/{address}.json",
    "the ABI of a verified contract alone: a folder for `forge selectors cache --extra-abis-path`",
    put=PutStep.BODY,
)

ETHERSCAN_CALL = f"{LOOKUP_FOLDER}/api"
"""The path of calls of an explorer, where those of one chain are at `explorer/<chainId>/api`."""

ETHERSCAN_LIST = Url(
    "etherscan-list", f"{LOOKUP_FOLDER}/chainlist", "the chains, as Etherscan lists them", own_rule=True
)

ETHERSCAN = Url(
    "etherscan",
    "etherscan/contracts/{chain_id}/{address}/{action}.json",
    "the answer to Etherscan's `getsourcecode` or `getabi` about a contract, and its item of `getcontractcreation`",
    put=PutStep.BODY,
)
ETHERSCAN_ANSWER = Url(
    "etherscan-answer", "etherscan/answers/{name}.json", "the answer to a call that is not about a contract"
)
ETHERSCAN_CHAIN = Url("etherscan-chain", "etherscan/chains/{chain_id}.json", "a chain that calls may name")
ETHERSCAN_CHAINS = Url(
    "etherscan-chains", "etherscan/files/chainlist.json", "the same as `v2/chainlist`, for rules of hosts"
)

API_URLS = (
    SIGNATURE_SHARD,
    SIGNATURE_NAMES,
    SIGNATURE_STATS,
    FOUNDRY_SIGNATURES,
    CLEF_SIGNATURES,
    ABI,
    ETHERSCAN,
    ETHERSCAN_ANSWER,
    ETHERSCAN_CHAIN,
    ETHERSCAN_CHAINS,
    ETHERSCAN_LIST,
)
"""Every document of the interfaces."""
