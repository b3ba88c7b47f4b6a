"""`statuary signing`: show calls as wallets do, by the descriptors of the content."""

from pathlib import Path
from typing import Annotated, NamedTuple

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import Content, argument, option, options
from statuary.cli.printable import json_text, print_error, printable
from statuary.content.parse_json import parse_json
from statuary.content.source_files import decode_utf8
from statuary.content.unreadable import UnreadableError
from statuary.domain.errors import StatuaryError
from statuary.domain.json_values import JsonObject, as_object
from statuary.domain.primitives import InvalidValueError, decode_hex_digits, parse_address
from statuary.extensions.clear_signing.descriptors import DescriptorFolder
from statuary.extensions.clear_signing.examples import Descriptors, as_json_value, names_of
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.limits import LARGEST_DESCRIPTOR
from statuary.extensions.clear_signing.render import Call, NotShownError, Rendered

CALLDATA = argument(metavar="CALLDATA")
TO = option("--to", metavar="ADDRESS", required=True, help="The contract that is called.")
CHAIN = option(
    "--chain-id", metavar="ID", help="Its chain. Default: the one chain that a descriptor names for it."
)
VALUE = option("--value", metavar="WEI", help="What the transaction pays, in the smallest unit.")
SENDER = option("--from", metavar="ADDRESS", help="The sender, which some descriptors show.")
CURRENCY = option(
    "--currency",
    default="ETH",
    show_default=True,
    help="The symbol of the chain's own currency, with 18 decimals.",
)
NAMES = option(
    "--names",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What a wallet knows of tokens and addresses: the `dataProvider` of the registry's tests, as JSON.",
)
JSON = option("--json", help="Print JSON in the form of the registry's tests.")


@click.group()
def signing_command() -> None:
    """Show calls as wallets do, by the descriptors of the content."""


class CallOptions(NamedTuple):
    """The call, as options describe it."""

    to: Annotated[str, TO]
    chain_id: Annotated[str | None, CHAIN]
    value: Annotated[str | None, VALUE]
    sender: Annotated[str | None, SENDER]


class NameOptions(NamedTuple):
    """What a wallet knows besides the call."""

    currency: Annotated[str, CURRENCY]
    names: Annotated[Path | None, NAMES]


@signing_command.command("render")
@options
def render_command(
    calldata: Annotated[str, CALLDATA],
    content: Content,
    transaction: CallOptions,
    names: NameOptions,
    as_json: Annotated[bool, JSON],
) -> ExitCode:
    """Show a call as a wallet does, by the descriptor of the contract that is called.

    What a descriptor does not say, the names and decimals of tokens above all, comes from --names; what is not known
    is shown raw, with a note. Nothing is asked of a network.

    Exit codes: 0 the call was shown; 1 no descriptor says how; 2 an option is wrong.
    """
    known = Descriptors(DescriptorFolder(content))
    try:
        call = described_call(known, calldata, transaction)
        wallet = _names(names, call)
    except NotShownError as error:
        print_error(error)
        return ExitCode.FINDINGS
    except InvalidValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        shown = known.rendered(call, wallet)
    except StatuaryError as error:
        print_error(error)
        return ExitCode.FINDINGS
    lines = [json_text(as_json_value(shown))] if as_json else map(printable, _text(shown))
    click.echo("\n".join(lines))
    return ExitCode.OK


def described_call(known: Descriptors, calldata: str, transaction: CallOptions) -> Call:
    """Return the call that options describe; raise InvalidValueError if one is wrong."""
    data = decode_hex_digits(calldata.removeprefix("0x"))
    if data is None or len(data) < 4:
        raise InvalidValueError("CALLDATA is not hex with a selector")
    address = parse_address(transaction.to).lower()
    value, sender = transaction.value, transaction.sender
    return Call(
        chain_id=_chain(known, address, transaction.chain_id),
        to=address,
        data=data,
        value=None if value is None else _whole(value, "--value"),
        sender="" if sender is None else parse_address(sender).lower(),
    )


def _chain(known: Descriptors, address: str, stated: str | None) -> int:
    """Return the chain of a call: the stated one, or the one that descriptors name."""
    if stated is not None:
        return _whole(stated, "--chain-id")
    chains = known.chains_of(address)
    if not chains:
        raise NotShownError(f"no descriptor is bound to {address}")
    if len(chains) > 1:
        listed = ", ".join(map(str, chains))
        raise InvalidValueError(f"descriptors are bound to {address} on the chains {listed}: give --chain-id")
    return chains[0]


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 78):
        raise InvalidValueError(f"{name} {text!r} is not a whole number")
    return int(text)


def _names(given: NameOptions, call: Call) -> Names:
    """Return what a file of names says; raise InvalidValueError if it cannot be read."""
    provider: JsonObject = {}
    file = given.names
    if file is not None:
        try:
            raw = file.read_bytes()[:LARGEST_DESCRIPTOR]
            provider = as_object(parse_json(decode_utf8(raw)))
        except (OSError, UnreadableError) as error:
            raise InvalidValueError(f"--names {file}: {error}") from None
    return names_of(provider, {call.chain_id: (f"chain {call.chain_id}", Token(given.currency, 18))})


def _text(shown: Rendered, indent: str = "") -> list[str]:
    """Return a rendered call as lines."""
    intent = shown.interpolated or shown.intent
    if isinstance(intent, dict):
        intent = ", ".join(f"{label}: {text}" for label, text in intent.items())
    lines = [f"{indent}{intent}" + (f" ({shown.owner})" if shown.owner else "")]
    for line in shown.lines:
        note = f"  [{line.note}]" if line.note else ""
        if isinstance(line.value, str):
            lines.append(f"{indent}  {line.label}: {line.value}{note}")
        else:
            lines += [f"{indent}  {line.label}:", *_text(line.value, f"{indent}    ")]
    return lines
