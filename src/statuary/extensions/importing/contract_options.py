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
    parse_lowercase_hex,
)
from statuary.cli.options import FILE, FOLDER, INSTANT, content_option, now_option, option_group

HASH_LENGTH = 2 + 64

Parsed = TypeVar("Parsed")


def _parse_transaction_hash(text: str) -> Hex:
    if len(text) != HASH_LENGTH:
        raise InvalidValueError(f"{text!r} is not a hash", "write 0x and 64 hex digits")
    return parse_lowercase_hex(text.lower())


def _parse_decimal_digits(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise InvalidValueError(f"{text!r} is not a number", "write digits only")
    return text.lstrip("0") or "0"


class ParsedType(click.ParamType[Parsed]):
    """A type of command-line option that one of statuary's parsers converts."""

    def __init__(self, name: str, parse: Callable[[str], Parsed]) -> None:
        self.name = name
        self.parse = parse

    @override
    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Parsed:
        """Parse an option's value, or exit with an error about it."""
        try:
            return self.parse(value)
        except InvalidValueError as error:
            self.fail(f"{error}; {error.hint}" if error.hint else str(error), param, ctx)


ADDRESS = ParsedType("address", parse_address)
CHAIN_ID = ParsedType("id", parse_chain_id)
HASH = ParsedType("hash", _parse_transaction_hash)
NUMBER = ParsedType("number", _parse_decimal_digits)


class CompilationOptions(NamedTuple):
    """The options that name a contract and how it was compiled."""

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
    click.option(
        "--address", required=True, type=ADDRESS, help="Add the contract that is deployed at this address."
    ),
    click.option(
        "--chain-id",
        type=CHAIN_ID,
        help="Set the chain id of the contract, such as 1. Default: the chain of the node, or the only chain of the site.",
    ),
    click.option(
        "--contract",
        metavar="[PATH:]NAME",
        help="Choose the contract by name, such as Bridge or src/Bridge.sol:Bridge. Needed if FILE contains several.",
    ),
    click.option(
        "--output",
        type=FILE,
        help="Read the compiler's standard JSON output from this file. Needed if FILE is the standard JSON input.",
    ),
    click.option(
        "--compiler-version",
        metavar="VERSION",
        help="Set the compiler's version, such as 0.8.28+commit.7893614a. Needed if the compiler's output doesn't contain it.",
    ),
    click.option(
        "--project",
        type=FOLDER,
        help="Read the compiler settings from the Foundry project in this folder. Default: the nearest folder above FILE with a foundry.toml.",
    ),
    click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="Compile the contract again with solc=PATH or vyper=PATH, of the same version, to add outputs that FILE lacks (repeatable).",
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
    click.option(
        "--rpc",
        metavar="URL",
        help="Read the contract's code from the Ethereum node at this URL, such as http://127.0.0.1:8545.",
    ),
    click.option(
        "--transaction",
        type=HASH,
        help="Set the hash of the transaction that created the contract. Default: with --rpc, ask the node for it.",
    ),
    click.option(
        "--runtime",
        type=FILE,
        help="Instead of --rpc: read the contract's code on the chain from this file, in hex.",
    ),
    click.option(
        "--creation",
        type=FILE,
        help="Instead of --rpc: read the input of the creating transaction (creation code and constructor arguments) from this file, in hex.",
    ),
    click.option(
        "--block-number",
        type=NUMBER,
        help="Instead of --rpc: set the number of the block in which the contract was created.",
    ),
    click.option(
        "--transaction-index",
        type=NUMBER,
        help="Instead of --rpc: set the index of the creating transaction in its block, from 0.",
    ),
    click.option(
        "--deployer",
        type=ADDRESS,
        help="Instead of --rpc: set the address that sent the creating transaction.",
    ),
)


form_option = click.option(
    "--as",
    "form",
    type=click.Choice(["workspace", "record"]),
    default="workspace",
    show_default=True,
    help="Save a contract as a folder with your settings and the compiler's files (workspace), or as one JSON file with the whole record (record).",
)
anchor_option = click.option(
    "--anchor/--no-anchor",
    "anchoring",
    default=True,
    show_default=True,
    help="With --rpc: also save the node's Merkle proofs of the code, as `statuary contract anchor` does.",
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
        help="Set the contract's match id, the number that identifies it in the API's lists. Default: the next unused number.",
    ),
    click.option(
        "--verified-at",
        type=INSTANT,
        help="Set the time of the verification, such as 2026-11-02T10:00:00Z. Default: the current time (or --now).",
    ),
    click.option(
        "--force",
        is_flag=True,
        help="Replace the contract if the content already contains it. Its match id and time of verification stay the same.",
    ),
    anchor_option,
    click.option(
        "--add-chain",
        is_flag=True,
        help="Add the chain if the site's settings don't list it yet, named by its chain id.",
    ),
    click.option("--dry-run", is_flag=True, help="Verify the contract, and write nothing."),
    content_option,
    now_option,
)
