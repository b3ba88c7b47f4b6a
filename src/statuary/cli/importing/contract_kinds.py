"""`statuary import` of contracts: one command for each source."""

import sys
from pathlib import Path
from typing import Final, NamedTuple

import click

from statuary.cli.importing.status_kinds import IMPORT_OPTIONS
from statuary.cli.options.common_options import FILE, with_options
from statuary.cli.options.contract_options import ADDRESS, CHAIN_ID


class ContractKind(NamedTuple):
    """A source of contracts."""

    name: str
    title: str  # what it imports
    source: str  # what SOURCE may be


CONTRACT_KINDS: Final = (
    ContractKind(
        "sourcify",
        "contracts of Sourcify",
        "the URL of a server with API v2 (add --chain-id; without --address, all contracts of the chain), or a folder"
        " with full_match or partial_match",
    ),
    ContractKind(
        "etherscan",
        "contracts of an explorer with Etherscan's API, such as Blockscout or Routescan",
        "the URL of the API (its key is taken from ETHERSCAN_API_KEY), a saved response of getsourcecode, or a folder of"
        " them as <address>.json",
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
)

CONTRACT_OPTIONS: Final = (
    click.option("--chain-id", type=CHAIN_ID, help="Only contracts of this chain; an API needs it."),
    click.option(
        "--address", "addresses", multiple=True, type=ADDRESS, help="Only this contract; repeat it for more."
    ),
    click.option(
        "--addresses", "address_file", type=FILE, help="Only the contracts in this file, an address a line."
    ),
    click.option(
        "--rpc",
        multiple=True,
        metavar="URL",
        help="Read the code from this Ethereum node; repeat it for each chain.",
    ),
    click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="Compile with solc=PATH or vyper=PATH where the version matches; repeat it for each version. "
        "Default: the compilers on PATH.",
    ),
    click.option(
        "--as",
        "form",
        type=click.Choice(["workspace", "record"]),
        default="workspace",
        show_default=True,
        help="Write folders with settings and the compiler's files, or complete records.",
    ),
)
"""Options of every kind."""


def _command(kind: ContractKind) -> click.Command:
    def run(source: str, content: Path, **given: object) -> None:
        from statuary.cli.importing.run_contract_import import run_contract_import

        sys.exit(run_contract_import(kind.name, source, content, given))

    decorated = click.argument("source", metavar="SOURCE")(
        with_options(*CONTRACT_OPTIONS, *IMPORT_OPTIONS)(run)
    )
    about = (
        f"SOURCE is {kind.source}.\n\nEach contract is verified before it is written. The report lists what cannot"
        " be verified. A workspace without the compiler's output or the code on the chain is written with a note of that."
    )
    return click.command(kind.name, help=f"Import {kind.title}.\n\n{about}")(decorated)


CONTRACT_COMMANDS: Final = tuple(map(_command, CONTRACT_KINDS))
"""A command for each kind."""
