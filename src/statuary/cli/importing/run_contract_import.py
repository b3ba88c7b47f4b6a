"""One run of `statuary import` on contracts: choose the reader, import, report."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from statuary.build.progress import counted, stage
from statuary.cli.compiler_options import parse_compilers
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant
from statuary.cli.output.findings_report import text_report
from statuary.cli.output.import_report import contract_import_lines
from statuary.cli.output.printable import printable
from statuary.cli.output.progress import progress
from statuary.content.read_content import read_content
from statuary.domain.catalogue import ContractForm
from statuary.domain.primitives import Address, ChainId, InvalidValueError, parse_address
from statuary.importing.contracts.explorer import read_explorer_api, read_explorer_files
from statuary.importing.contracts.found_contract import Found, FoundContract
from statuary.importing.contracts.foundry_broadcasts import read_broadcasts
from statuary.importing.contracts.hardhat_deploy import read_hardhat_deploy
from statuary.importing.contracts.ignition import read_ignition
from statuary.importing.contracts.import_contracts import ContractImport, ContractImportSettings
from statuary.importing.contracts.sourcify_api import read_sourcify_api
from statuary.importing.contracts.sourcify_repository import read_sourcify_repository
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.input_files import decode_source, read_source_bytes
from statuary.importing.on_chain_contract import read_chain_id
from statuary.importing.web_source import WebSource
from statuary.snapshots.http_client import is_url

KEY_VARIABLE: Final = "ETHERSCAN_API_KEY"
"""The environment variable with an explorer's key, as other tools call it."""

PROJECT_READERS: Final = {
    "hardhat-deploy": read_hardhat_deploy,
    "ignition": read_ignition,
    "foundry": read_broadcasts,
}


def run_contract_import(kind: str, source: str, content: Path, given: dict[str, Any]) -> ExitCode:
    """Import contracts, print the report and return the exit code."""
    catalogue, findings = read_content(content)
    if catalogue is None:
        click.echo(text_report(findings, str(content)), err=True)
        return ExitCode.FINDINGS
    addresses = _addresses(given["addresses"], given["address_file"])
    settings = ContractImportSettings(
        form=ContractForm(given["form"]),
        now=build_instant(given["now"]),
        compilers=parse_compilers(given["compiler"]),
        nodes={read_chain_id(node): node for node in map(EthereumNode, given["rpc"])},
        dry_run=given["dry_run"],
    )
    with progress() as shown, stage(shown, "contracts"):
        found = _found(kind, source, given["chain_id"], addresses)
        done = ContractImport(content, catalogue, settings).import_all(counted(shown, found))
    click.echo("\n".join(contract_import_lines(done, content, dry_run=settings.dry_run)))
    if done.report.incomplete:
        click.echo(f"statuary: the import is not complete: {printable(done.report.incomplete)}", err=True)
        return ExitCode.FAILED
    return ExitCode.FINDINGS if done.report.lost or done.incomplete else ExitCode.OK


def _found(kind: str, source: str, chain_id: ChainId | None, addresses: Sequence[Address]) -> Found:
    if kind in PROJECT_READERS:
        return _wanted(PROJECT_READERS[kind](Path(source)), chain_id, addresses)
    if kind == "sourcify" and not is_url(source):
        return _wanted(read_sourcify_repository(Path(source)), chain_id, addresses)
    if chain_id is None:
        raise click.UsageError("add --chain-id: the source does not name the chain of its contracts")
    if kind == "sourcify":
        return read_sourcify_api(source, WebSource(), chain_id, addresses)
    if is_url(source):
        key = os.environ.get(KEY_VARIABLE, "")
        return read_explorer_api(source, WebSource(), chain_id, addresses, key)
    return _wanted(read_explorer_files(Path(source), chain_id, addresses), chain_id, addresses)


def _wanted(found: Found, chain_id: ChainId | None, addresses: Sequence[Address]) -> Found:
    for one in found:
        if isinstance(one, FoundContract) and (
            chain_id not in (None, one.chain_id) or (addresses and one.address not in addresses)
        ):
            continue
        yield one


def _addresses(given: Sequence[Address], file: Path | None) -> list[Address]:
    if file is None:
        return [*given]
    return [*given, *_addresses_in(file)]


def _addresses_in(file: Path) -> Iterator[Address]:
    for number, line in enumerate(decode_source(read_source_bytes(file), file).splitlines(), 1):
        text = line.partition("#")[0].strip()
        try:
            if text:
                yield parse_address(text)
        except InvalidValueError as error:
            raise click.UsageError(f"{file}:{number}: {error}; {error.hint}") from None
