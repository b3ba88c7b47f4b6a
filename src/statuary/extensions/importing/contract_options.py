"""The options of `statuary contract`, and the types of their values."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

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
from statuary.cli.options import FILE, FOLDER, Content, Now, option

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
    """An option that a parser of the domain reads."""

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
    """The contract to add, and its compilation."""

    address: Annotated[Address, option(required=True, type=ADDRESS, help="The address of the contract.")]
    chain_id: Annotated[
        ChainId | None,
        option(
            type=CHAIN_ID,
            help="The chain of the contract. Default: the node's chain, or the only one of the site.",
        ),
    ]
    contract: Annotated[str | None, option(metavar="[PATH:]NAME", help="Which contract of FILE to add.")]
    output: Annotated[
        Path | None,
        option(type=FILE, help="The compiler's output, if FILE is the compiler's standard JSON input."),
    ]
    compiler_version: Annotated[
        str | None, option(help="The compiler version, if the output does not contain it.")
    ]
    project: Annotated[
        Path | None, option(type=FOLDER, help="The folder with foundry.toml, if it is not above FILE.")
    ]
    compiler: Annotated[
        tuple[str, ...],
        option(
            metavar="KIND=PATH",
            help="Compile again with solc=PATH or vyper=PATH of the same version, to add outputs that are missing in FILE.",
        ),
    ]


class ChainOptions(NamedTuple):
    """The chain's data about the contract, from a node or from files."""

    rpc: Annotated[str | None, option(metavar="URL", help="Read the code from this Ethereum node.")]
    transaction: Annotated[
        Hex | None, option(type=HASH, help="The hash of the transaction that created the contract.")
    ]
    runtime: Annotated[
        Path | None, option(type=FILE, help="Instead of --rpc: a file with the code at the address.")
    ]
    creation: Annotated[
        Path | None,
        option(type=FILE, help="Instead of --rpc: a file with the creation code and its arguments."),
    ]
    block_number: Annotated[
        str | None, option(type=NUMBER, help="Instead of --rpc: the block of the transaction.")
    ]
    transaction_index: Annotated[
        str | None,
        option(type=NUMBER, help="Instead of --rpc: the index of the transaction in its block."),
    ]
    deployer: Annotated[
        Address | None, option(type=ADDRESS, help="Instead of --rpc: the sender of the transaction.")
    ]


class WriteOptions(NamedTuple):
    """The files to write."""

    form: Annotated[
        str,
        option(
            "--as",
            type=click.Choice(["workspace", "record"]),
            default="workspace",
            show_default=True,
            help="Write a folder with your settings and the compiler's files, or one complete record.",
        ),
    ]
    match_id: Annotated[str | None, option(type=NUMBER, help="The match id. Default: the next free one.")]
    verified_at: Annotated[Instant | None, option(help="When it was verified. Default: --now.")]
    force: Annotated[bool, option(help="Replace the existing contract; it keeps its match id and its date.")]
    anchoring: Annotated[
        bool,
        option(
            "--anchor/--no-anchor",
            default=True,
            show_default=True,
            help="With --rpc: also save the chain's proofs of the contract, as `contract anchor` does.",
        ),
    ]
    add_chain: Annotated[
        bool, option(help="Add the chain to site.yaml if it is missing there, named by its number.")
    ]
    dry_run: Annotated[bool, option(help="Derive and verify the contract, but write nothing.")]
    content: Content
    now: Now
