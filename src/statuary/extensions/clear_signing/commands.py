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
from statuary.domain.json_values import Json, JsonObject, as_object
from statuary.domain.primitives import InvalidValueError, decode_hex_digits, parse_address
from statuary.domain.work import bounded
from statuary.extensions.clear_signing.descriptors import (
    Descriptor,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    deployments_of,
)
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.limits import LARGEST_DESCRIPTOR
from statuary.extensions.clear_signing.render import Call, NotShownError, Rendered, render_call

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
        call = known.call(calldata, transaction)
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


class Descriptors:
    """The calldata descriptors of a folder, by the contracts that they are bound to."""

    def __init__(self, folder: DescriptorFolder) -> None:
        self._by_place: dict[tuple[str, str], Descriptor] = {}
        for path in folder.paths(SigningFileKind.CALLDATA):
            try:
                descriptor = folder.descriptor(path)
            except DescriptorError:
                continue
            for deployment in deployments_of(descriptor):
                self._by_place.setdefault((deployment.address, deployment.chain_id), descriptor)

    def of(self, call: Call) -> Descriptor | None:
        """Return the descriptor of the contract that is called; None if there is none."""
        return self._by_place.get((call.to, str(call.chain_id)))

    def rendered(self, call: Call, names: Names) -> Rendered:
        """Return a call as it is shown; raise NotShownError or InvalidValueError if it cannot be."""
        descriptor = self.of(call)
        if descriptor is None:
            raise NotShownError(f"no descriptor is bound to {call.to} on chain {call.chain_id}")
        with bounded():
            return render_call(descriptor.value, call, names, InnerRenderer(self, names))

    def call(self, calldata: str, transaction: CallOptions) -> Call:
        """Return the call that options describe; raise InvalidValueError if one is wrong."""
        data = decode_hex_digits(calldata.removeprefix("0x"))
        if data is None or len(data) < 4:
            raise InvalidValueError("CALLDATA is not hex with a selector")
        address = parse_address(transaction.to).lower()
        value, sender = transaction.value, transaction.sender
        return Call(
            chain_id=self._chain(address, transaction.chain_id),
            to=address,
            data=data,
            value=None if value is None else _whole(value, "--value"),
            sender="" if sender is None else parse_address(sender).lower(),
        )

    def _chain(self, address: str, stated: str | None) -> int:
        """Return the chain of a call: the stated one, or the one that descriptors name."""
        if stated is not None:
            return _whole(stated, "--chain-id")
        chains = sorted({int(chain) for known, chain in self._by_place if known == address})
        if not chains:
            raise NotShownError(f"no descriptor is bound to {address}")
        if len(chains) > 1:
            listed = ", ".join(map(str, chains))
            raise InvalidValueError(
                f"descriptors are bound to {address} on the chains {listed}: give --chain-id"
            )
        return chains[0]


class InnerRenderer:
    """Renders a call within a call, where a descriptor says how."""

    def __init__(self, descriptors: Descriptors, names: Names, depth: int = 1) -> None:
        self._descriptors, self._names, self._depth = descriptors, names, depth

    def __call__(self, call: Call) -> Rendered | None:
        """Return the call as it is shown; None if no descriptor says how."""
        descriptor = self._descriptors.of(call)
        if descriptor is None or len(call.data) < 4:
            return None
        inner = InnerRenderer(self._descriptors, self._names, self._depth + 1)
        try:
            return render_call(descriptor.value, call, self._names, inner, self._depth)
        except InvalidValueError:
            return None


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


def names_of(provider: JsonObject, chains: dict[int, tuple[str, Token]]) -> Names:
    """Return the names in a `dataProvider` of the registry's tests."""
    tokens = {}
    for address, item in as_object(provider.get("tokens")).items():
        symbol, decimals = as_object(item).get("symbol"), as_object(item).get("decimals")
        if isinstance(symbol, str) and isinstance(decimals, int) and 0 <= decimals <= 255:
            tokens[address.lower()] = Token(symbol, decimals)
    times = as_object(provider.get("blockTimestamps")).items()
    return Names(
        tokens=tokens,
        addresses=_texts(provider.get("addressNames")),
        ens=_texts(provider.get("ensNames")),
        collections=_texts(provider.get("nftCollectionNames")),
        chains=chains,
        block_times={
            int(block): time for block, time in times if block.isdecimal() and isinstance(time, int)
        },
    )


def _texts(value: Json) -> dict[str, str]:
    return {key.lower(): text for key, text in as_object(value).items() if isinstance(text, str)}


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


def as_json_value(shown: Rendered) -> dict[str, Json]:
    """Return a rendered call in the form of the registry's tests."""
    fields: list[Json] = [
        {
            "label": line.label,
            "value": line.value if isinstance(line.value, str) else as_json_value(line.value),
        }
        for line in shown.lines
    ]
    value: dict[str, Json] = {"intent": shown.intent, "owner": shown.owner, "fields": fields}
    return {**value, "interpolatedIntent": shown.interpolated} if shown.interpolated else value
