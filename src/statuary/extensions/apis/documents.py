"""Documents for explorers and tools that depend on one record."""

from collections.abc import Iterable, Iterator

from statuary.contracts.incremental.record_documents import RecordOutput
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.extensions.apis import urls
from statuary.extensions.apis.addressed import make_contract_document
from statuary.extensions.apis.blockscout import blockscout_documents
from statuary.extensions.apis.code import hash_contract_code
from statuary.extensions.apis.declarations import parse_declarations
from statuary.extensions.apis.etherscan import etherscan_documents
from statuary.extensions.apis.proxies import read_proxy_facts
from statuary.extensions.apis.repository import iter_repository_documents
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.site.document import Document, encode_unchecked


def derive_record_output(checked_record: RecordWithProof, settings: object, source: str) -> RecordOutput:
    """Make a contract's documents in the formats of other APIs.

    The result also has data for the build's database: the signatures in the ABI, the hashes of the code, and
    a proxy's implementations. If evidence contradicts the record, only Blockscout's document shows ABI and
    sources. It says that the code has changed.

    Args:
        checked_record: the record with the results of its checks.
        settings: the `ApisSettings`; the result is empty for any other type.
        source: the path of the record in the content folder.
    """
    if not isinstance(settings, ApisSettings):
        return RecordOutput(b"", ())
    record = checked_record.record
    has_signatures = Api.SIGNATURES in settings.apis or Api.OTTERSCAN in settings.apis
    needs_abi = has_signatures and not checked_record.is_contradicted
    code = (
        hash_contract_code(record)
        if Api.CODE in settings.apis and checked_record.has_credible_sources
        else None
    )
    proxy = read_proxy_facts(checked_record) if Api.PROXIES in settings.apis else None
    lines = (
        parse_declarations(record["abi"]).encode() if needs_abi else b"",
        b"" if code is None else code.encode(),
        b"" if proxy is None else proxy.encode(),
    )
    facts = b"\n".join(lines).rstrip(b"\n")
    return RecordOutput(facts, _iter_api_documents(checked_record, settings.apis, source))


def _iter_api_documents(
    checked_record: RecordWithProof, apis: Iterable[Api], record_path: str
) -> Iterator[Document]:
    record = checked_record.record
    if Api.ETHERSCAN in apis:
        yield from etherscan_documents(checked_record, record_path)
    # Blockscout's API has a flag for code that has changed since the verification, so this API can also show
    # a record that the chain contradicts.
    if Api.BLOCKSCOUT in apis and checked_record.has_credible_sources:
        yield from blockscout_documents(checked_record, record_path)
    if checked_record.is_contradicted:
        return  # the other APIs cannot express a contradiction
    if Api.SIGNATURES in apis and isinstance(record["abi"], list):
        yield make_contract_document(urls.ABI, record, encode_unchecked(record["abi"]), record_path)
    if Api.OTTERSCAN in apis:
        yield from iter_repository_documents(record, record_path)
