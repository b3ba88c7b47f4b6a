"""The documents of all descriptors of a site: indexes, files, proofs, and examples of what wallets show."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from statuary.documents.document import Document, encode_json
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.proof import ClaimStatus
from statuary.domain.findings import Finding
from statuary.domain.json_values import Json, JsonObject
from statuary.domain.work import attempt
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    Descriptor,
    DescriptorFolder,
    SigningFileKind,
)
from statuary.extensions.clear_signing.examples import (
    Chains,
    Descriptors,
    example_document,
    tests_by_descriptor,
)
from statuary.extensions.clear_signing.formats import Token
from statuary.extensions.clear_signing.indexes import calldata_index, messages_index
from statuary.extensions.clear_signing.judge import JudgedFolder, Judgement, judge
from statuary.extensions.clear_signing.proofs import proof_document
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.urls import (
    CALLDATA_INDEX,
    MESSAGES_INDEX,
    SIGNING,
    SIGNING_EXAMPLES,
    SIGNING_PROOF,
)

DECIMALS = 18
"""Of the currencies of chains."""


def judged_site(
    folder: DescriptorFolder, catalogue: Catalogue, settings: ClearSigningSettings
) -> tuple[JudgedFolder, SiteRecords]:
    """Return the descriptors of a site, judged, and the records that they were compared with."""
    records = SiteRecords(folder.root, catalogue)
    return judge(folder, records, with_unverified=settings.with_unverified), records


def summary(judged: JudgedFolder) -> str:
    """Return the line of the summary; empty without descriptors."""
    if not judged.descriptors:
        return ""
    deployments = sum(len(item.deployments) for item in judged.descriptors)
    return (
        f"{len(list(judged.published())):,} of {deployments:,} deployments of {len(judged.descriptors):,} descriptors "
        "are published for clear signing"
    )


def signing_documents(
    judged: JudgedFolder,
    catalogue: Catalogue,
    settings: ClearSigningSettings,
    proof_before: Callable[[str], JsonObject],
    now: str,
) -> Iterator[Document]:
    """Yield the documents of all descriptors, which stay while a build has nothing to judge.

    Args:
        proof_before: the proof that was published at a path; empty if there was none.
        now: the instant of the build.
    """
    for document in _documents(judged, catalogue, settings, proof_before, now):
        yield document._replace(persistent=True)


def _documents(
    judged: JudgedFolder,
    catalogue: Catalogue,
    settings: ClearSigningSettings,
    proof_before: Callable[[str], JsonObject],
    now: str,
) -> Iterator[Document]:
    if not judged.descriptors:
        return
    published = list(judged.published())
    pairs = [(judgement.reading.descriptor, judgement.deployment) for judgement in published]
    yield Document(CALLDATA_INDEX.path(), calldata_index(pairs))
    yield Document(MESSAGES_INDEX.path(), messages_index(pairs))
    yield from _files(judged, published)
    yield from _examples(judged, published, chains_of(catalogue, settings))
    is_published = {(judgement.reading.descriptor.path, judgement.deployment.caip) for judgement in published}
    by_place: defaultdict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for item in judged.descriptors:
        for judgement in item.deployments:
            if judgement.code is not None or (item.path, judgement.deployment.caip) in is_published:
                by_place[judgement.deployment.chain_id, judgement.deployment.address].append(judgement)
    entries: list[Json] = []
    for (chain_id, address), judgements in sorted(by_place.items()):
        path = SIGNING_PROOF.path(chain_id=chain_id, address=address)
        proof = proof_document(judgements, judged.attestations, proof_before(path), now)
        yield Document(path, encode_json(proof), sources=_sources(judgements))
        for judgement in judgements:
            descriptor = judgement.reading.descriptor.path
            entries.append(
                {
                    "chainId": chain_id,
                    "address": address,
                    "descriptor": descriptor,
                    "kind": judgement.reading.descriptor.kind.value,
                    "status": judgement.status,
                    "fits": judgement.fits,
                    "indexed": (descriptor, judgement.deployment.caip) in is_published,
                    "proof": path,
                }
            )
    yield Document(SIGNING.path(), encode_json({"deployments": entries}))


def _sources(judgements: list[Judgement]) -> tuple[str, ...]:
    files = {file.path for judgement in judgements for file in judgement.reading.descriptor.files}
    return tuple(f"{FOLDER}/{path}" for path in sorted(files))


def _files(judged: JudgedFolder, published: list[Judgement]) -> Iterator[Document]:
    """Yield the published descriptors, what they include, and attestations of them that nothing contradicts."""
    paths = {file.path for judgement in published for file in judgement.reading.descriptor.files}
    whole = {judgement.reading.descriptor.path for judgement in published}
    paths |= {
        item.path
        for item in judged.attestations
        if item.descriptor in whole and item.status is not ClaimStatus.CONTRADICTED
    }
    for path in sorted(paths):
        source = f"{FOLDER}/{path}"
        yield Document(source, judged.folder.raw(path), sources=(source,))


def chains_of(catalogue: Catalogue, settings: ClearSigningSettings) -> Chains:
    """Return name and currency of the chains of a site."""
    currencies = dict(settings.currencies)
    return {
        int(chain.chain_id): (
            chain.title,
            Token(currencies[chain.chain_id], DECIMALS) if chain.chain_id in currencies else None,
        )
        for chain in catalogue.chains
    }


def _examples(judged: JudgedFolder, published: list[Judgement], chains: Chains) -> Iterator[Document]:
    """Yield the examples of each published descriptor: none of one whose tests cannot be rendered."""
    sound = [item.reading.descriptor for item in judged.descriptors if item.reading is not None]
    of_calls = (descriptor for descriptor in sound if descriptor.kind is SigningFileKind.CALLDATA)
    tests, descriptors = tests_by_descriptor(judged.folder), Descriptors(of_calls)
    by_path: dict[str, Descriptor] = {
        judgement.reading.descriptor.path: judgement.reading.descriptor for judgement in published
    }
    for path, descriptor in sorted(by_path.items()):
        of_tests = tests.get(path, [])
        make = partial(example_document, descriptor, of_tests, descriptors, chains)
        document = attempt(make, f"{FOLDER}/{path}", "rendering the examples")
        if isinstance(document, Finding):
            document = example_document(descriptor, [], descriptors, chains)
        names = [f"{FOLDER}/{name}" for name in (path, *(part.path for part in of_tests))]
        yield Document(SIGNING_EXAMPLES.path(path=path), encode_json(document), sources=tuple(names))
