"""`statuary contract`: contracts from the files of compilers, tool chains and nodes."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from typing_extensions import override

from statuary.cli.compiler_options import parse_compilers
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import InstantType, build_instant, content_option, now_option
from statuary.cli.output.findings_report import text_report
from statuary.cli.output.plain_text import size_text
from statuary.content.read_content import read_content
from statuary.domain.catalogue import Catalogue, ContractForm
from statuary.domain.contracts.workspace import WorkspaceDeployment
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    Instant,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_hex,
)
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.import_error import ContractImportError
from statuary.importing.input_files import read_hex_file
from statuary.importing.on_chain_contract import OnChainContract, chain_id_of, read_on_chain_contract
from statuary.importing.prepare_contract import ImportOptions, PreparedContract, prepare_contract
from statuary.importing.read_compilation import read_compilation
from statuary.importing.write_contract import write_contract

HASH_DIGITS = 2 + 64

Parsed = TypeVar("Parsed")


def _hash(text: str) -> Hex:
    if len(text) != HASH_DIGITS:
        raise InvalidValueError(f"{text!r} is no hash", "write 0x and 64 hex digits")
    return parse_hex(text.lower())


def _number(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise InvalidValueError(f"{text!r} is no number", "write digits")
    return str(int(text))


class ParsedType(click.ParamType[Parsed]):
    """A text on the command line that a parser of the domain reads."""

    def __init__(self, name: str, parse: Callable[[str], Parsed]) -> None:
        self.name = name
        self.parse = parse

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Parsed:
        try:
            return self.parse(value)
        except InvalidValueError as malformed:
            self.fail(f"{malformed}; {malformed.hint}" if malformed.hint else str(malformed), param, ctx)


ADDRESS = ParsedType("address", parse_address)
CHAIN_ID = ParsedType("chain id", parse_chain_id)
HASH = ParsedType("hash", _hash)
NUMBER = ParsedType("number", _number)
FILE = click.Path(path_type=Path, dir_okay=False)

CONTRACT_OPTIONS = (
    click.option("--address", required=True, type=ADDRESS, help="Where the contract is."),
    click.option(
        "--chain-id", type=CHAIN_ID, help="On which chain. Default: the node's, or the site's only one."
    ),
    click.option("--contract", "name", metavar="[PATH:]NAME", help="Which of FILE's contracts it is."),
    click.option("--output", type=FILE, help="The compiler's output, if FILE is its standard JSON input."),
    click.option("--compiler-version", help="As the compiler says it, where its output does not."),
    click.option(
        "--project",
        type=click.Path(path_type=Path, file_okay=False),
        help="The folder of foundry.toml, if not above FILE.",
    ),
    click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="Compile it again, with solc=PATH or vyper=PATH of its version, for all that FILE leaves out.",
    ),
)
"""What was compiled."""

CHAIN_OPTIONS = (
    click.option("--rpc", metavar="URL", help="Ask this Ethereum node what the chain holds."),
    click.option("--transaction", type=HASH, help="The hash of the transaction that created it."),
    click.option("--runtime", type=FILE, help="A file with the code at the address, instead of --rpc."),
    click.option(
        "--creation", type=FILE, help="A file with the creation code, arguments included, likewise."
    ),
    click.option("--block-number", type=NUMBER, help="The transaction's block, likewise."),
    click.option("--transaction-index", type=NUMBER, help="Its place in the block, likewise."),
    click.option("--deployer", type=ADDRESS, help="Its sender, likewise."),
)
"""What the chain holds."""

WRITING_OPTIONS = (
    click.option(
        "--as",
        "form",
        type=click.Choice(["workspace", "record"]),
        default="workspace",
        show_default=True,
        help="A folder with what only you know and the compiler's files, or the one record that follows.",
    ),
    click.option("--match-id", type=NUMBER, help="Its number in the site. Default: the next that is free."),
    click.option("--verified-at", type=InstantType(), help="When it was verified. Default: --now."),
    click.option(
        "--force", is_flag=True, help="Replace the contract that is there; it keeps number and date."
    ),
    click.option("--dry-run", is_flag=True, help="Derive and prove it, and write nothing."),
    content_option,
    now_option,
)
"""What is written, and where."""


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed((*CONTRACT_OPTIONS, *CHAIN_OPTIONS, *WRITING_OPTIONS)):
        function = option(function)
    return function


@click.group()
def command() -> None:
    """Add contracts to the site."""


@command.command("add")
@click.argument("file", type=FILE)
@_with_options
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
    compiler: tuple[str, ...],
    **given: Any,
) -> None:
    """Add a contract: derive its record, prove it, and write it into the content.

    FILE is what it was compiled to: an artifact or build-info of Hardhat's, an artifact or build-info of Foundry's,
    or a compiler's standard JSON input (with --output). What the chain holds comes from a node (--rpc) or from files
    (--runtime, --creation).

    With --compiler, the contract is compiled again, so that the record has all that a compiler says, also what tool
    chains leave out. Nothing is written that does not match the chain.
    """
    catalogue = _catalogue(content)
    node = None if rpc is None else EthereumNode(rpc)
    chain = _chain(catalogue, chain_id, node)
    compilation = read_compilation(
        file,
        output=given["output"],
        wanted=given["name"],
        version=given["compiler_version"],
        project=given["project"],
    )
    wanted = ImportOptions(
        chain_id=chain,
        address=address,
        form=ContractForm(form),
        match_id=match_id,
        verified_at=verified_at,
        now=build_instant(now),
        replace=force,
        compilers=parse_compilers(compiler) if compiler else (),
    )
    found = prepare_contract(
        content, catalogue, wanted, compilation, _on_chain(node, address, given), node=node
    )
    _say(found, content)
    if not found.verification.holds:
        click.echo("statuary: the contract is not what the chain holds; nothing was written", err=True)
        sys.exit(ExitCode.FINDINGS)
    if not dry_run:
        write_contract(content, found.files, found.replaced)
    for path, body in found.files.items():
        click.echo(f"    {'would write' if dry_run else 'wrote'} {content / path} ({size_text(len(body))})")


def _catalogue(content: Path) -> Catalogue:
    catalogue, findings = read_content(content)
    if catalogue is None:
        click.echo(text_report(findings, str(content)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return catalogue


def _chain(catalogue: Catalogue, given: ChainId | None, node: EthereumNode | None) -> ChainId:
    """Return the contract's chain, which the site must serve and the node must be of."""
    known = [chain.chain_id for chain in catalogue.chains]
    told = None if node is None else chain_id_of(node)
    if told is not None and given not in (None, told):
        raise ContractImportError(
            f"the node is of chain {told}, not of {given}", "give another --rpc, or no --chain-id"
        )
    chain = given or told or (known[0] if len(known) == 1 else None)
    if chain is None:
        raise click.UsageError(f"say which chain with --chain-id: the site has {', '.join(known) or 'none'}")
    if chain not in known:
        raise ContractImportError(f"chain {chain} is not in site.yaml", "add it under `chains:` first")
    return chain


def _on_chain(node: EthereumNode | None, address: Address, given: dict[str, Any]) -> OnChainContract:
    by_hand = ("runtime", "creation", "block_number", "transaction_index", "deployer")
    if node is not None:
        for name in by_hand:
            if given[name] is not None:
                raise click.UsageError(f"--{name.replace('_', '-')} is what --rpc asks the node for")
        return read_on_chain_contract(node, address, given["transaction"])
    if given["runtime"] is None and given["creation"] is None:
        raise click.UsageError("say what the chain holds: --rpc URL, or --runtime FILE and --creation FILE")
    return OnChainContract(
        runtime=None if given["runtime"] is None else read_hex_file(given["runtime"]),
        creation=None if given["creation"] is None else read_hex_file(given["creation"]),
        deployment=WorkspaceDeployment(
            transaction_hash=given["transaction"],
            block_number=given["block_number"],
            transaction_index=given["transaction_index"],
            deployer=given["deployer"],
        ),
    )


def _say(found: PreparedContract, content: Path) -> None:
    """Print findings, notes and, of a contract that holds, its match levels."""
    if found.verification.findings:
        click.echo(text_report(found.verification.findings, str(content)), err=True)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    record = found.verification.record
    if record is not None and found.verification.holds:
        levels = (f"{side} {record[f'{side}Match'] or 'null'}" for side in ("creation", "runtime"))
        name = record["compilation"]["name"]
        click.echo(f"{name} at {record['address']} on chain {record['chainId']}: {', '.join(levels)}")
