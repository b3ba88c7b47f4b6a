"""The documents of descriptors: indexes, files, proofs and examples."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterator

from statuary.base.json_values import Json, JsonObject
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.site_contracts import SiteContracts
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.examples import Chains
from statuary.extensions.clear_signing.formats import Token
from statuary.extensions.clear_signing.indexes import encode_calldata_index, encode_messages_index
from statuary.extensions.clear_signing.proofs import proof_document
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.site_examples import SiteExamples
from statuary.extensions.clear_signing.urls import CALLDATA_INDEX, MESSAGES_INDEX, SIGNING, SIGNING_PROOF
from statuary.extensions.clear_signing.verdicts import (
    EMPTY_CACHE,
    CachedResults,
    DeploymentVerdict,
    DescriptorVerdict,
)
from statuary.extensions.clear_signing.verification import FolderVerification, verify_folder
from statuary.site.document import Document, encode_json
from statuary.site.site_content import SiteContent

DECIMALS = 18
"""Decimals of the currencies of all chains."""


def verify_site_descriptors(
    folder: DescriptorFolder,
    site: SiteContent,
    settings: ClearSigningSettings,
    cached: CachedResults = EMPTY_CACHE,
    sources: ContractTable | None = None,
) -> FolderVerification:
    """Check a site's descriptors, and reuse results that are still valid.

    Descriptors (ERC-7730) tell wallets how to show contract calls. They must fit the verified contracts.

    Args:
        cached: results of the last build. They are still valid, because their inputs have not changed.
        sources: the contracts of the running build; None outside of a build.
    """
    records = SiteRecords(folder.root, site, sources)
    return verify_folder(folder, records, with_unverified=settings.with_unverified, cached=cached)


def verification_summary_line(verification: FolderVerification) -> str:
    """Return a line that says how many descriptors are published.

    Returns:
        The line for the build's report; empty if the site has no descriptors.
    """
    if not verification.descriptors:
        return ""
    deployments = sum(len(item.deployments) for item in verification.descriptors)
    return (
        f"{len(list(verification.published())):,} of {deployments:,} deployments of {len(verification.descriptors):,} descriptors "
        "are published for clear signing"
    )


def signing_documents(
    verification: FolderVerification,
    examples: SiteExamples,
    read_previous_proof: Callable[[str], JsonObject],
    now: str,
) -> Iterator[Document]:
    """Make the documents about all descriptors of a site.

    These are the descriptors themselves, indexes for wallets, proofs and examples.

    Args:
        verification: the results of checking the descriptors.
        examples: the documents that show examples of calls.
        read_previous_proof: a function that returns the JSON that the last build published at a path. If
            there is none, it returns an empty object.
        now: the time of the build.
    """
    for document in _make_all_documents(verification, examples, read_previous_proof, now):
        yield document._replace(persistent=True)


def _make_all_documents(
    verification: FolderVerification,
    examples: SiteExamples,
    read_previous_proof: Callable[[str], JsonObject],
    now: str,
) -> Iterator[Document]:
    if not verification.descriptors:
        return
    published_descriptors = list(verification.published())
    pairs = [(descriptor, verdict.deployment) for descriptor, verdict in published_descriptors]
    yield Document(CALLDATA_INDEX.path(), encode_calldata_index(pairs))
    yield Document(MESSAGES_INDEX.path(), encode_messages_index(pairs))
    yield from _descriptor_documents(verification, [descriptor for descriptor, _ in published_descriptors])
    yield from examples.documents()
    is_published = {(descriptor.path, deployment.caip10_id) for descriptor, deployment in pairs}
    entries: list[Json] = []
    for (chain_id, address), verdicts in _group_results_by_contract(verification, is_published):
        path = SIGNING_PROOF.path(chain_id=chain_id, address=address)
        proof = proof_document(verdicts, verification.attestations, read_previous_proof(path), now)
        sources = {f"{FOLDER}/{file.path}" for item, _ in verdicts for file in item.files}
        yield Document(path, encode_json(proof), sources=tuple(sorted(sources)))
        for item, verdict in verdicts:
            entries.append(
                {
                    "chainId": chain_id,
                    "address": address,
                    "descriptor": item.path,
                    "kind": item.kind.value,
                    "status": verdict.status,
                    "fits": verdict.fits,
                    "indexed": (item.path, verdict.deployment.caip10_id) in is_published,
                    "proof": path,
                }
            )
    yield Document(SIGNING.path(), encode_json({"deployments": entries}))


BoundKey = list[tuple[DescriptorVerdict, DeploymentVerdict]]
"""The results at one deployment, each with the result for its descriptor."""


def _group_results_by_contract(
    verification: FolderVerification, published_pairs: Container[tuple[str, str]]
) -> list[tuple[tuple[str, str], BoundKey]]:
    # The contracts are sorted by chain id, as a string, and address.
    by_place: defaultdict[tuple[str, str], BoundKey] = defaultdict(list)
    for item in verification.descriptors:
        for verdict in item.deployments:
            if verdict.is_compared or (item.path, verdict.deployment.caip10_id) in published_pairs:
                by_place[verdict.deployment.chain_id, verdict.deployment.address].append((item, verdict))
    return sorted(by_place.items())


def _descriptor_documents(
    verification: FolderVerification, published_descriptors: list[DescriptorVerdict]
) -> Iterator[Document]:
    paths = {file.path for item in published_descriptors for file in item.files}
    published_paths = {item.path for item in published_descriptors}
    paths |= {
        item.path
        for item in verification.attestations
        if item.descriptor in published_paths and item.status is not ClaimStatus.CONTRADICTED
    }
    for path in sorted(paths):
        source = f"{FOLDER}/{path}"
        yield Document(source, verification.folder.read_file_bytes(path), sources=(source,))


def chains_by_id(site: SiteContent, settings: ClearSigningSettings) -> Chains:
    """Return the name and currency of each chain, as wallets show them.

    Returns:
        Pairs of name and currency by chain id. The currency is None if the settings do not name it.
    """
    currencies = dict(settings.currencies)
    return {
        int(chain.chain_id): (
            chain.title,
            Token(currencies[chain.chain_id], DECIMALS) if chain.chain_id in currencies else None,
        )
        for chain in site.content_of(SiteContracts).chains
    }
