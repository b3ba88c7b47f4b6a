"""Clear signing in a run: verify descriptors after contracts, publish them with proofs."""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
from typing_extensions import override

from statuary.base.json_values import JsonObject, as_object
from statuary.base.primitives import format_milliseconds
from statuary.base.progress import Progress, stage
from statuary.engine.catalogue import Catalogue
from statuary.engine.stages import SectionResult, SiteStage, StageInputs
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.verification_cache import VerificationCache
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.target import BuildTarget
from statuary.site.document import Document


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open the stage, or return None for a tick.

    A tick reads no content.
    """
    settings = inputs.settings
    if not isinstance(settings, ClearSigningSettings) or inputs.root is None or inputs.catalogue is None:
        return None
    return SigningStage(settings, inputs, inputs.root, inputs.catalogue)


class SigningStage(SiteStage):
    """The descriptors of a site; the verifier is imported only if there are any."""

    def __init__(
        self, settings: ClearSigningSettings, inputs: StageInputs, root: Path, catalogue: Catalogue
    ) -> None:
        self._settings, self._inputs, self._root, self._catalogue = settings, inputs, root, catalogue

    @override
    def check(self, root: Path, catalogue: Catalogue, progress: Progress) -> SectionResult | None:
        folder = DescriptorFolder(self._root)
        if folder.is_empty:
            return None
        from statuary.extensions.clear_signing.documents import summary, verify_site

        with stage(progress, "Clear signing"):
            verification = verify_site(folder, self._catalogue, self._settings)
        return SectionResult(findings=verification.findings, line=summary(verification))

    @override
    def build(self, incidents: Callable[[], Sequence[Document]], *, contracts: bool) -> SectionResult | None:
        target, built_contracts = self._inputs.target, self._inputs.contracts
        if target is None or built_contracts is None or not contracts:
            return None
        documents, folder = target.ledger.documents, DescriptorFolder(self._root)
        if folder.is_empty:
            documents.remove_unless_added(documents.paths_under(FOLDER))
            return None
        settings, chains = self._settings, self._catalogue.chains
        cache = VerificationCache(target.ledger, folder, fingerprint_of(settings, chains).text)
        cached_verification = None if built_contracts.incomplete_sources else cache.load_if_unchanged()
        if cached_verification is not None:
            documents.retain_prefix(FOLDER)
            return cached_verification
        from statuary.extensions.clear_signing.documents import (
            chains_of,
            signing_documents,
            summary,
            verify_site,
        )
        from statuary.extensions.clear_signing.site_examples import SiteExamples
        from statuary.extensions.clear_signing.verdicts import EMPTY_CACHE

        cached = EMPTY_CACHE if built_contracts.incomplete_sources else cache.load_unchanged()
        verification = verify_site(folder, self._catalogue, settings, cached, built_contracts.sources)
        site_chains = chains_of(self._catalogue, settings)
        examples = SiteExamples(verification, site_chains, cached, target.published)
        now = format_milliseconds(self._inputs.instant)
        target.add(signing_documents(verification, examples, _proof_before(target), now))
        documents.remove_unless_added(documents.paths_under(FOLDER))
        additions = SectionResult(findings=verification.findings, line=summary(verification))
        cache.save(verification, examples.descriptor_paths, examples.bases, additions)
        return additions


def _proof_before(target: BuildTarget) -> Callable[[str], JsonObject]:
    def previous_proof(path: str) -> JsonObject:
        body = target.published(path)
        try:
            return {} if body is None else as_object(orjson.loads(body))
        except orjson.JSONDecodeError:
            return {}

    return previous_proof
