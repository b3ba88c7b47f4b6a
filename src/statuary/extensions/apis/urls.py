"""The URLs of the explorers' APIs."""

from statuary.contracts.urls import LOOKUP_FOLDER
from statuary.site.urls import HTML, TEXT, PutStep, Url

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
"""The path of calls that name their chain; `explorer/<chainId>/api` is the path for one chain."""

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

OTTERSCAN_PREFIX = "otterscan"
"""The folder of the documents that Otterscan reads."""

REPOSITORY_FOLDER = "contracts"
"""The folder of contracts in the layouts of Sourcify's repository."""

REPOSITORY = Url(
    "otterscan-repository",
    f"{OTTERSCAN_PREFIX}/{REPOSITORY_FOLDER}/{{path}}",
    "the metadata and the sources of contracts, in the layouts 1 and 2 of Sourcify's repository",
    "",
    put=PutStep.BODY,
)
OTTERSCAN_SIGNATURE = Url(
    "otterscan-signature",
    f"{OTTERSCAN_PREFIX}/signatures/{{selector}}",
    "the functions and errors with a selector, with `;` between two",
    TEXT,
    put=PutStep.BODY,
)
OTTERSCAN_TOPIC = Url(
    "otterscan-topic",
    f"{OTTERSCAN_PREFIX}/topic0/{{topic}}",
    "the events with a hash as they are declared, with `;` between two",
    TEXT,
    put=PutStep.BODY,
)
OTTERSCAN_CHAIN = Url(
    "otterscan-chain",
    f"{OTTERSCAN_PREFIX}/chains/eip155-{{chain_id}}.json",
    "the name and the coin of a chain",
)
OTTERSCAN_LOGO = Url(
    "otterscan-logo",
    f"{OTTERSCAN_PREFIX}/assets/{{chain_id}}/{{address}}/logo.png",
    "the picture of a token",
    "image/png",
    put=PutStep.BODY,
)
OTTERSCAN_CONFIG = Url(
    "otterscan-config",
    f"{OTTERSCAN_PREFIX}/files/config.json",
    "the `config.json` of an Otterscan that reads this site",
)
BLOCKSCOUT = Url(
    "blockscout",
    "blockscout/{chain_id}/api/v2/smart-contracts/{address}",
    "a verified contract, as Blockscout's API has it",
    put=PutStep.BODY,
)
BLOCKSCOUT_ANSWER = Url(
    "blockscout-answer",
    "blockscout/answers/{name}",
    "Blockscout's answer about a contract that is not verified",
)
CODE = Url(
    "code",
    "code/{code_hash}",
    "the verified contracts whose runtime code has a keccak-256 hash",
    put=PutStep.BODY,
)
CODE_TEMPLATE = Url(
    "code-template",
    "code/template/{code_hash}",
    "the verified contracts with the same code but for libraries, immutables and metadata",
    put=PutStep.BODY,
)
CODE_LENGTH = Url(
    "code-length",
    "code/length/{length}",
    "the templates of a length, each with the places that are zeros in it",
)
CODE_PAGE = Url(
    "code-page",
    "bytecode/index.html",
    "the page that finds the verified name of pasted code",
    HTML,
    put=PutStep.PAGE,
)

PROXIES = Url(
    "proxies", "proxies/index.json", "the proxies of the site, each with its present implementations"
)
PROXY = Url(
    "proxy",
    "proxies/{chain_id}/{address}/resolved.json",
    "a proxy: its ABI merged with those of its implementations, and the implementations that the site has seen",
    put=PutStep.BODY,
)
PROXY_ABI = Url(
    "proxy-abi",
    "proxies/{chain_id}/{address}/abi.json",
    "the merged ABI of a proxy alone",
    put=PutStep.BODY,
)
PROXY_CHANGES = Url(
    "proxy-changes",
    "proxies/{chain_id}/{address}/{before}-{after}.json",
    "what changed from one implementation of a proxy to another: storage, ABI and sources",
    put=PutStep.BODY,
)
PROXY_PAGE = Url(
    "proxy-page",
    "proxies/{chain_id}/{address}/index.html",
    "the page of a proxy: what can be called, and its implementations",
    HTML,
    put=PutStep.PAGE,
)
PROXY_CHANGES_PAGE = Url(
    "proxy-changes-page",
    "proxies/{chain_id}/{address}/{before}-{after}.html",
    "the page that compares two implementations of a proxy",
    HTML,
    put=PutStep.PAGE,
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
    REPOSITORY,
    OTTERSCAN_SIGNATURE,
    OTTERSCAN_TOPIC,
    OTTERSCAN_CHAIN,
    OTTERSCAN_LOGO,
    OTTERSCAN_CONFIG,
    BLOCKSCOUT,
    BLOCKSCOUT_ANSWER,
    CODE,
    CODE_TEMPLATE,
    CODE_LENGTH,
    CODE_PAGE,
    PROXIES,
    PROXY,
    PROXY_ABI,
    PROXY_CHANGES,
    PROXY_PAGE,
    PROXY_CHANGES_PAGE,
)
"""All documents of these APIs."""
