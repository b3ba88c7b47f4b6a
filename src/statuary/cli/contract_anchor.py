"""`statuary contract anchor`: the chain's own proofs of contracts, written beside their records."""

import sys
from datetime import timedelta
from pathlib import Path

import click

from statuary.build.progress import counted, stage
from statuary.checks.contracts.recover_sender import require_sender_recovery
from statuary.cli.contract_choice import choose_chain, choose_sources, read_catalogue
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import DurationType, build_instant, content_option, now_option
from statuary.cli.options.contract_options import ADDRESS, CHAIN_ID
from statuary.cli.output.findings_report import text_report
from statuary.cli.output.printable import printable
from statuary.cli.output.progress import progress
from statuary.content.locate import locate_findings
from statuary.domain.catalogue import Catalogue, ContractSource
from statuary.domain.errors import StatuaryError
from statuary.domain.findings import Finding, has_errors, sorted_findings
from statuary.domain.primitives import Address, ChainId, Instant, instant
from statuary.editing.content_lock import content_lock
from statuary.importing.anchor_contracts import AnchoredContract, anchor_contracts, claim_text
from statuary.importing.chain_evidence import AnchoringNodes
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.import_error import ContractImportError
from statuary.importing.on_chain_contract import read_chain_id


@click.command("anchor")
@click.argument("addresses", metavar="[ADDRESS]...", nargs=-1, type=ADDRESS)
@click.option(
    "--rpc", metavar="URL", help="Ask this Ethereum node. Default: the first of the chain in site.yaml."
)
@click.option(
    "--chain-id", type=CHAIN_ID, help="The chain. Default: the node's, or the only one of the site."
)
@click.option(
    "--older-than",
    type=DurationType(),
    metavar="DURATION",
    help="Skip contracts whose anchor is younger, such as 30d.",
)
@content_option
@now_option
def anchor(
    addresses: tuple[Address, ...],
    rpc: str | None,
    chain_id: ChainId | None,
    older_than: timedelta | None,
    content: Path,
    now: Instant | None,
) -> None:
    """Ask a node for the chain's own proofs of contracts and write them beside the records.

    An anchor is anchor.json in the folder contracts/CHAIN-ID/ADDRESS: Merkle proofs of the code at the address, of a
    proxy's implementation, and of the transaction that created the contract, each under the hash of a block. Builds
    verify it without a node. The other nodes that site.yaml lists for the chain must agree on the hashes of the
    blocks. Without ADDRESS, all contracts are anchored; those of bulk files are not.
    """
    require_sender_recovery()
    before = None if older_than is None else instant(build_instant(now) - older_than)
    with content_lock(content):
        catalogue = read_catalogue(content)
        nodes, chain = _anchoring_nodes(catalogue, rpc, chain_id)
        sources = choose_sources(catalogue, addresses, chain)
        findings: list[Finding] = []
        shown = 0
        with progress() as bars, stage(bars, "Anchoring", len(sources)):
            for one in counted(bars, anchor_contracts(content, sources, nodes, before=before)):
                findings += one.findings
                shown += one.is_shown
                _print_anchor(one)
    for note in nodes.notes:
        click.echo(f"note: {printable(note)}", err=True)
    click.echo(f"{shown:,} of {len(sources):,} contracts shown to be on chain {chain}")
    if findings:
        click.echo(text_report(sorted_findings(locate_findings(content, findings)), str(content)), err=True)
    sys.exit(ExitCode.FINDINGS if has_errors(findings) else ExitCode.OK)


def _anchoring_nodes(
    catalogue: Catalogue, rpc: str | None, chain_id: ChainId | None
) -> tuple[AnchoringNodes, ChainId]:
    """Return the node to ask, with those that must agree with it, and their chain."""
    node = None if rpc is None else EthereumNode(rpc)
    chain_id = choose_chain(catalogue, chain_id, node)
    urls = _node_urls(catalogue, chain_id)
    if node is None:
        if not urls:
            raise click.UsageError(f"add --rpc URL: site.yaml lists no node of chain {chain_id}")
        node = EthereumNode(urls[0])
        if read_chain_id(node) != chain_id:
            raise ContractImportError(
                f"{node.host} is not on chain {chain_id}", "correct `rpc:` in site.yaml"
            )
    return _with_others(node, rpc or urls[0], urls), chain_id


def _with_others(node: EthereumNode, own_url: str, urls: tuple[str, ...]) -> AnchoringNodes:
    return AnchoringNodes(node, [EthereumNode(url) for url in urls if url != own_url])


def _node_urls(catalogue: Catalogue, chain_id: ChainId) -> tuple[str, ...]:
    return next((chain.rpc for chain in catalogue.chains if chain.chain_id == chain_id), ())


def _print_anchor(one: AnchoredContract) -> None:
    if one.path:
        on_chain, deployed = map(claim_text, one.claims)
        click.echo(f"    {one.source.address}  code {on_chain}; deployment {deployed}")


def anchor_added(content: Path, source: ContractSource, rpc: str, catalogue: Catalogue) -> None:
    """Anchor a contract that was just added; whatever keeps it from being anchored is a note."""
    urls = _node_urls(catalogue, ChainId(source.chain_id))
    nodes = _with_others(EthereumNode(rpc), rpc, urls)
    try:
        require_sender_recovery()
        for one in anchor_contracts(content, [source], nodes):
            _print_anchor(one)
    except StatuaryError as error:
        hint = f"; {error.hint}" if error.hint else ""
        click.echo(f"note: the contract is not anchored: {printable(str(error))}{hint}", err=True)
    for note in nodes.notes:
        click.echo(f"note: {printable(note)}", err=True)
