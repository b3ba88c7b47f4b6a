"""Which contracts and which chain a command is about."""

import sys
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.output.findings_report import text_report
from statuary.content.read_content import read_content
from statuary.domain.catalogue import Catalogue, ContractSource
from statuary.domain.primitives import Address, ChainId, checksum_address
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.import_error import ContractImportError
from statuary.importing.on_chain_contract import read_chain_id


def choose_sources(
    catalogue: Catalogue, addresses: tuple[Address, ...], chain_id: ChainId | None
) -> list[ContractSource]:
    """Return the contracts with their own files that a command is about: all, or those with some addresses."""
    wanted = {address.lower() for address in addresses}
    sources = [
        source
        for source in catalogue.contracts
        if chain_id in (None, source.chain_id) and (not wanted or source.address.lower() in wanted)
    ]
    for address in wanted - {source.address.lower() for source in sources}:
        raise ContractImportError(
            f"no contract file or workspace has the address {checksum_address(address)}"
        )
    return sources


def read_catalogue(content: Path) -> Catalogue:
    """Return the site; exit with a report if its content has errors."""
    catalogue, findings = read_content(content)
    if catalogue is None:
        click.echo(text_report(findings, str(content)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return catalogue


def choose_chain(catalogue: Catalogue, chain_id: ChainId | None, node: EthereumNode | None) -> ChainId:
    """Return the chain of the contract, which must be the node's and one of the site's."""
    known = [chain.chain_id for chain in catalogue.chains]
    of_node = None if node is None else read_chain_id(node)
    if of_node is not None and chain_id not in (None, of_node):
        raise ContractImportError(
            f"the node is on chain {of_node}, not {chain_id}", "use another --rpc, or leave out --chain-id"
        )
    chain = chain_id or of_node or _only_chain(known)
    if chain not in known:
        raise ContractImportError(f"chain {chain} is not in site.yaml", "add it under `chains:` first")
    return chain


def _only_chain(known: list[ChainId]) -> ChainId:
    if len(known) != 1:
        raise click.UsageError(f"choose a chain with --chain-id: the site has {', '.join(known) or 'none'}")
    return known[0]
