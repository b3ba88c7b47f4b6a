"""The built contracts of a site, and the fingerprints of their inputs.

A site without contracts imports only this module of the package.
"""

from typing import TYPE_CHECKING, NamedTuple

from statuary.base.findings import Finding
from statuary.contracts.incremental.build_settings import ContractBuildSettings, RecordRecompiler
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.model.contract_row import ContractCounts
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.site_contracts import SiteContracts
from statuary.publish.fingerprint import fingerprint_of
from statuary.registry import providers
from statuary.site.site_content import SiteContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from statuary.contracts.checks.check import ContractCheck
    from statuary.contracts.pages.context import ContractPageContext
    from statuary.publish.ledger.ledger import Ledger
    from statuary.publish.target import BuildTarget

CONTRACTS = "contracts"
"""The group of all contracts in the ledger; its fingerprint covers everything except their sources."""

LIST_PAGES = "list pages"
"""The group of the pages that list contracts, and the ledger's note of what each was made from."""


class BuiltContracts(NamedTuple):
    """The contracts of a site after a build, and their findings."""

    site: SiteContent
    sources: ContractTable  # the table of contracts that the site will have
    counts: ContractCounts
    findings: tuple[Finding, ...] = ()
    exclusion_reasons: tuple[Finding, ...] = ()  # errors that exclude single contracts
    excluded_count: int = 0  # the number of excluded contracts
    built_count: int = 0
    skipped: tuple[Finding, ...] = ()  # errors that keep all contracts as they were published
    sources_of_damaged_documents: frozenset[str] = frozenset()
    """The paths of sources whose published documents are missing or damaged."""

    @property
    def are_unchanged(self) -> bool:
        """Whether this build has the same contracts as the last build."""
        return (
            self.sources.keeps_unreplaced
            and not self.sources_of_damaged_documents
            and not self.sources.has_changed_entries()
        )


def import_builders() -> None:
    """Import the modules that check contracts and make their documents.

    Worker processes that are forked later start faster, because the modules are already loaded.
    """
    from statuary.contracts.incremental import build_contract, partitions  # noqa: F401


def has_contracts(contracts: SiteContracts, ledger: "Ledger") -> bool:
    """Return whether the content or the last build has contracts.

    Args:
        ledger: the database of the last build.
    """
    sources = contracts.sources
    return not ledger.table(ContractTable).has_no_previous_contracts() or bool(
        len(sources) or sources.bulk or sources.findings
    )


def result_without_contracts(
    site: SiteContent, target: "BuildTarget", checks: "Sequence[ContractCheck] | None", *, verify: bool
) -> BuiltContracts:
    """Return the result of a build whose content has no contracts.

    If no setting has changed, the published lists of contracts stay as they are.

    Args:
        checks: the checks to run on each record; None for all.
        verify: whether to read published documents to find damaged ones.
    """
    fingerprint = fingerprint_of(contract_build_settings(site, checks, None), site.hosting)
    ledger: Ledger = target.ledger
    sources_of_damaged_documents: frozenset[str] = frozenset()
    if ledger.cached_group(CONTRACTS).fingerprint == fingerprint.text:
        ledger.keep_files_of_unchanged_sources()
        sources_of_damaged_documents = target.sources_of_damaged_documents(verify=verify)
    ledger.save_group(CONTRACTS, fingerprint.text)
    return BuiltContracts(
        site,
        ledger.table(ContractTable),
        ContractCounts(),
        sources_of_damaged_documents=sources_of_damaged_documents,
    )


def contract_build_settings(
    site: SiteContent,
    checks: "Sequence[ContractCheck] | None",
    pages: "ContractPageContext | None",
    recompiler: "RecordRecompiler | None" = None,
) -> ContractBuildSettings:
    """Return the settings with which all contracts of a site are built.

    Args:
        checks: the checks to run on each record; None for all.
        pages: the settings of contract pages; None if contracts have no pages.
        recompiler: the compilers of this build; None to recompile no records.
    """
    contracts = site.content_of(SiteContracts)
    makers = providers("record documents")
    return ContractBuildSettings(
        chains=frozenset(chain.chain_id for chain in contracts.chains),
        checkpoints={
            chain.chain_id: dict(chain.checkpoints) for chain in contracts.chains if chain.checkpoints
        },
        gone={chain.chain_id: _index_by_address(chain.gone) for chain in contracts.chains if chain.gone},
        rejected={
            chain.chain_id: _index_by_address(chain.rejected) for chain in contracts.chains if chain.rejected
        },
        contracts=contracts.settings,
        checks=checks,
        pages=pages,
        has_contract_lists=site.pages.lists_contracts(len(contracts.sources)),
        extensions=tuple(pair for pair in site.extensions if pair[0] in makers),
        recompiler=recompiler,
    )


def _index_by_address(contracts: "Iterable[KnownContradiction]") -> dict[str, KnownContradiction]:
    return {contract.address.lower(): contract for contract in contracts}
