"""The contracts section: builds changed contracts, then their lists."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.budget import run_guarded
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding, Severity, error_count
from statuary.base.primitives import count_text
from statuary.base.rules import rule_of_function
from statuary.contracts.hooks import RecompilesRecords
from statuary.contracts.model.contract_row import ContractCounts
from statuary.contracts.settings import ContractKeys
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contracts import find_contracts
from statuary.contracts.urls import CONTRACT_VIEWER, URLS
from statuary.publish.fingerprint import fingerprint_of
from statuary.section import (
    ApiFacts,
    ContentFolder,
    ContentSection,
    FinalResult,
    Run,
    SectionContent,
    SectionResult,
)
from statuary.site.document import Document
from statuary.site.pages.site_context import site_context
from statuary.site.pages.try_make import render_with_fallback, try_make
from statuary.source.file_kinds import FileKind

if TYPE_CHECKING:
    from statuary.base.findings import Rule
    from statuary.contracts.checks.check import ContractCheck
    from statuary.contracts.incremental.build_settings import RecordRecompiler
    from statuary.contracts.incremental.built_contracts import BuiltContracts
    from statuary.site.operations import ApiDescription
    from statuary.site.site_content import SiteContent
    from statuary.source.source_model import SectionSource, SourceModel


RECORD = "record"
"""The group of rules about a record's place in the site."""

GENESIS_CHAIN = "0"
"""The chain that is valid although no list names it, as on the real server."""


WITHOUT_PAGES = "contracts in bulk or above pages.contracts: contract.html shows each in the browser"


class ContractsSection(ContentSection):
    """The section that builds the verified contracts of a site."""

    urls = URLS
    settings_type = ContractKeys

    _built: "BuiltContracts | None" = None  # None until `build`, and in a tick

    @override
    @classmethod
    def settings_model(cls) -> "type[SectionSource]":
        from statuary.contracts.sources.site_settings import ContractKeysSource

        return ContractKeysSource

    @override
    @classmethod
    def schemas(cls) -> "Mapping[str, tuple[FileKind, type[SourceModel] | None]]":
        from statuary.contracts.sources.evidence import AnchorSource
        from statuary.contracts.sources.read_workspace import WorkspaceSource

        return {
            "contract": (FileKind.WORKSPACE, WorkspaceSource),
            "record": (FileKind.RECORD, None),
            "anchor": (FileKind.ANCHOR, AnchorSource),
        }

    @override
    def read(self, folder: ContentFolder) -> SectionContent | None:
        keys = folder.settings
        if not isinstance(keys, ContractKeys):
            return None
        sources = find_contracts(
            folder.root, keys.sources, folder.source, reads_contracts=folder.reads_contracts
        )
        contracts = SiteContracts(keys.chains, keys.settings, sources)
        return SectionContent(contracts, has_contracts=bool(contracts.chains))

    @override
    def findings(self, run: Run) -> "Iterator[Finding]":
        chains = () if run.site is None else run.site.content_of(SiteContracts).chains
        first: dict[str, int] = {}
        for number, chain in enumerate(chains):
            if first.setdefault(chain.chain_id, number) != number:
                yield Finding(
                    rule="duplicate-chain",
                    severity=Severity.WARNING,
                    message=f"chain {chain.chain_id} is listed twice, first as {chains[first[chain.chain_id]].name!r}",
                    hint="remove one of the two",
                    path=run.site.source if run.site is not None else "",
                    pointer=("chains", number, "chain_id"),
                )

    @override
    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        from statuary.contracts.checks.proof_rule_list import proof_rules, rule_of_check
        from statuary.contracts.checks.prove import IDENTITY_CHECKS
        from statuary.contracts.incremental.record_location import LOCATION_RULES

        yield from (rule_of_check(check, RECORD) for check in IDENTITY_CHECKS)
        yield from (rule_of_function(rule, RECORD) for rule in LOCATION_RULES)
        yield from proof_rules()

    @override
    def check(self, run: Run) -> SectionResult | None:
        return self._section_result(self._build_changed_contracts(run, None))

    @override
    def build(self, run: Run) -> SectionResult | None:
        recompilers = (section.recompiler() for section in run.sections_of(RecompilesRecords))
        self._built = self._build_changed_contracts(run, next(recompilers, None))
        run.site = self._built.site  # the scan knows how many contracts there are
        return self._section_result(self._built)

    def _section_result(self, built: "BuiltContracts") -> SectionResult:
        unnamed, counts = built.site.content_of(SiteContracts).sources.findings, built.counts
        return SectionResult(
            values=(built, counts),
            skipped=built.skipped,
            counts=(
                f"{count_text(counts.contracts, 'contract')} on {count_text(len(counts.by_chain), 'chain')}",
            ),
            findings=built.findings,
            exclusion_reasons=(*unnamed, *built.exclusion_reasons),
            excluded_count=built.excluded_count + error_count(unnamed),
        )

    def _build_changed_contracts(self, run: Run, recompiler: "RecordRecompiler | None") -> "BuiltContracts":
        """Build the contracts that changed.

        If the build of contracts fails as a whole, for example because workers are lost, the published
        contracts stay.
        """
        site, root, target = run.site, run.root, run.target
        if site is None or root is None:
            raise ValueError("contracts are built from content")
        from statuary.contracts.incremental.built_contracts import (
            CONTRACTS,
            has_contracts,
            result_without_contracts,
        )

        checks = _selected_checks(run.checks.skipped)
        if not has_contracts(site.content_of(SiteContracts), target.ledger):
            return result_without_contracts(site, target, checks, verify=run.execution.verify)
        from statuary.contracts.incremental.rebuild import (
            build_contracts,
            reuse_previous_contracts,
        )

        def build() -> "BuiltContracts":
            return build_contracts(
                root,
                site,
                target,
                run.progress,
                checks=checks,
                execution=run.execution,
                now=run.instant,
                recompiler=recompiler,
            )

        action = "building the contracts, so that those of the last build stay"
        built = run_guarded(build, CONTRACTS, action, TARGET_ERRORS)
        return reuse_previous_contracts(site, target, [built]) if isinstance(built, Finding) else built

    @override
    def finalize(self, run: Run) -> FinalResult | None:
        """Make the lists of contracts that changed, as API documents and pages.

        If a list cannot be made, it is skipped, and the next build makes it again.
        """
        built, ledger = self._built, run.target.ledger
        if built is None:
            return None
        from statuary.contracts.incremental.built_contracts import CONTRACTS, LIST_PAGES

        contracts = built.site.content_of(SiteContracts)
        have_pages = not built.counts.contracts or contracts.have_pages(built.site.pages)
        line = "" if have_pages else WITHOUT_PAGES
        fingerprint = fingerprint_of(
            site_context(built.site), contracts.chains, contracts.have_pages(built.site.pages)
        ).text
        is_same_site = ledger.cached_group(LIST_PAGES).fingerprint == fingerprint
        ledger.save_group(LIST_PAGES, fingerprint)
        if built.are_unchanged and is_same_site:
            return FinalResult(line=line)
        from statuary.contracts.incremental.lists import add_contract_lists

        executor = run.execution.executor
        skipped = list[Finding]()
        failed = run_guarded(
            lambda: add_contract_lists(
                run.target, built, run.progress, executor, skipped, is_same_site=is_same_site
            ),
            CONTRACTS,
            "making the lists of contracts",
            TARGET_ERRORS,
        )
        if failed is not None:
            skipped.append(failed)
        if skipped:
            ledger.save_group(CONTRACTS, "")
        return FinalResult(skipped=tuple(skipped), line=line)

    @property
    def _contract_counts(self) -> ContractCounts:
        return ContractCounts() if self._built is None else self._built.counts

    @override
    def operations(self, run: Run) -> "Iterable[ApiDescription]":
        from statuary.contracts.api.operations import LOOKUP

        return [LOOKUP] if run.site is not None and run.site.has_contracts else []

    @override
    def config_documents(self, site: "SiteContent", skipped: list[Finding]) -> Iterator[Document]:
        from statuary.contracts.api.lists import chains_document
        from statuary.contracts.api.proof_rules import (
            health_and_version_documents,
            not_found_document,
            proof_checks_document,
            proof_schema_document,
        )

        name = "documents of the settings"
        yield from try_make(name, lambda: [chains_document(site.content_of(SiteContracts).chains)], skipped)
        for make in (proof_schema_document, proof_checks_document, not_found_document):
            yield from try_make(name, partial(_make_single_document, make), skipped)
        yield from try_make(name, health_and_version_documents, skipped)
        if self._contract_counts.by_chain:
            # Import this module only here, because a site without contracts never needs it.
            viewer = import_module("statuary.contracts.pages.viewer")
            yield from render_with_fallback(
                "the page of any contract", viewer.viewer_documents, site, skipped
            )
        if site.has_contracts:
            from statuary.contracts.pages.contract_assets import contract_assets

            assets = contract_assets(site.pages.theme, search=site.pages.search)
            yield from try_make("the files of pages of contracts", lambda: assets, skipped)

    @override
    def config_inputs(self, site: "SiteContent") -> object:
        contracts, counts = site.content_of(SiteContracts), self._contract_counts
        return contracts.chains, contracts.settings, tuple(counts.by_chain.items()), counts.example

    @override
    def api_facts(self, site: "SiteContent") -> ApiFacts:
        from statuary.contracts.api.operations import ENDPOINTS, example_paths

        chains, counts = site.content_of(SiteContracts).chains, self._contract_counts
        ids = [*(chain.chain_id for chain in chains), GENESIS_CHAIN]
        return ApiFacts(
            endpoints={"contracts": ENDPOINTS} if chains else {},
            examples=tuple(example_paths(counts.example)),
            lookups=[("contracts.any", CONTRACT_VIEWER.path())] if counts.contracts else [],
            counts=[("contracts.count", counts.contracts)] if chains else [],
            chains=[
                (chain.title, chain.chain_id, counts.by_chain.get(chain.chain_id, 0)) for chain in chains
            ],
            parameters={"chain_id": {"type": "string", "enum": ids}},
        )


def _selected_checks(skipped: frozenset[str]) -> "tuple[ContractCheck, ...] | None":
    if not skipped:
        return None
    from statuary.contracts.checks.prove import unskipped_checks

    return unskipped_checks(skipped)


def _make_single_document(make: Callable[[], Document]) -> list[Document]:
    return [make()]
