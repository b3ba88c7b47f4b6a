"""The documents of one record for explorers and tools; they are made where the record is."""

from collections.abc import Iterable, Iterator

from statuary.documents.document import Document, encode_unchecked
from statuary.domain.contracts.record import RecordValue
from statuary.extensions.apis import urls
from statuary.extensions.apis.declarations import declarations_of
from statuary.extensions.apis.etherscan import etherscan_documents
from statuary.extensions.apis.settings import Api, ApisSettings


def of_record(record: RecordValue, settings: object, source: str) -> tuple[bytes, Iterable[Document]]:
    """Return the declarations of a record's ABI, which the ledger keeps, and its documents.

    Args:
        settings: those of the extension.
        source: the content file of the record.
    """
    if not isinstance(settings, ApisSettings):
        return b"", ()
    facts = declarations_of(record["abi"]).encoded() if Api.SIGNATURES in settings.apis else b""
    return facts, _documents(record, settings.apis, source)


def _documents(record: RecordValue, apis: Iterable[Api], source: str) -> Iterator[Document]:
    if Api.SIGNATURES in apis and isinstance(record["abi"], list):
        body = encode_unchecked(record["abi"])
        for_both = {"chain_id": record["chainId"], "address": record["address"]}
        yield Document(
            path=urls.ABI.path(**for_both),
            aliases=(urls.ABI.path(**for_both | {"address": record["address"].lower()}),),
            body=body,
            sources=(source,),
            persistent=True,
        )
    if Api.ETHERSCAN in apis:
        yield from etherscan_documents(record, source)
