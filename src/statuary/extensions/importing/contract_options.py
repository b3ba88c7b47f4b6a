"""Options of `statuary contract`."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
from typing_extensions import override

from statuary.base.primitives import (
    Address,
    ChainId,
    Hex,
    Instant,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_hex,
)
from statuary.cli.options import FILE, FOLDER, INSTANT, content_option, now_option, option_group

HASH_LENGTH = 2 + 64

Parsed = TypeVar("Parsed")


def _hash(text: str) -> Hex:
    if len(text) != HASH_LENGTH:
        raise InvalidValueError(f"{text!r} is not a hash", "write 0x and 64 hex digits")
    return parse_hex(text.lower())


def _number(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise InvalidValueError(f"{text!r} is not a number", "write digits only")
    return text.lstrip("0") or "0"


class ParsedType(click.ParamType[Parsed]):
    """A type of option that one of statuary's parsers converts."""

    def __init__(self, name: str, parse: Callable[[str], Parsed]) -> None:
        self.name = name
        self.parse = parse

    @override
    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Parsed:
        try:
            return self.parse(value)
        except InvalidValueError as error:
            self.fail(f"{error}; {error.hint}" if error.hint else str(error), param, ctx)


ADDRESS = ParsedType("address", parse_address)
CHAIN_ID = ParsedType("chain id", parse_chain_id)
HASH = ParsedType("hash", _hash)
NUMBER = ParsedType("number", _number)


class CompilationOptions(NamedTuple):
    """The options that name the contract and its compilation."""

    address: Address
    chain_id: ChainId | None
    contract: str | None
    output: Path | None
    compiler_version: str | None
    project: Path | None
    compiler: tuple[str, ...]


with_compilation_options = option_group(
    "compilation_options",
    CompilationOptions,
    click.option("--address", required=True, type=ADDRESS, help="The address of the contract."),
    click.option(
        "--chain-id",
        type=CHAIN_ID,
        help="The chain of the contract. Default: the node's chain, or the only one of the site.",
    ),
    click.option("--contract", metavar="[PATH:]NAME", help="Which contract of FILE to add."),
    click.option(
        "--output", type=FILE, help="The compiler's output, if FILE is the compiler's standard JSON input."
    ),
    click.option("--compiler-version", help="The compiler version, if the output does not contain it."),
    click.option("--project", type=FOLDER, help="The folder with foundry.toml, if it is not above FILE."),
    click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="Compile again with solc=PATH or vyper=PATH of the same version, to add outputs that are missing in FILE.",
    ),
)


class ChainOptions(NamedTuple):
    """The options that name a node, or files with the chain's data."""

    rpc: str | None
    transaction: Hex | None
    runtime: Path | None
    creation: Path | None
    block_number: str | None
    transaction_index: str | None
    deployer: Address | None


with_chain_options = option_group(
    "chain_options",
    ChainOptions,
    click.option("--rpc", metavar="URL", help="Read the code from this Ethereum node."),
    click.option("--transaction", type=HASH, help="The hash of the transaction that created the contract."),
    click.option("--runtime", type=FILE, help="Instead of --rpc: a file with the code at the address."),
    click.option(
        "--creation", type=FILE, help="Instead of --rpc: a file with the creation code and its arguments."
    ),
    click.option("--block-number", type=NUMBER, help="Instead of --rpc: the block of the transaction."),
    click.option(
        "--transaction-index",
        type=NUMBER,
        help="Instead of --rpc: the index of the transaction in its block.",
    ),
    click.option("--deployer", type=ADDRESS, help="Instead of --rpc: the sender of the transaction."),
)


form_option = click.option(
    "--as",
    "form",
    type=click.Choice(["workspace", "record"]),
    default="workspace",
    show_default=True,
    help="Write a contract as a folder with settings and the compiler's files, or as one complete record.",
)
anchor_option = click.option(
    "--anchor/--no-anchor",
    "anchoring",
    default=True,
    show_default=True,
    help="Save the node's Merkle proofs too, as `contract anchor` does. Needs --rpc.",
)


class WriteOptions(NamedTuple):
    """The options about the files to write."""

    form: str
    match_id: str | None
    verified_at: Instant | None
    force: bool
    anchoring: bool
    add_chain: bool
    dry_run: bool
    content: Path
    now: Instant | None


with_write_options = option_group(
    "write_options",
    WriteOptions,
    form_option,
    click.option(
        "--match-id",
        type=NUMBER,
        help="The number of the entry in lists, its match id. Default: the next unused number.",
    ),
    click.option("--verified-at", type=INSTANT, help="When it was verified. Default: --now."),
    click.option(
        "--force", is_flag=True, help="Replace the existing contract; it keeps its match id and its date."
    ),
    anchor_option,
    click.option(
        "--add-chain",
        is_flag=True,
        help="Add the chain to site.yaml if it is missing there, named by its number.",
    ),
    click.option("--dry-run", is_flag=True, help="Derive and verify the contract, but write nothing."),
    content_option,
    now_option,
)
