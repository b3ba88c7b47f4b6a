"""`statuary import KIND SOURCE`: import contracts and status pages."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click

from statuary.base.cpus import available_cpus
from statuary.base.findings import did_you_mean
from statuary.base.primitives import Address, ChainId, Instant, InvalidValueError, count_text, parse_address
from statuary.base.progress import report_stage, track_progress
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.extensible_group import ExtensibleGroup
from statuary.cli.findings_report import text_report
from statuary.cli.options import FILE, build_instant, content_option, now_option, option_group
from statuary.cli.output import show_progress
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.sources.contract_source import ContractForm
from statuary.extensions.compilers.cache import CompilationCache, cache_folder
from statuary.extensions.compilers.options import parse_compilers
from statuary.extensions.importing.compilations import Compilations
from statuary.extensions.importing.contract_commands import print_compilation_notice, read_site_content
from statuary.extensions.importing.contract_options import ADDRESS, CHAIN_ID, anchor_option, form_option
from statuary.extensions.importing.evidence.chain_evidence import (
    AnchoringNodes,
    anchor_contracts,
    describe_chain_claim,
)
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.evidence.on_chain_contract import read_chain_id
from statuary.extensions.importing.import_contracts import (
    ContractImport,
    ContractImportSettings,
    ImportedContracts,
)
from statuary.extensions.importing.report import (
    ImportReport,
    NotImportableError,
    SkippedRecord,
    group_skipped_by_reason,
)
from statuary.extensions.importing.report_output import (
    LISTED,
    format_contract_report,
    format_status_report,
    write_address_results,
)
from statuary.extensions.importing.sources import WebSource, read_text_file
from statuary.extensions.importing.status.betterstack import read_betterstack
from statuary.extensions.importing.status.cachet import read_cachet
from statuary.extensions.importing.status.cstate import read_cstate
from statuary.extensions.importing.status.gatus import read_gatus
from statuary.extensions.importing.status.import_status import import_status
from statuary.extensions.importing.status.instatus import read_instatus
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.extensions.importing.status.statuspage import read_statuspage
from statuary.extensions.importing.status.upptime import read_upptime
from statuary.extensions.importing.toolchains.ape import read_ape
from statuary.extensions.importing.toolchains.boa import read_titanoboa
from statuary.extensions.importing.toolchains.broadcasts import read_broadcasts
from statuary.extensions.importing.toolchains.explorer import read_explorer_api, read_explorer_files
from statuary.extensions.importing.toolchains.hardhat_deploy import read_hardhat_deploy
from statuary.extensions.importing.toolchains.hardhat_project import read_hardhat_project
from statuary.extensions.importing.toolchains.ignition import read_ignition
from statuary.extensions.importing.toolchains.listed_contract import ListedContract, ListedContracts
from statuary.extensions.importing.toolchains.sourcify import read_sourcify_api, read_sourcify_folder
from statuary.extensions.importing.toolchains.sourcify_metadata import ContractLocation
from statuary.system.archives import DamagedDataError
from statuary.system.network.client import is_url
from statuary.system.unpacking import is_archive, unpack


class StatusKind(NamedTuple):
    """A product whose status pages can be imported, such as Statuspage."""

    title: str
    read_page: Callable[[ImportRequest], StatusPlan]
    source: str  # what SOURCE may be
    key: str = ""  # the environment variable that holds the API key; empty if the API needs none

    @property
    def name(self) -> str:
        """The name of the subcommand of `statuary import`, such as `betterstack`."""
        return self.title.lower().replace(" ", "")


STATUS_KINDS = (
    StatusKind(
        "Statuspage", read_statuspage, "the URL of a public page, or a folder or file of saved documents"
    ),
    StatusKind("cState", read_cstate, "a checkout of the page's repository, or one issue file"),
    StatusKind(
        "Upptime",
        read_upptime,
        "the URL of the page's GitHub repository, or a checkout of it with saved issues",
        "GITHUB_TOKEN",
    ),
    StatusKind("Gatus", read_gatus, "the configuration of Gatus (a file or folder), or the URL of the page"),
    StatusKind(
        "Instatus",
        read_instatus,
        "https://api.instatus.com/v1/PAGE-ID, the URL of a public page (only what is active), or saved documents",
        "INSTATUS_API_KEY",
    ),
    StatusKind("Better Stack", read_betterstack, "the URL of a public page, or its saved index.json"),
    StatusKind(
        "Cachet",
        read_cachet,
        "the URL of a page of version 2 or 3, or saved lists of its API",
        "CACHET_API_KEY",
    ),
)


class ImportTarget(NamedTuple):
    """The options that every kind of import has."""

    content: Path
    now: Instant | None
    dry_run: bool


with_import_target = option_group(
    "target",
    ImportTarget,
    content_option,
    now_option,
    click.option("--dry-run", is_flag=True, help="Print what would be imported, and write nothing."),
)


def _make_status_import_command(kind: StatusKind) -> click.Command:
    about = f"SOURCE is {kind.source}."
    if kind.key:
        about += f"\n\nThe command reads the key of the API from the environment variable {kind.key}, if it is set."

    @click.command(kind.name, help=f"Import a status page of {kind.title}.\n\n{about}")
    @click.argument("source", metavar="SOURCE")
    @with_import_target
    def import_status_page(source: str, target: ImportTarget) -> ExitCode:
        key = os.environ.get(kind.key, "") if kind.key else ""
        return run_status_import(kind.read_page, source, key, target)

    return import_status_page


STATUS_COMMANDS = tuple(map(_make_status_import_command, STATUS_KINDS))
"""A command for each system of status pages."""


class ContractKind(NamedTuple):
    """A kind of source that contracts are imported from, such as Sourcify."""

    name: str
    title: str  # the contracts that the command imports, as a phrase
    source: str  # what SOURCE may be


CONTRACT_KINDS: Final = (
    ContractKind(
        "sourcify",
        "contracts from Sourcify",
        "the URL of a server with API v2, or a folder, a file or an archive (.zip, .tar.gz) with saved contracts. With a"
        " URL, add --chain-id. If you leave out --address, the command then imports all contracts of the chain."
        "\n\nSaved contracts are Sourcify's repository or a part of it (full_match, partial_match), records (*.json or"
        " *.jsonl), answers of API v1, or solc's metadata.json with the sources (add --chain-id and --address)",
    ),
    ContractKind(
        "etherscan",
        "contracts from an explorer with Etherscan's API",
        "the URL of Etherscan's API, or of the same API of Blockscout or Routescan. Add --chain-id. The command reads"
        " the key of the API from the environment variable ETHERSCAN_API_KEY.\n\nSOURCE can also be a saved response"
        " of getsourcecode, or a folder with such responses, named <address>.json",
    ),
    ContractKind(
        "hardhat",
        "the contracts that a Hardhat project deployed",
        "the folder of the project, with deployments of hardhat-deploy or Ignition",
    ),
    ContractKind(
        "hardhat-deploy",
        "the contracts that hardhat-deploy deployed",
        "the folder of a project, or of one network",
    ),
    ContractKind(
        "ignition",
        "the contracts that Hardhat Ignition deployed",
        "the folder of a project, or of one deployment",
    ),
    ContractKind(
        "foundry",
        "the contracts that forge script deployed",
        "the folder of a project, with broadcast and out",
    ),
    ContractKind(
        "boa",
        "the contracts that titanoboa deployed",
        "the folder of a project, or its database of deployments",
    ),
    ContractKind(
        "moccasin",
        "the contracts that moccasin deployed",
        "the folder of a project, or its database of deployments",
    ),
    ContractKind(
        "ape",
        "the contracts that ape deployed",
        "the folder of a compiled project; its deployments are those of ape-config.yaml and of ape's data folder",
    ),
)


class ContractOptions(NamedTuple):
    """The options that every import of contracts has."""

    chain_id: ChainId | None
    addresses: tuple[Address, ...]
    address_file: Path | None
    rpc: tuple[str, ...]
    compiler: tuple[str, ...]
    anchoring: bool
    add_chains: bool
    report: Path | None
    form: str


with_contract_options = option_group(
    "contract_options",
    ContractOptions,
    click.option(
        "--chain-id", type=CHAIN_ID, help="Import only contracts on the chain with this id, such as 1."
    ),
    click.option(
        "--address",
        "addresses",
        multiple=True,
        type=ADDRESS,
        help="Import only the contract at this address (repeatable).",
    ),
    click.option(
        "--addresses",
        "address_file",
        type=FILE,
        help="Import only the contracts whose addresses are in this text file, one per line.",
    ),
    click.option(
        "--rpc",
        multiple=True,
        metavar="URL",
        help="Verify the contracts' code with the Ethereum node at this URL. Repeat the option for each chain.",
    ),
    click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="Compile with solc=PATH or vyper=PATH. Repeat the option for each version. Default: the compilers on your PATH.",
    ),
    anchor_option,
    click.option(
        "--add-chains",
        is_flag=True,
        help="Add chains that the site's settings don't list yet, each named by its chain id.",
    ),
    click.option(
        "--report",
        type=FILE,
        help="Write the result for each address to this JSON file.",
    ),
    form_option,
)


def _make_contract_import_command(kind: ContractKind) -> click.Command:
    about = (
        f"SOURCE is {kind.source}.\n\nThe command verifies each contract before it writes it, and its report lists"
        " what it could not verify. If the compiler's output or the code on the chain is missing, the command still"
        " writes the contract's folder, with a note in contract.yaml that says what is missing."
    )

    @click.command(kind.name, help=f"Import {kind.title}.\n\n{about}")
    @click.argument("source", metavar="SOURCE")
    @with_contract_options
    @with_import_target
    def import_contracts(source: str, contract_options: ContractOptions, target: ImportTarget) -> ExitCode:
        return run_contract_import(kind.name, source, contract_options, target)

    return import_contracts


CONTRACT_COMMANDS: Final = tuple(map(_make_contract_import_command, CONTRACT_KINDS))
"""A command for each source of contracts."""


@click.group("import", cls=ExtensibleGroup)
def import_command() -> None:
    """Import contracts and status pages from other systems.

    An import adds only what is new, so you can run it again to import what has been added since. It ends with a
    report of what it could not import.
    """


for kind_command in (*STATUS_COMMANDS, *CONTRACT_COMMANDS):
    import_command.add_command(kind_command)


@import_command.command("safe-deployments", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, expose_value=False)
def safe_deployments_command() -> None:
    """Fail, and name the command that replaced this one."""
    raise click.UsageError(
        "`statuary import safe-deployments` was removed: Safe's assets have no sources, so it imported nothing. "
        "Import the contracts with `statuary import sourcify --chain-id ID --address ADDRESS`."
    )


def run_status_import(
    read_page: Callable[[ImportRequest], StatusPlan],
    source: str,
    key: str,
    target: ImportTarget,
) -> ExitCode:
    """Import a status page, and print a report.

    Args:
        read_page: a function that reads pages of this system, such as `read_cachet`.
        source: the URL, folder or file to import from.
        key: the key for the system's API; empty if the API needs none.
        target: where and when to import, and whether to write files.

    Returns:
        The exit code of the command.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    content, now, dry_run = target
    with show_progress() as progress, report_stage(progress, "reading"):
        done = import_status(
            read_page,
            source,
            content,
            build_instant(now),
            web=WebSource(headers, announce=lambda: progress.advance(1)),
            dry_run=dry_run,
        )
    if done.findings:
        click.echo(text_report(done.findings, str(content)), err=True)
        click.echo("statuary: nothing was written", err=True)
        return ExitCode.FINDINGS
    click.echo("\n".join(format_status_report(done.report, content, dry_run=dry_run)))
    return _import_exit_code(done.report)


def import_new_site(kind: str, source: str, content: Path, now: Instant) -> ExitCode:
    """Import a status page into a new content folder.

    `statuary init --from cachet URL` calls this function with the kind `cachet`.

    Args:
        kind: the product that runs the page, such as `cachet`.
        source: the URL, folder or file to import from.
        content: the content folder to create files in.
        now: the time of the import.

    Raises:
        click.BadParameter: if statuary cannot import pages of this product.
    """
    kinds = {kind_of_page.name: kind_of_page for kind_of_page in STATUS_KINDS}
    if kind not in kinds:
        hint = did_you_mean(kind, kinds) or f"use one of {', '.join(kinds)}"
        raise click.BadParameter(f"unknown kind of status page {kind!r}; {hint}", param_hint="--from")
    key = os.environ.get(kinds[kind].key, "") if kinds[kind].key else ""
    return run_status_import(kinds[kind].read_page, source, key, ImportTarget(content, now, dry_run=False))


KEY_VARIABLE: Final = "ETHERSCAN_API_KEY"
"""The environment variable with an explorer's key, as other tools call it."""

PROJECT_READERS: Final = {
    "hardhat": read_hardhat_project,
    "hardhat-deploy": read_hardhat_deploy,
    "ignition": read_ignition,
    "foundry": read_broadcasts,
    "boa": read_titanoboa,
    "moccasin": read_titanoboa,
    "ape": read_ape,
}


def run_contract_import(
    kind: str, source: str, contract_options: ContractOptions, target: ImportTarget
) -> ExitCode:
    """Import contracts, and print a report.

    Args:
        kind: the kind of source, such as `sourcify` or `foundry`.
        source: the URL, folder or file to import from.
        contract_options: the command-line options about contracts.
        target: where and when to import, and whether to write files.

    Returns:
        The exit code of the command.
    """
    content = target.content
    site = read_site_content(content)
    addresses, file = contract_options.addresses, contract_options.address_file
    if file is not None:
        addresses = (*addresses, *_read_address_file(file))
    nodes = {read_chain_id(node): node for node in map(EthereumNode, contract_options.rpc)}
    settings = ContractImportSettings(
        form=ContractForm(contract_options.form),
        now=build_instant(target.now),
        compilers=parse_compilers(contract_options.compiler),
        nodes=nodes,
        dry_run=target.dry_run,
        add_chains=contract_options.add_chains,
    )
    if kind in PROJECT_READERS:
        _require_existing_project(source)
    cache = CompilationCache(cache_folder())
    with (
        unpack_source(source) as location,
        show_progress() as progress,
        Compilations(
            settings.compilers, cache, workers=available_cpus(), announce=print_compilation_notice
        ) as compilations,
    ):
        list_contracts = partial(_list_source_contracts, kind, location, contract_options.chain_id, addresses)
        contract_import = ContractImport(content, site, settings, compilations)
        if kind in PROJECT_READERS and settings.compilers:
            with report_stage(progress, "reading"):
                contract_import.register_compilations(track_progress(progress, list_contracts()))
        with report_stage(progress, "contracts"):
            done = contract_import.import_contracts(track_progress(progress, list_contracts()))
    anchored = (
        _anchor_imported_contracts(done, content, nodes)
        if contract_options.anchoring and not target.dry_run
        else ()
    )
    click.echo("\n".join(format_contract_report(done, content, dry_run=settings.dry_run)))
    for line in anchored:
        click.echo(line)
    if words := _write_address_report(contract_options.report, done, kind, source, dry_run=settings.dry_run):
        click.echo(words)
    return _import_exit_code(done.report, done.incomplete)


@contextmanager
def unpack_source(source: str) -> Iterator[str]:
    """Unpack the source of an import if it is an archive.

    An archive is unpacked into a temporary folder, which is deleted when the context ends.

    Yields:
        The path of the unpacked folder; the source itself if it is not an archive.

    Raises:
        NotImportableError: if the archive cannot be unpacked.
    """
    file = Path(source)
    if is_url(source) or not (file.is_file() and is_archive(file.name)):
        yield source
        return
    with TemporaryDirectory(prefix="statuary-") as folder:
        # Name the folder like the archive, because the archive's name may be the only place with the
        # contract's address.
        place = Path(folder, file.name[: file.name.lower().rindex(".")])
        try:
            unpack(file, place, MAX_UNPACKED_BYTES)
        except DamagedDataError as error:
            raise NotImportableError(
                f"{source}: {error}", "download the archive again, or unpack it and give its folder"
            ) from None
        yield str(place)


MAX_UNPACKED_BYTES: Final = 16 << 30
"""Limit for the files of an archive."""


def _require_existing_project(source: str) -> None:
    if not Path(source).exists():
        raise NotImportableError(f"there is no folder {source!r}", "name the folder of the project")


def _write_address_report(
    report_file: Path | None, results: ImportedContracts, kind: str, source: str, *, dry_run: bool
) -> str:
    """Write the result of each address to the file of `--report`.

    Returns:
        A sentence for the terminal: where the file is, or how to get one.
    """
    if report_file is not None:
        write_address_results(report_file, results, kind, source, dry_run=dry_run)
        return f"every address with its outcome: {report_file}"
    longest = max(Counter(account.outcome for account in results.accounts.values()).values(), default=0)
    return (
        "to have every address with its outcome, import again with --report FILE" if longest > LISTED else ""
    )


def _anchor_imported_contracts(
    results: ImportedContracts, content: Path, nodes: Mapping[ChainId, EthereumNode]
) -> Iterator[str]:
    """Save Merkle proofs of the imported contracts, and yield lines about them.

    For each contract, the report of the import also gets whether it was proven to be on the chain.
    """
    skipped: list[SkippedRecord] = []
    for chain_id, node in nodes.items():
        sources = [source for source in results.written_sources if source.chain_id == chain_id]
        anchored = 0
        for contract in anchor_contracts(content, sources, AnchoringNodes(node)):
            place = (chain_id, contract.source.address.lower())
            if contract.claims and contract.claims[0].evidence:
                is_anchored = contract.claims[0].status is not ClaimStatus.CONTRADICTED
                anchored += is_anchored
                results.accounts[place] = results.accounts[place]._replace(is_anchored=is_anchored)
            elif contract.claims:
                skipped.append(
                    SkippedRecord(contract.source.address, describe_chain_claim(contract.claims[0]))
                )
                results.notes_of[place].append(f"not anchored: code {skipped[-1].reason}")
        if sources:
            yield f"anchored on chain {chain_id}: {anchored:,} of {count_text(len(sources), 'contract')}"
    for reason, addresses in group_skipped_by_reason(skipped):
        yield escape_control_chars(f"not anchored: {count_text(len(addresses), 'contract')}; code {reason}")


def _import_exit_code(report: ImportReport, incomplete_records: Sequence[SkippedRecord] = ()) -> ExitCode:
    if report.incomplete:
        click.echo(f"statuary: the import is incomplete: {escape_control_chars(report.incomplete)}", err=True)
        return ExitCode.FAILED
    return ExitCode.FINDINGS if report.skipped or incomplete_records else ExitCode.OK


def _list_source_contracts(
    kind: str, source: str, chain_id: ChainId | None, addresses: Sequence[Address]
) -> ListedContracts:
    if kind in PROJECT_READERS:
        return _filter_contracts(PROJECT_READERS[kind](Path(source)), chain_id, addresses)
    if kind == "sourcify" and not is_url(source):
        given = ContractLocation(chain_id, addresses[0] if len(addresses) == 1 else None)
        return _filter_contracts(read_sourcify_folder(Path(source), given), chain_id, addresses)
    if chain_id is None:
        raise click.UsageError("the source does not name the chain of its contracts; add --chain-id")
    if kind == "sourcify":
        return read_sourcify_api(source, WebSource(), chain_id, addresses)
    if is_url(source):
        key = os.environ.get(KEY_VARIABLE, "")
        return read_explorer_api(source, WebSource(), chain_id, addresses, key)
    return _filter_contracts(read_explorer_files(Path(source), chain_id, addresses), chain_id, addresses)


def _filter_contracts(
    contracts: ListedContracts, chain_id: ChainId | None, addresses: Sequence[Address]
) -> ListedContracts:
    for contract in contracts:
        if isinstance(contract, ListedContract) and (
            chain_id not in (None, contract.chain_id) or (addresses and contract.address not in addresses)
        ):
            continue
        yield contract


def _read_address_file(address_file: Path) -> Iterator[Address]:
    for number, line in enumerate(read_text_file(address_file).splitlines(), 1):
        text = line.partition("#")[0].strip()
        try:
            if text:
                yield parse_address(text)
        except InvalidValueError as error:
            raise click.UsageError(f"{address_file}:{number}: {error}; {error.hint}") from None
