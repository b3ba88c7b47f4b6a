"""Format field values as text, with a wallet's warnings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import InvalidValueError, checksum_address
from statuary.extensions.clear_signing.field_rules import is_address_text
from statuary.extensions.clear_signing.path_types import ADDRESS_BYTES, descriptor_value_at
from statuary.extensions.clear_signing.paths import parse_path
from statuary.extensions.clear_signing.values import Leaf


class Token(NamedTuple):
    """A token, or a chain's currency, that a wallet knows."""

    symbol: str
    decimals: int


@dataclass(frozen=True)
class Names:
    """The names of tokens and addresses that a wallet knows.

    Addresses are in lower case.
    """

    tokens: Mapping[str, Token] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)  # local names by address
    ens: Mapping[str, str] = field(default_factory=dict)  # ENS names by address
    collections: Mapping[str, str] = field(default_factory=dict)  # names of NFT collections by address
    chains: Mapping[int, tuple[str, Token | None]] = field(default_factory=dict)  # name and currency by id
    block_times: Mapping[int, int] = field(default_factory=dict)
    """The time of each block in seconds since 1970, by block number."""


InnerCall = tuple[int, str, bytes, int | None, str]
"""Chain, callee, data, value and sender of a call within a call."""


class ShownValue(NamedTuple):
    """The text with which a wallet shows a value, and a warning."""

    text: str
    note: str = ""  # the wallet's warning; empty if there is none
    call: InnerCall | None = None  # the call, if the value is the data of another call


class DisplayContext(NamedTuple):
    """The names and other values that a display format may refer to."""

    chain_id: int
    names: Names
    value_at_path: Callable[[str], Leaf | None]  # returns the value that a parameter's path names
    descriptor: JsonObject


def format_value(format_name: str, value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    """Format a value as a wallet displays it, with any warning.

    Args:
        format_name: the name of the display format, such as `tokenAmount`. If it is unknown, the result is
            the raw value.
        value: the value to display.
        params: the parameters of the format.
        context: the names that the wallet knows, and the other values of the call.
    """
    return FORMATTERS.get(format_name, _format_raw)(_convert_for_format(format_name, value), params, context)


_NUMBERS: Final = frozenset(
    ("amount", "tokenAmount", "date", "duration", "unit", "enum", "nftName", "chainId")
)
_ADDRESSES: Final = frozenset(("addressName", "tokenTicker", "interoperableAddressName"))


def _convert_for_format(format_name: str, value: Leaf) -> Leaf:
    if (
        format_name in _ADDRESSES
        and value.kind in ("slice", "uint", "int")
        and len(value.bytes) >= ADDRESS_BYTES
    ):
        return Leaf("address", value.bytes[-ADDRESS_BYTES:])
    if value.kind != "slice":
        return value
    return (
        Leaf("uint", int.from_bytes(value.bytes, "big"))
        if format_name in _NUMBERS
        else Leaf("bytes", value.bytes)
    )


def _raw_value_text(value: Leaf) -> str:
    if value.kind == "address":
        return checksum_address("0x" + value.bytes.hex())
    if isinstance(value.value, bytes):
        return "0x" + value.value.hex()
    return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)


def _format_raw(value: Leaf, _params: JsonObject, _context: DisplayContext) -> ShownValue:
    return ShownValue(_raw_value_text(value))


def _is_number(value: Leaf) -> bool:
    return value.kind in ("uint", "int")


def format_decimal(amount: int, decimals: int) -> str:
    """Format a token amount as a decimal number without trailing zeros.

    Example: 1500000 with 6 decimals -> `1.5`

    Args:
        amount: the amount in the token's smallest unit.
        decimals: the number of decimal places of the token.
    """
    integer_part, fraction_part = divmod(abs(amount), 10**decimals)
    digits = str(fraction_part).zfill(decimals).rstrip("0") if fraction_part else ""
    return f"{'-' if amount < 0 else ''}{integer_part}{f'.{digits}' if digits else ''}"


def _format_amount(value: Leaf, _params: JsonObject, context: DisplayContext) -> ShownValue:
    currency = _currency_of_chain(context.chain_id, context)
    if currency is None or not _is_number(value):
        return ShownValue(_raw_value_text(value), "the chain's currency is not known")
    return ShownValue(f"{format_decimal(value.number, currency.decimals)} {currency.symbol}")


def _currency_of_chain(chain_id: int, context: DisplayContext) -> Token | None:
    chain = context.names.chains.get(chain_id)
    return None if chain is None else chain[1]


def _resolve_address(parameter: Json, context: DisplayContext) -> str:
    if isinstance(parameter, dict):
        return _resolve_address(_look_up_in_descriptor_map(parameter, context), context)
    if not isinstance(parameter, str):
        return ""
    if is_address_text(parameter):
        return parameter.lower()
    leaf = context.value_at_path(parameter)
    if leaf is None or isinstance(leaf.value, str) or len(leaf.bytes) < ADDRESS_BYTES:
        return ""
    return "0x" + leaf.bytes[-ADDRESS_BYTES:].hex()


def _look_up_in_descriptor_map(map_reference: JsonObject, context: DisplayContext) -> Json:
    key = context.value_at_path(str(map_reference.get("keyPath")))
    try:
        values = as_object(descriptor_value_at(context.descriptor, parse_path(str(map_reference.get("map")))))
    except InvalidValueError:
        return None
    if key is None:
        return None
    entries = {name.lower(): item for name, item in as_object(values.get("values")).items()}
    return entries.get(_raw_value_text(key).lower())


def _resolve_number(parameter: Json, context: DisplayContext) -> int | None:
    if isinstance(parameter, dict):
        parameter = _look_up_in_descriptor_map(parameter, context)
    if isinstance(parameter, int):
        return parameter
    if not isinstance(parameter, str):
        return None
    leaf = context.value_at_path(parameter)
    if leaf is not None and not isinstance(leaf.value, str):
        return int.from_bytes(leaf.bytes, "big")
    try:
        return int(parameter, 0)
    except ValueError:
        return None


def _resolve_chain_id(params: JsonObject, context: DisplayContext) -> int | None:
    parameter = params.get("chainId", params.get("chainIdPath"))
    return context.chain_id if parameter is None else _resolve_number(parameter, context)


def _format_token_amount(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    if not _is_number(value):
        return ShownValue(_raw_value_text(value), "the value is not a number")
    token = _resolve_token(params, context)
    if token is None:
        return ShownValue(_raw_value_text(value), "the token is not known")
    threshold = _resolve_number(params.get("threshold"), context)
    amount = value.number
    if threshold is not None and amount >= threshold:
        return ShownValue(f"{params.get('message', 'Unlimited')} {token.symbol}")
    return ShownValue(f"{format_decimal(amount, token.decimals)} {token.symbol}")


def _resolve_token(params: JsonObject, context: DisplayContext) -> Token | None:
    parameter = params.get("token", params.get("tokenPath"))
    if parameter == "$.metadata.token":
        token = as_object(as_object(context.descriptor.get("metadata")).get("token"))
        decimals = token.get("decimals")
        return Token(str(token.get("ticker")), decimals) if isinstance(decimals, int) else None
    address = _resolve_address(parameter, context)
    chain_id = _resolve_chain_id(params, context)
    if not address or chain_id is None:
        return None
    native = params.get("nativeCurrencyAddress")
    candidates = as_list(native) if isinstance(native, list) else [native]
    if any(_resolve_address(candidate, context) == address for candidate in candidates if candidate):
        return _currency_of_chain(chain_id, context)
    return context.names.tokens.get(address)


def _format_nft_name(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    address = _resolve_address(params.get("collection", params.get("collectionPath")), context)
    name = context.names.collections.get(address) if _is_number(value) else ""
    return (
        ShownValue(f"{name} #{value.number}")
        if name
        else ShownValue(_raw_value_text(value), "the collection is not known")
    )


def _format_date(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    if not _is_number(value):
        return ShownValue(_raw_value_text(value), "the value is not a number")
    seconds: int | None = value.number
    if params.get("encoding") == "blockheight":
        seconds = context.names.block_times.get(seconds or 0)
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            seconds=seconds if seconds is not None else 1 << 62
        )
    except OverflowError:
        return ShownValue(_raw_value_text(value), "the time is not known")
    return ShownValue(f"{moment:%Y-%m-%d %H:%M:%S}Z")


def _format_duration(value: Leaf, _params: JsonObject, _context: DisplayContext) -> ShownValue:
    if not _is_number(value):
        return ShownValue(_raw_value_text(value), "the value is not a number")
    minutes, seconds = divmod(abs(value.number), 60)
    hours, minutes = divmod(minutes, 60)
    return ShownValue(f"{hours:02}:{minutes:02}:{seconds:02}")


_PREFIXES: Final = ((24, "Y"), (21, "Z"), (18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"))


def _format_unit(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    if not _is_number(value):
        return ShownValue(_raw_value_text(value), "the value is not a number")
    base_text = str(params.get("base", ""))
    places = params.get("decimals", 0)
    named_value = context.value_at_path(base_text) if base_text.startswith("$.") else None
    base = str(named_value.value) if named_value is not None else base_text
    decimals = places if isinstance(places, int) else 0
    number = value.number
    for power, prefix in _PREFIXES if params.get("prefix") is True else ():
        if number >= 10 ** (power + decimals):
            return ShownValue(f"{format_decimal(number, decimals + power)}{prefix}{base}")
    return ShownValue(f"{format_decimal(number, decimals)}{base}")


def _format_enum(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    try:
        names_by_value = as_object(
            descriptor_value_at(context.descriptor, parse_path(str(params.get("$ref"))))
        )
    except InvalidValueError:
        names_by_value = {}
    labels = {key.lower(): label for key, label in names_by_value.items()}
    label = labels.get(_raw_value_text(value).lower())
    return (
        ShownValue(label)
        if isinstance(label, str)
        else ShownValue(_raw_value_text(value), "the enum has no such value")
    )


def _format_chain_id(value: Leaf, _params: JsonObject, context: DisplayContext) -> ShownValue:
    chain = context.names.chains.get(value.number) if _is_number(value) else None
    return (
        ShownValue(_raw_value_text(value), "the chain is not known")
        if chain is None
        else ShownValue(chain[0])
    )


def _format_address_name(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    if value.kind != "address":
        return ShownValue(_raw_value_text(value), "the value is not an address")
    text = _raw_value_text(value)
    senders = params.get("senderAddress")
    candidates = as_list(senders) if isinstance(senders, list) else [senders]
    if any(_resolve_address(candidate, context) == text.lower() for candidate in candidates if candidate):
        return ShownValue("Sender")
    sources = params.get("sources")
    for source, names_of_source in (("local", context.names.addresses), ("ens", context.names.ens)):
        name = names_of_source.get(text.lower()) if sources is None or source in as_list(sources) else None
        if name:
            return ShownValue(name)
    return ShownValue(text)


def _format_token_ticker(value: Leaf, _params: JsonObject, context: DisplayContext) -> ShownValue:
    token = context.names.tokens.get(_raw_value_text(value).lower())
    return (
        ShownValue(_raw_value_text(value), "the token is not known")
        if token is None
        else ShownValue(token.symbol)
    )


def _format_calldata(value: Leaf, params: JsonObject, context: DisplayContext) -> ShownValue:
    callee = _resolve_address(params.get("callee", params.get("calleePath")), context)
    chain_id = _resolve_chain_id(params, context)
    if value.kind != "bytes" or not callee or chain_id is None:
        return ShownValue(_raw_value_text(value), "the called contract is not known")
    selector = params.get("selector", params.get("selectorPath"))
    data = _resolve_selector(selector, context) + value.bytes
    amount = _resolve_number(params.get("amount", params.get("amountPath")), context)
    spender = _resolve_address(params.get("spender", params.get("spenderPath")), context)
    return ShownValue("0x" + data.hex(), call=(chain_id, callee, data, amount, spender))


def _resolve_selector(parameter: Json, context: DisplayContext) -> bytes:
    if not isinstance(parameter, str):
        return b""
    if parameter.startswith("0x") and len(parameter) == 10:
        return bytes.fromhex(parameter[2:])
    leaf = context.value_at_path(parameter)
    return b"" if leaf is None else leaf.bytes[:4]


FORMATTERS: Final[Mapping[str, Callable[[Leaf, JsonObject, DisplayContext], ShownValue]]] = {
    "raw": _format_raw,
    "amount": _format_amount,
    "tokenAmount": _format_token_amount,
    "nftName": _format_nft_name,
    "date": _format_date,
    "duration": _format_duration,
    "unit": _format_unit,
    "enum": _format_enum,
    "chainId": _format_chain_id,
    "addressName": _format_address_name,
    "tokenTicker": _format_token_ticker,
    "calldata": _format_calldata,
}
"""The formatter of each format; values of other formats are shown raw."""
