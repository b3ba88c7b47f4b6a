"""Clear signing in a run: descriptors are judged after the contracts were built, and published with their proofs."""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
from typing_extensions import override

from statuary.base.json_values import JsonObject, as_object
from statuary.base.primitives import format_milliseconds
from statuary.base.progress import Progress, stage
from statuary.engine.catalogue import Catalogue
from statuary.engine.stages import Additions, SiteStage, StageInputs
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.verification_cache import Memory
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.target import BuildTarget
from statuary.site.document import Document


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open the stage; None where no content is read, as in a tick."""
    settings = inputs.settings
    if not isinstance(settings, ClearSigningSettings) or inputs.root is None or inputs.catalogue is None:
        return None
    return SigningStage(settings, inputs, inputs.root, inputs.catalogue)


class SigningStage(SiteStage):
    """The descriptors of a site; what judges them is imported where there is something to judge."""

    def __init__(
        self, settings: ClearSigningSettings, inputs: StageInputs, root: Path, catalogue: Catalogue
    ) -> None:
        self._settings, self._inputs, self._root, self._catalogue = settings, inputs, root, catalogue

    @override
    def checked(self, root: Path, catalogue: Catalogue, progress: Progress) -> Additions | None:
        folder = DescriptorFolder(self._root)
        if folder.is_empty:
            return None
        from statuary.extensions.clear_signing.documents import judged_site, summary

        with stage(progress, "Clear signing"):
            judged = judged_site(folder, self._catalogue, self._settings)
        return Additions(findings=judged.findings, line=summary(judged))

    @override
    def extend(self, incidents: Callable[[], Sequence[Document]], *, contracts: bool) -> Additions | None:
        target, built = self._inputs.target, self._inputs.contracts
        if target is None or built is None or not contracts:
            return None
        documents, folder = target.ledger.documents, DescriptorFolder(self._root)
        if folder.is_empty:
            documents.remove_unless_offered(documents.below(FOLDER))
            return None
        settings, chains = self._settings, self._catalogue.chains
        memory = Memory(target.ledger, folder, fingerprint_of(settings, chains).text)
        recalled = None if built.missing else memory.recalled()
        if recalled is not None:
            documents.keep_below(FOLDER)
            return recalled
        from statuary.extensions.clear_signing.documents import (
            chains_of,
            judged_site,
            signing_documents,
            summary,
        )
        from statuary.extensions.clear_signing.site_examples import SiteExamples
        from statuary.extensions.clear_signing.verdicts import NOTHING

        recollection = NOTHING if built.missing else memory.recollection()
        judged = judged_site(folder, self._catalogue, settings, recollection)
        site_chains = chains_of(self._catalogue, settings)
        examples = SiteExamples(judged, site_chains, recollection, target.published)
        now = format_milliseconds(self._inputs.instant)
        target.offer(signing_documents(judged, examples, _proof_before(target), now))
        documents.remove_unless_offered(documents.below(FOLDER))
        additions = Additions(findings=judged.findings, line=summary(judged))
        memory.keep(judged, examples.named, examples.bases, additions)
        return additions


def _proof_before(target: BuildTarget) -> Callable[[str], JsonObject]:
    def before(path: str) -> JsonObject:
        body = target.published(path)
        try:
            return {} if body is None else as_object(orjson.loads(body))
        except orjson.JSONDecodeError:
            return {}

    return before
