"""`statuary contract`: add contracts from the files of compilers and tool chains, and from Ethereum nodes."""

import sys
from pathlib import Path
from typing import Any

import click

from statuary.build.recompile import RecompileOptions, Recompiler
from statuary.cli.compiler_options import compiler_option, parse_compilers
from statuary.cli.contract_anchor import anchor, anchor_added
from statuary.cli.contract_choice import choose_chain, choose_sources, read_catalogue
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import FILE, build_instant, content_option, with_options
from statuary.cli.options.contract_options import (
    ADDRESS,
    CHAIN_ID,
    CHAIN_OPTIONS,
    COMPILATION_OPTIONS,
    WRITE_OPTIONS,
)
from statuary.cli.output.findings_report import text_report
from statuary.cli.output.plain_text import size_text
from statuary.cli.output.printable import printable
from statuary.content.locate import locate_findings
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.contracts.workspace import WorkspaceDeployment
from statuary.domain.findings import Finding, has_errors, sorted_findings
from statuary.domain.primitives import Address, ChainId, Instant
from statuary.editing.content_lock import content_lock
from statuary.importing.compile_contract import compile_contract, write_evidence
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.input_files import read_hex_file
from statuary.importing.on_chain_contract import OnChainContract, read_on_chain_contract
from statuary.importing.prepare_contract import ImportOptions, PreparedContract, prepare_contract
from statuary.importing.read_compilation import read_compilation
from statuary.importing.write_contract import write_contract


@click.group()
def contract_command() -> None:
    """Add contracts to the site."""


@contract_command.command("add")
@click.argument("file", type=FILE)
@with_options(*COMPILATION_OPTIONS, *CHAIN_OPTIONS, *WRITE_OPTIONS)
def add(
    file: Path,
    content: Path,
    address: Address,
    chain_id: ChainId | None,
    rpc: str | None,
    form: str,
    match_id: str | None,
    verified_at: Instant | None,
    now: Instant | None,
    force: bool,
    dry_run: bool,
    anchoring: bool,
    compiler: tuple[str, ...],
    **given: object,
) -> None:
    """Add a contract: derive its record, verify it, and write it into the content folder.

    FILE is an artifact or build-info of Hardhat or Foundry, or a compiler's standard JSON input (with --output).
    The code on the chain comes from a node (--rpc) or from files (--runtime, --creation). A contract that does not
    match the chain is not written.

    Tool chains leave out some outputs of the compiler; with --compiler, the contract is compiled again and the
    record has all of them.
    """
    node = None if rpc is None else EthereumNode(rpc)
    compilation = _read_compilation(file, given)
    with content_lock(content):
        catalogue = read_catalogue(content)
        options = ImportOptions(
            chain_id=choose_chain(catalogue, chain_id, node),
            address=address,
            form=ContractForm(form),
            match_id=match_id,
            verified_at=verified_at,
            now=build_instant(now),
            replace=force,
            compilers=parse_compilers(compiler) if compiler else (),
        )
        on_chain = _read_on_chain(node, address, given)
        prepared = prepare_contract(content, catalogue, options, compilation, on_chain, node=node)
        _print_verification(prepared, content)
        if not prepared.verification.is_valid:
            click.echo("statuary: the contract does not match the chain; nothing was written", err=True)
            sys.exit(ExitCode.FINDINGS)
        if not dry_run:
            write_contract(content, prepared.files, prepared.replaced)
            if rpc is not None and anchoring:
                source = ContractSource(options.path, options.chain_id, address, options.form)
                anchor_added(content, source, rpc, catalogue)
    for path, body in prepared.files.items():
        click.echo(f"    {'would write' if dry_run else 'wrote'} {content / path} ({size_text(len(body))})")


def _read_compilation(file: Path, given: dict[str, Any]) -> ImportedCompilation:
    return read_compilation(
        file,
        output=given["output"],
        contract_name=given["name"],
        version=given["compiler_version"],
        project=given["project"],
    )


contract_command.add_command(anchor)


@contract_command.command("compile")
@click.argument("addresses", metavar="[ADDRESS]...", nargs=-1, type=ADDRESS)
@click.option("--chain-id", type=CHAIN_ID, help="Only contracts of this chain.")
@compiler_option
@content_option
def compile_contracts(
    addresses: tuple[Address, ...], chain_id: ChainId | None, compiler: tuple[str, ...], content: Path
) -> None:
    """Compile contracts again and write the evidence beside them.

    The evidence of a contract that its compiler reproduces is compilation.json in the folder
    contracts/CHAIN-ID/ADDRESS; the next build publishes it in the contract's proof. It names the record by its
    digest, so a changed record loses it. Without ADDRESS, all contracts are compiled; those of bulk files are not.
    """
    compilers = parse_compilers(compiler)
    with content_lock(content):
        sources = choose_sources(read_catalogue(content), addresses, chain_id)
        recompiler = Recompiler(RecompileOptions(compilers=compilers))
        findings: list[Finding] = []
        for source in sources:
            compiled = compile_contract(content, source, recompiler)
            findings += compiled.findings
            if compiled.evidence is not None:
                click.echo(f"    wrote {content / write_evidence(content, source, compiled.evidence)}")
    if findings:
        located = sorted_findings(locate_findings(content, findings))
        click.echo(text_report(located, str(content)), err=True)
    sys.exit(ExitCode.FINDINGS if has_errors(findings) else ExitCode.OK)


def _read_on_chain(node: EthereumNode | None, address: Address, given: dict[str, Any]) -> OnChainContract:
    without_node = ("runtime", "creation", "block_number", "transaction_index", "deployer")
    if node is not None:
        for name in without_node:
            if given[name] is not None:
                raise click.UsageError(f"--{name.replace('_', '-')} cannot be combined with --rpc")
        return read_on_chain_contract(node, address, given["transaction"])
    if given["runtime"] is None and given["creation"] is None:
        raise click.UsageError("add --rpc URL, or --runtime FILE and --creation FILE")
    deployment = WorkspaceDeployment(
        transaction_hash=given["transaction"],
        block_number=given["block_number"],
        transaction_index=given["transaction_index"],
        deployer=given["deployer"],
    )
    return OnChainContract(
        runtime=None if given["runtime"] is None else read_hex_file(given["runtime"]),
        creation=None if given["creation"] is None else read_hex_file(given["creation"]),
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
        click.echo(f"note: {printable(note)}", err=True)
    record = verification.record
    if record is not None and verification.is_valid:
        levels = (f"{side} {record[f'{side}Match'] or 'null'}" for side in ("creation", "runtime"))
        name = record["compilation"]["name"]
        click.echo(f"{name} at {record['address']} on chain {record['chainId']}: {', '.join(levels)}")
