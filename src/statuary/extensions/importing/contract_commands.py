"""`statuary contract`: add contracts from compilers, tools and nodes."""

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import click

from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding, has_errors, sorted_findings
from statuary.base.primitives import Address, ChainId, Instant, checksum_address, to_instant
from statuary.base.progress import report_stage, track_progress
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.cli.options import FILE, DurationType, build_instant, content_option, now_option
from statuary.cli.output import format_size, show_progress
from statuary.contracts.chain.anchor import Anchor, Checkpoints
from statuary.contracts.checks.anchor_claims import require_signature_library
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.contracts.model.proof import Claim, ClaimStatus, CompilationEvidence
from statuary.contracts.model.record import RecordValue
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.evidence import hash_compilation_evidence, read_anchor
from statuary.engine.read_content import read_content
from statuary.extensions.compilers.cache import CompilationCache, CompilerRun, cache_folder
from statuary.extensions.compilers.compiler import compilers_on_path
from statuary.extensions.compilers.options import compiler_option, parse_compilers
from statuary.extensions.compilers.recompile import RecompileOptions, Recompiler
from statuary.extensions.importing.compilations import Compilations
from statuary.extensions.importing.contract_options import (
    ADDRESS,
    CHAIN_ID,
    ChainOptions,
    CompilationOptions,
    WriteOptions,
    with_chain_options,
    with_compilation_options,
    with_write_options,
)
from statuary.extensions.importing.evidence.chain_evidence import (
    AnchoringNodes,
    anchor_contracts,
    anchor_record,
    describe_chain_claim,
    write_anchor,
)
from statuary.extensions.importing.evidence.compile_contract import (
    compare_compiler_run,
    compile_contract,
    write_evidence,
)
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.evidence.on_chain_contract import (
    OnChainContract,
    read_chain_id,
    read_on_chain_contract,
)
from statuary.extensions.importing.prepare_contract import ImportOptions, PreparedContract, prepare_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_hex_file
from statuary.extensions.importing.toolchains.compilation import make_compilation_from_record
from statuary.extensions.importing.toolchains.hardhat import read_compilation
from statuary.extensions.importing.workspace_files import add_chain, write_contract
from statuary.site.site_content import SiteContent
from statuary.source.edit_files import content_lock
from statuary.source.locate import locate_findings


def select_contract_sources(
    site: SiteContent, addresses: tuple[Address, ...], chain_id: ChainId | None
) -> list[ContractSource]:
    """Find the site's contracts at some addresses, or all of them.

    Args:
        site: the content of the site.
        addresses: the addresses that the user typed; empty for all addresses.
        chain_id: the chain that the user chose; None for all chains.

    Returns:
        The file of each contract in the content folder, with its chain and address.

    Raises:
        NotImportableError: if the site has no contract at one of the addresses.
    """
    lower_addresses = {address.lower() for address in addresses}
    sources = [
        source
        for source in site.content_of(SiteContracts).sources
        if chain_id in (None, source.chain_id)
        and (not lower_addresses or source.address.lower() in lower_addresses)
    ]
    for address in lower_addresses - {source.address.lower() for source in sources}:
        raise NotImportableError(f"no contract file or workspace has the address {checksum_address(address)}")
    return sources


def read_site_content(content: Path) -> SiteContent:
    """Read the content folder, or print its errors and exit."""
    site, findings = read_content(content)
    if site is None:
        click.echo(text_report(findings, str(content)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return site


def choose_chain_id(
    site: SiteContent,
    chain_id: ChainId | None,
    node: EthereumNode | None,
    *,
    allow_missing_chain: bool = False,
) -> ChainId:
    """Choose the chain of a new contract: from `--chain-id`, node or site.yaml.

    Args:
        site: the content of the site.
        chain_id: the value of `--chain-id`; None to use the chain of the node or the only chain of site.yaml.
        node: the node to ask for its chain id; None if there is no node.
        allow_missing_chain: whether site.yaml need not list the chain.

    Raises:
        NotImportableError: if the node is on another chain than `chain_id`, or site.yaml does not list the
            chain.
        click.UsageError: if there is neither an option nor a node, and site.yaml does not list exactly one
        chain.
    """
    site_chains = [chain.chain_id for chain in site.content_of(SiteContracts).chains]
    of_node = None if node is None else read_chain_id(node)
    if of_node is not None and chain_id not in (None, of_node):
        raise NotImportableError(
            f"the node is on chain {of_node}, not {chain_id}", "use another --rpc, or leave out --chain-id"
        )
    chain = chain_id or of_node or _require_single_chain_id(site_chains)
    if chain not in site_chains and not allow_missing_chain:
        raise NotImportableError(
            f"chain {chain} is not listed under `chains`",
            f"run the command again with --add-chain, or add to `chains` in site.yaml or site.json: {{chain_id: {chain}, name: …}}",
        )
    return chain


def _add_missing_chain(content: Path, site: SiteContent, chain_id: ChainId) -> None:
    if chain_id not in [chain.chain_id for chain in site.content_of(SiteContracts).chains]:
        add_chain(content, site.source, chain_id)
        click.echo(f"added chain {chain_id} to {content / site.source}; name the chain there")


def _require_single_chain_id(chain_ids: list[ChainId]) -> ChainId:
    if not chain_ids:
        raise click.UsageError(
            "the site has no chain: list it under `chains` in site.yaml or site.json, or give --chain-id and --add-chain"
        )
    if len(chain_ids) > 1:
        raise click.UsageError(f"choose a chain with --chain-id: the site has {', '.join(chain_ids)}")
    return chain_ids[0]


@click.command("anchor")
@click.argument("addresses", metavar="[ADDRESS]...", nargs=-1, type=ADDRESS)
@click.option(
    "--rpc",
    metavar="URL",
    help="Get the proofs from the Ethereum node at this URL. Default: the first node of the chain in site.yaml.",
)
@click.option(
    "--chain-id",
    type=CHAIN_ID,
    help="Set the chain id of the contracts, such as 1. Default: the chain of the node, or the only chain of the site.",
)
@click.option(
    "--older-than",
    type=DurationType(),
    metavar="DURATION",
    help="Skip contracts whose saved proofs are newer than this, such as 30d. Default: renew all proofs.",
)
@content_option
@now_option
def anchor_command(
    addresses: tuple[Address, ...],
    rpc: str | None,
    chain_id: ChainId | None,
    older_than: timedelta | None,
    content: Path,
    now: Instant | None,
) -> None:
    """Save Merkle proofs that contracts are on the chain.

    The command gets Merkle proofs from a node, and writes them to anchor.json in the folder
    contracts/CHAIN-ID/ADDRESS. They prove the code at the address, a proxy's implementation, and the transaction
    that created the contract, each under the hash of a block. Builds verify this file without a node.

    If site.yaml lists other nodes for the chain, they must return the same block hashes. Without ADDRESS, the command
    gets the proofs of all contracts except those in bulk files, which hold many records.

    The exit code is 1 if a proof contradicts a record: the code is gone or changed, or the proxy was upgraded.
    """
    require_signature_library()
    older_than_instant = None if older_than is None else to_instant(build_instant(now) - older_than)
    with content_lock(content):
        site = read_site_content(content)
        nodes, chain = _connect_chain_nodes(site, rpc, chain_id)
        sources = select_contract_sources(site, addresses, chain)
        findings: list[Finding] = []
        counts: Counter[ClaimStatus] = Counter()
        last_claim: Claim | None = None
        checkpoints = _trusted_checkpoints(site, chain)
        anchored = anchor_contracts(
            content, sources, nodes, older_than=older_than_instant, checkpoints=checkpoints
        )
        with show_progress() as progress, report_stage(progress, "Anchoring", len(sources)):
            for contract in track_progress(progress, anchored):
                findings += contract.findings
                counts[contract.proof_status] += 1
                if contract.path:
                    _print_anchor_claims(contract.source.address, contract.claims)
                    last_claim = contract.claims[0]
    for note in (*nodes.notes, *_checkpoint_hints(last_claim, chain)):
        click.echo(f"note: {escape_control_chars(note)}", err=True)
    click.echo(_format_anchor_summary(counts, chain))
    if findings:
        click.echo(text_report(sorted_findings(locate_findings(content, findings)), str(content)), err=True)
    is_wrong = has_errors(findings) or counts[ClaimStatus.CONTRADICTED]
    sys.exit(ExitCode.FINDINGS if is_wrong else ExitCode.OK)


def _checkpoint_hints(claim: Claim | None, chain_id: ChainId) -> Iterator[str]:
    """Yield a hint about how to trust the block of a proof.

    No hint is needed if site.yaml vouches for the block with a checkpoint.
    """
    if claim is not None and claim.status is ClaimStatus.STATED:
        number = claim.evidence["blockNumber"]
        name = claim.evidence["blockHash"]
        yield (
            f"no checkpoint names block {number:,}, so only a file says that it belongs to the chain: compare its hash with nodes that"
            f' you trust, then add `{{block: {number}, hash: "{name}"}}` to `checkpoints` of chain {chain_id} in site.yaml or site.json'
        )


def _format_anchor_summary(counts_by_status: Counter[ClaimStatus], chain_id: ChainId) -> str:
    proved = counts_by_status[ClaimStatus.VERIFIED] + counts_by_status[ClaimStatus.STATED]
    contradicted = counts_by_status[ClaimStatus.CONTRADICTED]
    contradicted_text = f", {contradicted:,} contradicted" if contradicted else ""
    return f"the code of {proved:,} of {counts_by_status.total():,} contracts is proved on chain {chain_id}{contradicted_text}"


def _trusted_checkpoints(site: SiteContent, chain_id: ChainId) -> Checkpoints:
    return next(
        (
            dict(chain.checkpoints)
            for chain in site.content_of(SiteContracts).chains
            if chain.chain_id == chain_id
        ),
        {},
    )


class _ChainNodes(NamedTuple):
    """A chain's node, and the nodes that confirm its blocks."""

    nodes: AnchoringNodes
    chain_id: ChainId


def _connect_chain_nodes(site: SiteContent, rpc_url: str | None, chain_id: ChainId | None) -> _ChainNodes:
    """Connect to the nodes of a chain, which options or site.yaml name.

    Raises:
        NotImportableError: if a node is on another chain, or the site does not have the chain.
        click.UsageError: if neither names a chain or a node.
    """
    node = None if rpc_url is None else EthereumNode(rpc_url)
    chain_id = choose_chain_id(site, chain_id, node)
    urls = _configured_node_urls(site, chain_id)
    if node is None:
        if not urls:
            raise click.UsageError(f"add --rpc URL, because `chains` lists no node of chain {chain_id}")
        node = EthereumNode(urls[0])
        if read_chain_id(node) != chain_id:
            raise NotImportableError(
                f"{node.host} is not on chain {chain_id}",
                f"correct `rpc` of chain {chain_id} in site.yaml or site.json",
            )
    return _ChainNodes(_with_confirming_nodes(node, rpc_url or urls[0], urls), chain_id)


def _with_confirming_nodes(node: EthereumNode, node_url: str, all_urls: tuple[str, ...]) -> AnchoringNodes:
    return AnchoringNodes(node, [EthereumNode(url) for url in all_urls if url != node_url])


def _configured_node_urls(site: SiteContent, chain_id: ChainId) -> tuple[str, ...]:
    return next(
        (chain.rpc for chain in site.content_of(SiteContracts).chains if chain.chain_id == chain_id), ()
    )


def _print_anchor_claims(address: str, claims: tuple[Claim, ...]) -> None:
    on_chain, deployed = map(describe_chain_claim, claims)
    click.echo(
        f"    {address}  code {escape_control_chars(on_chain)}; deployment {escape_control_chars(deployed)}"
    )


def anchor_added_contract(
    content: Path, source: ContractSource, record: RecordValue, rpc_url: str | None, site: SiteContent
) -> Anchor | None:
    """Request a new contract's Merkle proofs from a node, and verify them.

    The proofs show that the code at the address is in a block. If the node cannot prove this, the reason is
    printed.

    Args:
        content: the content folder.
        source: the location of the contract in the content folder.
        record: the verified record of the contract.
        rpc_url: the URL of the node; None to request no proofs.
        site: the content of the site, whose settings may name further nodes.

    Returns:
        The proofs, or None if there are none.

    Raises:
        ContradictedError: if the proven code differs from the code that the node returned before.
    """
    if rpc_url is None:
        return None
    urls = _configured_node_urls(site, ChainId(source.chain_id))
    nodes = _with_confirming_nodes(EthereumNode(rpc_url), rpc_url, urls)
    try:
        require_signature_library()
        anchor, claims = anchor_record(record, read_anchor(content, source, []), nodes)
    except StatuaryError as error:
        hint = f"; {error.hint}" if error.hint else ""
        click.echo(f"note: the contract is not anchored: {escape_control_chars(str(error))}{hint}", err=True)
        return None
    finally:
        for note in nodes.notes:
            click.echo(f"note: {escape_control_chars(note)}", err=True)
    _print_anchor_claims(source.address, claims)
    if claims[0].status is ClaimStatus.CONTRADICTED:
        raise ContradictedError("the code that the node returned does not match the node's own Merkle proof")
    return anchor


class ContradictedError(StatuaryError):
    """Raised if a proof contradicts a contract that is being added."""


@click.group()
def contract_command() -> None:
    """Add contracts from Foundry, Hardhat, a compiler or a node."""


@contract_command.command("add")
@click.argument("file", type=FILE)
@with_compilation_options
@with_chain_options
@with_write_options
def add_contract_command(
    file: Path,
    compilation_options: CompilationOptions,
    chain_options: ChainOptions,
    write_options: WriteOptions,
) -> ExitCode:
    """Add a contract to the content folder, if it matches the chain.

    FILE is an artifact or build-info of Hardhat or Foundry, or a compiler's standard JSON input (with --output).
    The command reads the code on the chain from a node (--rpc) or from files (--runtime, --creation). If the code
    does not match, the command writes nothing.

    Files of Hardhat and Foundry may lack some outputs of the compiler, such as the storage layout. With --compiler, the
    command compiles the contract again to get all outputs.
    """
    rpc, content, address = chain_options.rpc, write_options.content, compilation_options.address
    node = None if rpc is None else EthereumNode(rpc)
    compilation = read_compilation(
        file,
        output_file=compilation_options.output,
        contract_name=compilation_options.contract,
        compiler_version=compilation_options.compiler_version,
        project=compilation_options.project,
    )
    with content_lock(content):
        site = read_site_content(content)
        compilers = compilation_options.compiler
        chain_id = choose_chain_id(
            site, compilation_options.chain_id, node, allow_missing_chain=write_options.add_chain
        )
        import_options = ImportOptions(
            chain_id=chain_id,
            address=address,
            form=ContractForm(write_options.form),
            match_id=write_options.match_id,
            verified_at=write_options.verified_at,
            now=build_instant(write_options.now),
            replace=write_options.force,
            compilers=parse_compilers(compilers) if compilers else (),
        )
        on_chain = _read_code_from_options(node, address, chain_options)
        prepared = prepare_contract(
            content,
            site,
            import_options,
            compilation,
            on_chain,
            node=node,
            announce=print_compilation_notice,
        )
        _print_verification(prepared, content)
        if prepared.record is None:
            click.echo("statuary: the contract does not match the chain; nothing was written", err=True)
            return ExitCode.FINDINGS
        source = ContractSource(import_options.path, import_options.chain_id, address, import_options.form)
        node_to_ask = rpc if write_options.anchoring else None
        try:
            anchor = anchor_added_contract(content, source, prepared.record, node_to_ask, site)
        except ContradictedError as error:
            click.echo(f"statuary: {error}; nothing was written", err=True)
            return ExitCode.FINDINGS
        evidence = _check_recompilation(prepared.record, prepared.run, import_options)
        if not write_options.dry_run:
            _add_missing_chain(content, site, chain_id)
            write_contract(content, prepared.files, prepared.replaced)
            write_anchor(content, source, anchor)
            if evidence is not None:
                write_evidence(content, source, evidence)
    done = "would write" if write_options.dry_run else "wrote"
    for path, body in prepared.files.items():
        click.echo(f"    {done} {content / path} ({format_size(len(body))})")
    return ExitCode.OK


def print_compilation_notice(notice: str) -> None:
    """Print that the compiler starts to compile a contract.

    Args:
        notice: the text to print, with the name of the contract and its compiler.
    """
    click.echo(f"    {escape_control_chars(notice)}", err=True)


def _check_recompilation(
    record: RecordValue, run: CompilerRun | None, import_options: ImportOptions
) -> CompilationEvidence | None:
    """Compare a record with its compiler's output, and print the result.

    Returns:
        The evidence that both agree; None if they differ, the compiler fails, or there is no compiler.
    """
    try:
        if run is None:
            run = _recompile_record(record)
        if run is None:
            return None
        outcome = compare_compiler_run(record, run, import_options.path)
    except StatuaryError as error:
        click.echo(f"note: the contract was not compiled again: {escape_control_chars(str(error))}", err=True)
        return None
    if outcome.evidence is None:
        differing = "; ".join(finding.message for finding in outcome.findings)
        click.echo(
            f"note: the contract was compiled again, and the result differs: {escape_control_chars(differing)}",
            err=True,
        )
    else:
        click.echo(
            f"    the contract was compiled again with {run.compiler.name}, and the result is the same"
        )
    return outcome.evidence


def _recompile_record(record: RecordValue) -> CompilerRun | None:
    """Run the compiler of a contract's record again.

    Returns:
        The run; None if the compiler is not on PATH.
    """
    compilation = make_compilation_from_record(record)
    cache = CompilationCache(cache_folder())
    with Compilations(
        compilers_on_path(), cache, workers=1, announce=print_compilation_notice
    ) as compilations:
        if compilations.find_compiler(compilation) is None:
            return None
        return compilations.start_compiling(compilation).result()


contract_command.add_command(anchor_command)


@contract_command.command("compile")
@click.argument("addresses", metavar="[ADDRESS]...", nargs=-1, type=ADDRESS)
@click.option(
    "--chain-id", type=CHAIN_ID, help="Compile only contracts on the chain with this id, such as 1."
)
@compiler_option
@content_option
def compile_contracts(
    addresses: tuple[Address, ...], chain_id: ChainId | None, compiler: tuple[str, ...], content: Path
) -> None:
    """Compile contracts again, and save the result as evidence.

    If the compiler's output is the same as the contract's bytecode, the command writes this result to the file
    compilation.json in the folder contracts/CHAIN-ID/ADDRESS. The next build shows the result on the contract's page.

    The result is valid only for the current version of the contract's record. Run the command again after you change the
    record. Without ADDRESS, the command compiles all contracts except those in bulk files.

    Builds trust the file only if you list its SHA-256, which the command prints, in `contracts: {compilations: [...]}` of
    site.yaml.
    """
    compilers = parse_compilers(compiler)
    with content_lock(content):
        sources = select_contract_sources(read_site_content(content), addresses, chain_id)
        recompiler = Recompiler(RecompileOptions(compilers=compilers))
        findings: list[Finding] = []
        for source in sources:
            compiled = compile_contract(content, source, recompiler)
            findings += compiled.findings
            if compiled.evidence is not None:
                path = content / write_evidence(content, source, compiled.evidence)
                click.echo(f"    wrote {path} (SHA-256 {hash_compilation_evidence(compiled.evidence)})")
    if findings:
        located = sorted_findings(locate_findings(content, findings))
        click.echo(text_report(located, str(content)), err=True)
    sys.exit(ExitCode.FINDINGS if has_errors(findings) else ExitCode.OK)


def _read_code_from_options(
    node: EthereumNode | None, address: Address, chain_options: ChainOptions
) -> OnChainContract:
    without_node = ("runtime", "creation", "block_number", "transaction_index", "deployer")
    if node is not None:
        for name in without_node:
            if getattr(chain_options, name) is not None:
                raise click.UsageError(f"--{name.replace('_', '-')} cannot be combined with --rpc")
        return read_on_chain_contract(node, address, chain_options.transaction)
    if chain_options.runtime is None and chain_options.creation is None:
        raise click.UsageError("add --rpc URL, or --runtime FILE and --creation FILE")
    deployment = WorkspaceDeployment(
        transaction_hash=chain_options.transaction,
        block_number=chain_options.block_number,
        transaction_index=chain_options.transaction_index,
        deployer=chain_options.deployer,
    )
    return OnChainContract(
        runtime=None if chain_options.runtime is None else read_hex_file(chain_options.runtime),
        creation=None if chain_options.creation is None else read_hex_file(chain_options.creation),
        deployment=deployment,
        notes=() if deployment == WorkspaceDeployment() else (UNCHECKED_DEPLOYMENT,),
    )


UNCHECKED_DEPLOYMENT = (
    "the deployment is taken from the command line; nothing shows that it created the contract"
)


def _print_verification(prepared: PreparedContract, content: Path) -> None:
    verification = prepared.verification
    if verification.findings:
        click.echo(text_report(verification.findings, str(content)), err=True)
    for note in prepared.notes:
        click.echo(f"note: {escape_control_chars(note)}", err=True)
    record = prepared.record
    if record is not None:
        levels = (f"{side} {record[f'{side}Match'] or 'null'}" for side in ("creation", "runtime"))
        name = record["compilation"]["name"]
        click.echo(f"{name} at {record['address']} on chain {record['chainId']}: {', '.join(levels)}")
