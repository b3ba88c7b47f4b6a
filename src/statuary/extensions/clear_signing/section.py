"""The section of clear signing: verify and publish descriptors."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import orjson
from typing_extensions import override

from statuary.base.json_values import JsonObject, as_object
from statuary.base.primitives import format_utc_milliseconds
from statuary.base.progress import report_stage
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.contracts.model.contract_row import ContractCounts
from statuary.contracts.site_contracts import SiteContracts
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.pages import PARTS
from statuary.extensions.clear_signing.urls import SIGNING_URLS
from statuary.extensions.clear_signing.verification_cache import VerificationCache
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.target import BuildTarget
from statuary.section import Run, Section, SectionResult
from statuary.site.operations import ApiDescription

if TYPE_CHECKING:
    from statuary.base.findings import Rule
    from statuary.engine.extension_settings import ExtensionSource


class ClearSigningSection(Section):
    """The section that verifies and publishes ERC-7730 descriptors.

    Descriptors tell wallets how to show contract calls. If a site has none, the modules that verify them are not imported.
    """

    urls = SIGNING_URLS
    parts = PARTS

    @override
    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        from statuary.extensions.clear_signing.rules import RULES

        return RULES

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        from statuary.extensions.clear_signing.settings import SiteClearSigningSource

        return SiteClearSigningSource

    @override
    def operations(self, run: Run) -> Iterable[ApiDescription]:
        from statuary.extensions.clear_signing.openapi import openapi_operations

        counts = run.result_of(ContractCounts) or ContractCounts()
        return openapi_operations(self.settings, counts.example)

    @override
    def check(self, run: Run) -> SectionResult | None:
        if run.root is None or run.site is None:
            return None
        folder = DescriptorFolder(run.root)
        if folder.is_empty:
            return None
        from statuary.extensions.clear_signing.documents import (
            verification_summary_line,
            verify_site_descriptors,
        )

        with report_stage(run.progress, "Clear signing"):
            verification = verify_site_descriptors(folder, run.site, self.settings)
        return SectionResult(skipped=verification.findings, line=verification_summary_line(verification))

    @override
    def build(self, run: Run) -> SectionResult | None:
        target = run.target
        built_contracts = run.result_of(BuiltContracts)
        if built_contracts is None or run.root is None or run.site is None:
            return None
        documents = target.ledger.documents
        folder = DescriptorFolder(run.root)
        if folder.is_empty:
            documents.remove_unless_added(documents.paths_under(FOLDER))
            return None
        settings, chains = self.settings, run.site.content_of(SiteContracts).chains
        cache = VerificationCache(target.ledger, folder, fingerprint_of(settings, chains).text)
        cached_verification = (
            None if built_contracts.sources_of_damaged_documents else cache.load_result_if_unchanged()
        )
        if cached_verification is not None:
            documents.keep_published_folder(FOLDER)
            return cached_verification
        from statuary.extensions.clear_signing.documents import (
            chains_by_id,
            signing_documents,
            verification_summary_line,
            verify_site_descriptors,
        )
        from statuary.extensions.clear_signing.site_examples import SiteExamples
        from statuary.extensions.clear_signing.verdicts import EMPTY_CACHE

        cached = (
            EMPTY_CACHE if built_contracts.sources_of_damaged_documents else cache.load_unchanged_results()
        )
        verification = verify_site_descriptors(folder, run.site, settings, cached, built_contracts.sources)
        site_chains = chains_by_id(run.site, settings)
        examples = SiteExamples(verification, site_chains, cached, target.read_published)
        now = format_utc_milliseconds(run.instant)
        target.add(signing_documents(verification, examples, _previous_proof_reader(target), now))
        documents.remove_unless_added(documents.paths_under(FOLDER))
        additions = SectionResult(skipped=verification.findings, line=verification_summary_line(verification))
        cache.save(
            verification,
            examples.descriptor_paths,
            examples.bases,
            additions,
            has_defect=examples.has_defect,
        )
        return additions


def _previous_proof_reader(target: BuildTarget) -> Callable[[str], JsonObject]:
    def previous_proof(path: str) -> JsonObject:
        body = target.read_published(path)
        try:
            return {} if body is None else as_object(orjson.loads(body))
        except orjson.JSONDecodeError:
            return {}

    return previous_proof
