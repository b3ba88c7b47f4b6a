"""The contracts of a build: those that changed, then their lists."""

from pathlib import Path
from typing import TYPE_CHECKING

from statuary.base.budget import run_guarded
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.base.progress import Progress
from statuary.contracts.incremental.built_contracts import (
    CONTRACTS,
    BuiltContracts,
    has_contracts,
    without_contracts,
)
from statuary.contracts.site_contracts import SiteContracts
from statuary.engine.options import CheckOptions
from statuary.engine.sections import NO_OPTIONS, ExtensionOptions
from statuary.publish.target import BuildTarget
from statuary.registry import load, providers
from statuary.site.site_content import SiteContent
from statuary.workers.options import ExecutionOptions

if TYPE_CHECKING:
    from statuary.contracts.incremental.build_settings import RecordRecompiler


def build_contracts_of(
    root: Path,
    catalogue: SiteContent,
    target: BuildTarget,
    progress: Progress,
    *,
    check_options: CheckOptions,
    execution: ExecutionOptions,
    now: Instant,
    options: ExtensionOptions = NO_OPTIONS,
) -> BuiltContracts:
    """Build the contracts, if the site has any.

    If something goes wrong with all of them, such as that workers are lost, those of the last build stay as
    they are.

    Raises:
        click.UsageError: if options of extensions contradict each other.
    """
    if not has_contracts(catalogue.of(SiteContracts), target.ledger):
        return without_contracts(catalogue, target, check_options.checks, verify=execution.verify)
    from statuary.contracts.incremental.rebuild import build_contracts, reuse_previous_contracts

    recompiler = _recompiler(options)

    def build() -> BuiltContracts:
        return build_contracts(
            root,
            catalogue,
            target,
            progress,
            checks=check_options.checks,
            execution=execution,
            now=now,
            recompiler=recompiler,
        )

    action = "building the contracts, so that those of the last build stay"
    built_contracts = run_guarded(build, CONTRACTS, action, TARGET_ERRORS)
    return (
        reuse_previous_contracts(catalogue, target, built_contracts)
        if isinstance(built_contracts, Finding)
        else built_contracts
    )


def _recompiler(options: ExtensionOptions) -> "RecordRecompiler | None":
    """Return the compilers that compile the records of a build again.

    Returns:
        None if no option asks for it.
    """
    for name, target in providers("recompiler").items():
        values = options.options.get(name, {})
        if any(values.values()):
            opened: RecordRecompiler | None = load(target)(values)
            return opened
    return None


def add_contract_lists(
    target: BuildTarget, contracts: BuiltContracts, progress: Progress, execution: ExecutionOptions
) -> list[Finding]:
    """Add the lists of contracts, unless they are unchanged.

    Returns:
        The findings about skipped lists, which the next build makes again.
    """
    if contracts.are_unchanged:
        return []
    from statuary.contracts.incremental.lists import add_lists

    skipped: list[Finding] = []
    failed = run_guarded(
        lambda: add_lists(target, contracts, progress, execution.executor, skipped),
        CONTRACTS,
        "making the lists of contracts",
        TARGET_ERRORS,
    )
    if failed is not None:
        skipped.append(failed)
    if skipped:
        target.ledger.save_group(CONTRACTS, "")
    return skipped
