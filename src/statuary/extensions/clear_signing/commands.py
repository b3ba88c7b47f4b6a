"""`statuary signing`: show calls as wallets do, and write a first descriptor."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import click

from statuary.base.errors import StatuaryError
from statuary.base.json_values import JsonObject, as_object
from statuary.base.limits import MAX_QUOTED
from statuary.base.primitives import InvalidValueError, count_text, decode_hex_digits, parse_address
from statuary.cli.escape import escape_control_chars, json_text, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.cli.options import content_option, option_group
from statuary.contracts.site_contracts import SiteContracts
from statuary.engine.read_content import read_content
from statuary.extensions.clear_signing.descriptors import FOLDER, FOLDERS, DescriptorFolder
from statuary.extensions.clear_signing.examples import (
    Descriptors,
    calldata_descriptors,
    parse_data_provider,
    rendered_call_json,
)
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.import_registry import copy_registry_files, select_registry_files
from statuary.extensions.clear_signing.limits import LARGEST_DESCRIPTOR
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.render import Call, NotShownError, Rendered
from statuary.extensions.clear_signing.scaffold import descriptor_path, scaffold_descriptor
from statuary.site.site_content import SiteContent
from statuary.source.edit_files import content_lock
from statuary.source.parse_json import parse_json
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import UnreadableError
from statuary.system.files import read_named_file
from statuary.system.writing import create_file


@click.group()
def signing_command() -> None:
    """Write ERC-7730 descriptors, and show calls as wallets do."""


class CallOptions(NamedTuple):
    """The options that describe a contract call to show."""

    to: str
    chain_id: str | None
    value: str | None
    sender: str | None


with_call_options = option_group(
    "transaction",
    CallOptions,
    click.option(
        "--to",
        metavar="ADDRESS",
        required=True,
        help="Show what a wallet displays for a call to the contract at this address.",
    ),
    click.option(
        "--chain-id",
        metavar="ID",
        help="Set the chain id of the contract, such as 1. Default: the contract's chain in the descriptors, if they name only one.",
    ),
    click.option("--value", metavar="WEI", help="Set the amount that the call sends, in wei."),
    click.option(
        "--from",
        "sender",
        metavar="ADDRESS",
        help="Set the address that sends the call. Some descriptors display it.",
    ),
)


class NameOptions(NamedTuple):
    """The options that supply the names of tokens and addresses."""

    currency: str
    names: Path | None


with_name_options = option_group(
    "names",
    NameOptions,
    click.option(
        "--currency",
        metavar="SYMBOL",
        default="ETH",
        show_default=True,
        help="Show this symbol after amounts of the chain's currency, which have 18 decimals.",
    ),
    click.option(
        "--names",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Read the names of tokens and addresses from this JSON file, in the `dataProvider` format of the ERC-7730 registry's tests.",
    ),
)


@signing_command.command("render")
@click.argument("calldata", metavar="CALLDATA")
@content_option
@with_call_options
@with_name_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the result as JSON, in the test format of the ERC-7730 registry.",
)
def render_command(
    calldata: str,
    content: Path,
    transaction: CallOptions,
    names: NameOptions,
    as_json: bool,
) -> ExitCode:
    """Show a contract call as a wallet displays it.

    CALLDATA is the data of the transaction, in hex. The command uses the descriptor of the called contract, and no
    network. It reads names and decimals of tokens from --names, and shows unknown values raw, with a note.

    Exit codes: 0 the call was shown; 1 no descriptor describes this call; 2 an option is wrong.
    """
    descriptors = Descriptors(calldata_descriptors(DescriptorFolder(content)))
    try:
        call = call_from_options(descriptors, calldata, transaction)
        wallet = _read_wallet_names(names, call)
    except NotShownError as error:
        print_error(error)
        return ExitCode.FINDINGS
    except InvalidValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        rendering = descriptors.render(call, wallet)
    except StatuaryError as error:
        print_error(error)
        return ExitCode.FINDINGS
    lines = (
        [json_text(rendered_call_json(rendering))]
        if as_json
        else map(escape_control_chars, _format_rendered_call(rendering))
    )
    click.echo("\n".join(lines))
    return ExitCode.OK


class NewOptions(NamedTuple):
    """The options of `statuary signing new`, which writes a first descriptor."""

    chain_id: str | None
    owner: str
    entity: str
    dry_run: bool


with_new_options = option_group(
    "new",
    NewOptions,
    click.option(
        "--chain-id",
        metavar="ID",
        help="Set the chain id of the contract, such as 1. Default: the chain of the site, if it has only one.",
    ),
    click.option(
        "--owner",
        metavar="NAME",
        default="",
        help="Set the publisher's name that wallets show. Default: the contract's name.",
    ),
    click.option(
        "--entity",
        metavar="FOLDER",
        default="",
        help="Write the descriptor into this subfolder of clear-signing/registry, usually the publisher's name in lower case. Default: the contract's name.",
    ),
    click.option("--dry-run", is_flag=True, help="Print the descriptor, and write nothing."),
)


@signing_command.command("new")
@click.argument("address", metavar="ADDRESS")
@content_option
@with_new_options
def new_command(address: str, content: Path, new: NewOptions) -> ExitCode:
    """Write a first ERC-7730 descriptor of a contract, for you to edit.

    The command makes the descriptor from the contract's verified ABI and its NatSpec comments. For each function that
    changes state, the descriptor says what a call does. This text is the NatSpec notice, or else the function's name
    in words. Wallets also show each argument of the call.

    The descriptor is valid, but its texts are only a first version. Edit them before you publish.

    Exit codes: 0 written; 1 there is no verified record, or a descriptor exists; 2 an option is wrong.
    """
    site = _read_site_or_exit(content)
    try:
        place = _find_contract_place(site, address, new.chain_id)
    except InvalidValueError as error:
        raise click.UsageError(str(error)) from None
    records = SiteRecords(content, site)
    records.read_contracts([place])
    code = records.code_at(place)
    if isinstance(code, str):
        print_error(
            StatuaryError(
                f"{address} on chain {place[0]} {code}",
                "add the contract's record first: statuary contract add",
            )
        )
        return ExitCode.FINDINGS
    descriptor = scaffold_descriptor(code, place[0], new.owner)
    path = f"{FOLDER}/{descriptor_path(descriptor, new.entity)}"
    text = json.dumps(descriptor, indent=2, ensure_ascii=False) + "\n"
    if new.dry_run:
        click.echo(text, nl=False)
        return ExitCode.OK
    try:
        with content_lock(content):
            (content / path).parent.mkdir(parents=True, exist_ok=True)
            create_file(content / path, text.encode())
    except FileExistsError:
        print_error(StatuaryError(f"{path} already exists", "edit the file, or give another --entity"))
        return ExitCode.FINDINGS
    count = len(as_object(as_object(descriptor["display"])["formats"]))
    click.echo(f"{escape_control_chars(path)}: {count:,} function{'s' * (count != 1)}")
    click.echo("Edit the intents, labels and formats in this file; then run: statuary check")
    return ExitCode.OK


@click.command("clear-signing")
@click.argument("checkout", metavar="CHECKOUT", type=click.Path(path_type=Path, exists=True, file_okay=False))
@content_option
def import_from_registry_command(checkout: Path, content: Path) -> ExitCode:
    """Import ERC-7730 descriptors from their registry.

    CHECKOUT is a clone of the registry, whose descriptors tell wallets how to show calls. The command copies the
    descriptors of your site's chains to `clear-signing/` in your content, with the files that they include, their
    tests and attestations. The copies are in the same folders as in the registry.

    The command keeps existing files, and names those that differ from the registry.

    Exit codes: 0 all files are there; 1 a file differs, or cannot be read.
    """
    site = _read_site_or_exit(content)
    if not any((checkout / name).is_dir() for name in FOLDERS):
        raise click.UsageError(
            f"{escape_control_chars(str(checkout))} has no folder registry/; name the folder of a clone of the registry"
        )
    folder = DescriptorFolder(checkout, "")
    chosen = select_registry_files(
        folder, {chain.chain_id for chain in site.content_of(SiteContracts).chains}
    )
    files = copy_registry_files(folder, chosen.files, content)
    unreadable = [
        *chosen.unreadable,
        *files.unreadable,
        *(f"{item.path}: {item.message}" for item in folder.listing.findings),
    ]
    about = [f"differs, and is left as it is: {FOLDER}/{path}" for path in files.differing]
    about += [f"cannot be read: {sentence}" for sentence in unreadable]
    exit_code = ExitCode.FINDINGS if about else ExitCode.OK
    about.append(
        f"{count_text(len(chosen.descriptors), 'descriptor')} of the site's chains, {chosen.other_count:,} of others: "
        f"{count_text(files.written_count, 'file')} written, {files.existing_count:,} there already"
    )
    if "clear_signing" not in {*dict(site.extensions), *site.faulty_keys}:
        about.append("Add `clear_signing: {}` to site.yaml to publish them.")
    click.echo("\n".join(map(escape_control_chars, about)))
    return exit_code


def _read_site_or_exit(content: Path) -> SiteContent:
    site, findings = read_content(content)
    if site is None:
        click.echo(text_report(findings, str(content)), err=True)
        sys.exit(ExitCode.FINDINGS)
    return site


class _ContractPlace(NamedTuple):
    chain_id: str
    address: str  # in lower case


def _find_contract_place(site: SiteContent, address: str, stated_chain: str | None) -> _ContractPlace:
    chains = [str(chain.chain_id) for chain in site.content_of(SiteContracts).chains]
    if not chains:
        raise InvalidValueError("the site has no chains: add one to `chains` in site.yaml")
    if stated_chain is None and len(chains) != 1:
        raise InvalidValueError(f"the site has the chains {', '.join(chains)}; choose one with --chain-id")
    chain_id = chains[0] if stated_chain is None else stated_chain
    if chain_id not in chains:
        raise InvalidValueError(f"--chain-id {chain_id!r} is not a chain of the site: {', '.join(chains)}")
    return _ContractPlace(chain_id, parse_address(address).lower())


def call_from_options(descriptors: Descriptors, calldata: str, transaction: CallOptions) -> Call:
    """Make a contract call from the options of `statuary signing render`.

    Args:
        descriptors: the site's descriptors. Without `--chain-id`, the chain comes from the descriptor of the
            called contract.
        calldata: the value of CALLDATA, as hex.
        transaction: the other options.

    Raises:
        InvalidValueError: if an option is invalid.
        NotShownError: if no chain is given, and no descriptor is for the called contract.
    """
    data = decode_hex_digits(calldata.removeprefix("0x"))
    if data is None or len(data) < 4:
        raise InvalidValueError(
            f"{calldata[:MAX_QUOTED]!r} is not the calldata of a function call; write 0x and at least 8 hex digits"
        )
    address = parse_address(transaction.to).lower()
    value, sender = transaction.value, transaction.sender
    return Call(
        chain_id=_choose_chain_of_address(descriptors, address, transaction.chain_id),
        to=address,
        data=data,
        value=None if value is None else _parse_integer_option(value, "--value"),
        sender="" if sender is None else parse_address(sender).lower(),
    )


def _choose_chain_of_address(descriptors: Descriptors, address: str, stated_chain: str | None) -> int:
    if stated_chain is not None:
        return _parse_integer_option(stated_chain, "--chain-id")
    chains = descriptors.chains_with_address(address)
    if not chains:
        raise NotShownError(f"there is no descriptor for the contract {address}")
    if len(chains) > 1:
        chain_list = ", ".join(map(str, chains))
        raise InvalidValueError(
            f"the descriptors of {address} are for the chains {chain_list}; choose one with --chain-id"
        )
    return chains[0]


def _parse_integer_option(text: str, option_name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 78):
        raise InvalidValueError(f"{option_name} is {text!r}, which is not a whole number")
    return int(text)


def _read_wallet_names(options: NameOptions, call: Call) -> Names:
    """Read the names that a wallet knows from the file in `--names`.

    Raises:
        InvalidValueError: if it cannot be read.
    """
    provider: JsonObject = {}
    file = options.names
    if file is not None:
        try:
            raw = read_named_file(file, LARGEST_DESCRIPTOR)
            provider = as_object(parse_json(decode_utf8(raw)))
        except (OSError, UnreadableError) as error:
            raise InvalidValueError(f"--names {file}: {error}") from None
    return parse_data_provider(
        provider, {call.chain_id: (f"chain {call.chain_id}", Token(options.currency, 18))}
    )


def _format_rendered_call(rendered: Rendered, indent: str = "") -> list[str]:
    intent = rendered.interpolated or rendered.intent
    if isinstance(intent, dict):
        intent = ", ".join(f"{label}: {text}" for label, text in intent.items())
    lines = [f"{indent}{intent}" + (f" ({rendered.owner})" if rendered.owner else "")]
    for line in rendered.lines:
        note = f"  [{line.note}]" if line.note else ""
        if isinstance(line.value, str):
            lines.append(f"{indent}  {line.label}: {line.value}{note}")
        else:
            lines += [f"{indent}  {line.label}:", *_format_rendered_call(line.value, f"{indent}    ")]
    return lines
