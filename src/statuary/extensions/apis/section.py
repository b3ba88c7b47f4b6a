"""The section of APIs for explorers and tools."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.primitives import format_utc_milliseconds
from statuary.contracts.model.contract_row import ContractCounts
from statuary.extensions.apis.pages import PARTS
from statuary.extensions.apis.urls import API_URLS
from statuary.section import Run, Section, SectionResult
from statuary.site.operations import ApiDescription

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource


class ApisSection(Section):
    """The section that adds the APIs of explorers and tools.

    Documents of a single contract are made with its record; this section makes the others.
    """

    urls = API_URLS
    parts = PARTS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        from statuary.extensions.apis.settings import SiteApisSource

        return SiteApisSource

    @override
    def operations(self, run: Run) -> Iterable[ApiDescription]:
        from statuary.extensions.apis.openapi import describe_operations

        counts = run.result_of(ContractCounts) or ContractCounts()
        return describe_operations(self.settings, counts.example)

    @override
    def check(self, run: Run) -> SectionResult | None:
        if run.root is None:
            return None
        from statuary.extensions.apis.site_documents import SiteDocuments

        return SectionResult(skipped=SiteDocuments(self.settings.apis, run.root).findings())

    @override
    def build(self, run: Run) -> SectionResult | None:
        from statuary.contracts.incremental.built_contracts import BuiltContracts

        contracts = run.result_of(BuiltContracts)
        if contracts is None or run.root is None:
            return None
        from statuary.extensions.apis.site_documents import SiteDocuments

        documents = SiteDocuments(self.settings.apis, run.root)
        findings = documents.add_to_site(run.target, contracts, format_utc_milliseconds(run.instant))
        return SectionResult(skipped=tuple(findings))

    @override
    def on_failure(self, run: Run, error: BaseException) -> None:
        from statuary.contracts.incremental.built_contracts import CONTRACTS

        # The failed build has discarded these documents. Clear the fingerprint that the next build compares,
        # so that all documents are made again.
        run.target.ledger.save_group(CONTRACTS, "")
