"""Files for Otterscan: signatures, chains, pictures and its configuration."""

from collections.abc import Iterable, Iterator

from statuary.contracts.model.abi import signature_hash
from statuary.contracts.settings import Chain
from statuary.extensions.apis import urls
from statuary.extensions.apis.signatures import WHOLE_SITE, SiteSignatures, rank_signature
from statuary.site.document import Document, encode_json


def iter_signature_files(site: SiteSignatures) -> Iterator[Document]:
    """Make the files in which Otterscan looks up signatures by hash.

    Otterscan is a block explorer. If several signatures have the same hash, one file has all of them, separated by `;`.
    """
    by_selector: dict[str, list[str]] = {}
    texts = site.functions | site.errors
    for key, *_, text in sorted(
        (signature_hash(text)[2:10], rank_signature(text, site), text) for text in texts
    ):
        by_selector.setdefault(key, []).append(text)
    for key, signatures in by_selector.items():
        yield _make_text_document(urls.OTTERSCAN_SIGNATURE.path(selector=key), ";".join(signatures))
    for text, declarations in sorted(site.events.items()):
        yield _make_text_document(
            urls.OTTERSCAN_TOPIC.path(topic=signature_hash(text)[2:]), ";".join(declarations)
        )


def _make_text_document(path: str, content: str) -> Document:
    media_type = urls.OTTERSCAN_SIGNATURE.media_type
    return Document(
        path=path, body=content.encode(), media_type=media_type, sources=WHOLE_SITE, persistent=True
    )


def iter_chain_files(chains: Iterable[Chain], site_url: str) -> Iterator[Document]:
    """Make a file about each chain for Otterscan, in ethereum-lists' format.

    The currency is given as Ether on every chain, because site.yaml does not name it.
    """
    for chain in chains:
        number = int(chain.chain_id)
        entry = {
            "name": chain.title,
            "chain": chain.name,
            "rpc": list(chain.rpc),
            "faucets": [],
            "nativeCurrency": {"name": "Ether", "symbol": "ETH", "decimals": 18},
            "infoURL": chain.explorer or site_url,
            "shortName": chain.name.lower().replace(" ", "-"),
            "chainId": number,
            "networkId": number,
        }
        yield Document(
            path=urls.OTTERSCAN_CHAIN.path(chain_id=chain.chain_id),
            body=encode_json(entry),
            sources=WHOLE_SITE,
            persistent=True,
        )


def make_otterscan_config_file(chains: tuple[Chain, ...], site_url: str) -> Document:
    """Make the file `config.json`, which lets Otterscan use the site."""
    body = encode_json(make_otterscan_config(chains, site_url))
    return Document(path=urls.OTTERSCAN_CONFIG.path(), body=body, sources=WHOLE_SITE, persistent=True)


def make_otterscan_config(chains: tuple[Chain, ...], site_url: str) -> dict[str, object]:
    """Make the configuration of the block explorer Otterscan for this site.

    It is for the first chain that has an RPC URL. If none has one, it is for the first chain, with a node at
    127.0.0.1. Otterscan reads the sources as files of Sourcify's repository (`RepositoryV2`), because Otterscan 2.10
    fails with `SourcifyAPIV2` for contracts without metadata.
    """
    shown_chain = next((chain for chain in chains if chain.rpc), chains[0] if chains else None)
    node = shown_chain.rpc[0] if shown_chain and shown_chain.rpc else "http://127.0.0.1:8545"
    name = shown_chain.title if shown_chain else "This network"
    folder = f"{site_url}/{urls.OTTERSCAN_PREFIX}"
    return {
        "erigonURL": node,
        "assetsURLPrefix": folder,
        "sourcify": {"sources": {name: {"url": folder, "backendFormat": "RepositoryV2"}}},
    }
