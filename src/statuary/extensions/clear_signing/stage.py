"""Clear signing in a run: descriptors are judged after the contracts were built, and published with their proofs."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from typing_extensions import override

from statuary.documents.document import Document, encode_json
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.proof import ClaimStatus
from statuary.domain.json_values import Json, JsonObject, as_object
from statuary.domain.primitives import format_milliseconds
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.indexes import calldata_index, messages_index
from statuary.extensions.clear_signing.judge import JudgedFolder, Judgement, judge
from statuary.extensions.clear_signing.proofs import proof_document
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.urls import (
    CALLDATA_INDEX,
    MESSAGES_INDEX,
    SIGNING,
    SIGNING_PROOF,
)
from statuary.pipeline.progress import Progress, stage
from statuary.pipeline.stages import Additions, SiteStage, StageInputs

if TYPE_CHECKING:
    from statuary.publishing.target import BuildTarget


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open the stage; None where no content is read, as in a tick."""
    settings = inputs.settings
    if not isinstance(settings, ClearSigningSettings) or inputs.root is None or inputs.catalogue is None:
        return None
    return SigningStage(settings, inputs, inputs.root, inputs.catalogue)


class SigningStage(SiteStage):
    """The descriptors of a site."""

    def __init__(
        self, settings: ClearSigningSettings, inputs: StageInputs, root: Path, catalogue: Catalogue
    ) -> None:
        self._settings, self._inputs, self._root, self._catalogue = settings, inputs, root, catalogue

    @override
    def checked(self, root: Path, catalogue: Catalogue, progress: Progress) -> Additions:
        with stage(progress, "Clear signing"):
            judged = self._judged()
        return Additions(findings=judged.findings, line=summary(judged))

    @override
    def extend(self, incidents: Callable[[], Sequence[Document]], *, contracts: bool) -> Additions | None:
        target = self._inputs.target
        if target is None or not contracts:
            return None
        judged = self._judged()
        documents = target.ledger.documents
        target.offer(
            signing_documents(judged, self._proof_before(target), format_milliseconds(self._inputs.instant))
        )
        documents.remove_unless_offered(documents.below(FOLDER))
        return Additions(findings=judged.findings, line=summary(judged))

    def _judged(self) -> JudgedFolder:
        records = SiteRecords(self._root, self._catalogue)
        return judge(DescriptorFolder(self._root), records, with_unverified=self._settings.with_unverified)

    def _proof_before(self, target: "BuildTarget") -> Callable[[str], JsonObject]:
        def before(path: str) -> JsonObject:
            body = target.published(path)
            try:
                return {} if body is None else as_object(orjson.loads(body))
            except orjson.JSONDecodeError:
                return {}

        return before


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
    judged: JudgedFolder, proof_before: Callable[[str], JsonObject], now: str
) -> Iterator[Document]:
    """Yield the documents of all descriptors.

    Args:
        proof_before: the proof that was published at a path; empty if there was none.
        now: the instant of the build.
    """
    if not judged.descriptors:
        return
    published = list(judged.published())
    pairs = [(judgement.reading.descriptor, judgement.deployment) for judgement in published]
    yield Document(CALLDATA_INDEX.path(), calldata_index(pairs))
    yield Document(MESSAGES_INDEX.path(), messages_index(pairs))
    yield from _files(judged, published)
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
