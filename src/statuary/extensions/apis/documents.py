"""The documents of one record for explorers and tools; they are made where the record is."""

from collections.abc import Iterable, Iterator

from statuary.contracts.model.record import RecordValue
from statuary.extensions.apis import urls
from statuary.extensions.apis.addressed import contract_document
from statuary.extensions.apis.blockscout import blockscout_documents
from statuary.extensions.apis.code import code_facts
from statuary.extensions.apis.declarations import declarations_of
from statuary.extensions.apis.etherscan import etherscan_documents
from statuary.extensions.apis.proxies import proxy_facts
from statuary.extensions.apis.repository import listed_documents, repository_documents
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.site.document import Document, encode_unchecked


def of_record(record: RecordValue, settings: object, source: str) -> tuple[bytes, Iterable[Document]]:
    """Return what the ledger keeps of a record, and its documents.

    The first line of what is kept has the declarations of the ABI, the second the hashes of the code, the third what a
    proxy is and calls.

    Args:
        settings: those of the extension.
        source: the content file of the record.
    """
    if not isinstance(settings, ApisSettings):
        return b"", ()
    needs_abi = Api.SIGNATURES in settings.apis or Api.OTTERSCAN in settings.apis
    code = code_facts(record) if Api.CODE in settings.apis else None
    proxy = proxy_facts(record) if Api.PROXIES in settings.apis else None
    lines = (
        declarations_of(record["abi"]).encode() if needs_abi else b"",
        b"" if code is None else code.encode(),
        b"" if proxy is None else proxy.encode(),
    )
    facts = b"\n".join(lines).rstrip(b"\n")
    return facts, _documents(record, settings.apis, source)


def _documents(record: RecordValue, apis: Iterable[Api], source: str) -> Iterator[Document]:
    if Api.SIGNATURES in apis and isinstance(record["abi"], list):
        yield contract_document(urls.ABI, record, encode_unchecked(record["abi"]), source)
    if Api.ETHERSCAN in apis:
        yield from etherscan_documents(record, source)
    if Api.OTTERSCAN in apis:
        yield from repository_documents(record, source)
    if Api.BLOCKSCOUT in apis:
        yield from blockscout_documents(record, source)
        yield from listed_documents(record, source)
