"""The URLs of contracts: Sourcify's look-up, the proofs and the pages."""

from statuary.site.urls import CSS, HTML, FrameLinks, PutStep, UrlRows

_rows = UrlRows()

# URLs of the contract look-up and of the proofs

CONTRACT = _rows.add(
    "contract", "v2/contract/{chain_id}/{address}", "the full record of a verified contract", put=PutStep.BODY
)
CONTRACT_ALL_CHAINS = _rows.add(
    "contract-all-chains",
    "v2/contract/all-chains/{address}",
    "the chains on which an address is verified",
    put=PutStep.LIST,
)
CONTRACTS = _rows.add("contracts", "v2/contracts/{chain_id}", "the newest 200 verified contracts of a chain")
CONTRACTS_PAGE = _rows.add(
    "contracts-page",
    "v2/contracts-pages/{chain_id}/{page}.json",
    "up to 200 contracts of a chain, newest first; the name of a page is its first match id, or `oldest`",
    put=PutStep.LIST,
)
CONTRACTS_PAGES = _rows.add(
    "contracts-pages",
    "v2/contracts-pages/{chain_id}/index.json",
    "the pages of a chain, each with its match ids",
)
CHAINS = _rows.add("chains", "chains", "the chains of this site")
HEALTH = _rows.add("health", "health", "a sign of life, as Sourcify's server gives it", HTML)
VERSION_DOCUMENT = _rows.add(
    "version", "version", "the version of statuary, and of Sourcify's server that the look-up follows"
)
CONTRACT_SHARD = _rows.add(
    "contract-shard",
    "_shards/contract/{chain_id}/{shard}/{address}",
    "a record, or an address on all chains, for hosts that limit the files of a folder",
)
PROOF = _rows.add(
    "proof",
    "proof/{chain_id}/{address}.json",
    "the checks of a record, with the evidence of each",
    put=PutStep.BODY,
)
PROOF_SCHEMA = _rows.add("proof-schema", "proof/schema.json", "the JSON Schema of proofs")
PROOF_CHECKS = _rows.add(
    "proof-checks", "proof/checks.json", "the checks that proofs name, with the rule of each"
)
PROOF_SHARD = _rows.add(
    "proof-shard",
    "_shards/proof/{chain_id}/{shard}/{address}.json",
    "a proof, for hosts that limit the files of a folder",
)
CONTRACTS_HOME = _rows.add(
    "contracts-home", "contracts/index.html", "the chains, and a search over their contracts", HTML
)
CHAIN_PAGE = _rows.add(
    "chain-page", "contracts/{chain_id}/index.html", "the newest contracts of a chain, as a page", HTML
)
CHAIN_PAGES = _rows.add(
    "chain-pages",
    "contracts/{chain_id}/pages/{page}.html",
    "up to 200 contracts of a chain, newest first, as a page",
    HTML,
    put=PutStep.LIST,
)
CONTRACT_PAGE = _rows.add(
    "contract-page",
    "contracts/{chain_id}/{address}.html",
    "the page of a contract, with its proof",
    HTML,
    put=PutStep.PAGE,
)
CONTRACT_VIEWER = _rows.add("contract-viewer", "contract.html", "any contract: `?chain=…&address=…`", HTML)
CONTRACT_LINK = f"{CONTRACT_VIEWER.pattern}?chain={{chain_id}}&address={{address}}"
"""The link to a contract's page if it has no file of its own."""
SEARCH_INDEX = _rows.add("search-index", "contracts/search/index.json", "the files of the contract search")
SEARCH_SHARD = _rows.add(
    "search-shard",
    "contracts/search/{kind}/{shard}.json",
    "the contracts for all search terms with the same first characters",
    put=PutStep.BODY,
)
CONTRACT_STYLE = _rows.add(
    "contract-style",
    "assets/contract.css",
    "what only pages of contracts have of style",
    CSS,
    put=PutStep.BODY,
)
NOT_FOUND_JSON = _rows.add(
    "not-found-json",
    "errors/404.json",
    "the response for an unverified address on hosts that can only send files",
)
NO_EXPLORER_API = _rows.add(
    "no-explorer-api",
    "errors/explorer-api.json",
    "the response to a call of a block explorer's API (`/api?module=…`), which the site does not have",
)
LOOKUP_URLS = (CONTRACT, CONTRACT_ALL_CHAINS, CONTRACTS, CHAINS, HEALTH, VERSION_DOCUMENT)
"""The URLs of Sourcify's server, which the contract look-up answers wherever code can run."""

CONTRACT_URLS = (CONTRACT, PROOF, CONTRACT_PAGE)
"""The URLs of a single contract: a chain, then an address."""

LOOKUP_FOLDER = CONTRACT.pattern.partition("/")[0]
SHARDS_FOLDER = CONTRACT_SHARD.prefix.partition("/")[0]
SERVER_PREFIX = "server"
"""The folder of the look-up on sourcify.dev; some clients expect it."""

URLS = tuple(_rows)
"""The rows of the section."""

LINKS = FrameLinks(home=CONTRACTS_HOME)
