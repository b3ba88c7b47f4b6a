"""The example calls of descriptors' tests, and their rendering.

Tests have the form of the registry (`specs/erc7730-tests-v2.schema.json`): raw transactions and EIP-712's
messages, and under `dataProvider` what a wallet knows of tokens and addresses.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from statuary.base.budget import StepLimitError, limit_steps
from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.base.primitives import InvalidValueError, decode_hex_digits
from statuary.contracts.chain.merkle_trie import RlpItem, decode_rlp_list, require_rlp_bytes, rlp_to_number
from statuary.extensions.clear_signing.descriptors import (
    Descriptor,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    described_contracts,
)
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.key_types import parse_message_key
from statuary.extensions.clear_signing.path_types import ADDRESS_BYTES, DataTypes
from statuary.extensions.clear_signing.render import (
    Call,
    NotShownError,
    Rendered,
    SignedMessage,
    find_call_format,
    render_call,
    render_message,
)
from statuary.extensions.clear_signing.values import Leaf, parse_message_value

LEGACY: Final = "tests"
"""The folder of tests of version 1, which are skipped, since they have another form."""

MAX_EXAMPLES: Final = 100
"""Examples of a descriptor that are published; the largest real one has 28."""

_EIP_155: Final = 35
_TYPED: Final = {1: 4, 2: 5, 3: 5, 4: 5}
"""The index of the recipient among the members of a transaction (EIP-2930, 1559, 4844, 7702), by its type."""

Chains = Mapping[int, tuple[str, Token | None]]
"""The name of each chain and its currency, or None if that is unknown, by chain id."""


class Descriptors:
    """The descriptors of contract calls, looked up by the called contract.

    A descriptor tells wallets how to show calls. If several are for the same contract, the first one is used.
    """

    def __init__(self, descriptors: Iterable[Descriptor]) -> None:
        self._by_place: dict[tuple[str, str], Descriptor] = {}
        for descriptor in descriptors:
            for deployment in described_contracts(descriptor):
                self._by_place.setdefault((deployment.address, deployment.chain_id), descriptor)

    def find_descriptor(self, call: Call) -> Descriptor | None:
        """Return the descriptor for the contract that a transaction calls.

        Returns:
            The descriptor, or None if there is none for that contract on that chain.
        """
        return self._by_place.get((call.to, str(call.chain_id)))

    def chains_with_address(self, address: str) -> list[int]:
        """Return the chains on which a contract address has a descriptor.

        Args:
            address: the address of a contract, in lower case.

        Returns:
            The ids of the chains, sorted.
        """
        return sorted({int(chain) for bound, chain in self._by_place if bound == address})

    def render(self, call: Call, wallet_names: Names) -> Rendered:
        """Render a call as the text that a wallet would show.

        Raises:
            NotShownError: if no descriptor has a format for the call.
            InvalidValueError: if the data of the call does not fit the format.
            StepLimitError: if rendering takes too many steps.
        """
        descriptor = self.find_descriptor(call)
        if descriptor is None:
            raise NotShownError(f"there is no descriptor for the contract {call.to} on chain {call.chain_id}")
        with limit_steps():
            return render_call(descriptor.value, call, wallet_names, InnerRenderer(self, wallet_names))


def calldata_descriptors(folder: DescriptorFolder) -> Iterator[Descriptor]:
    """Yield the descriptors of contract calls in a folder.

    Descriptors of EIP-712 messages are skipped, and so are unreadable ones.
    """
    for path in folder.paths_of_kinds(SigningFileKind.CALLDATA):
        try:
            with limit_steps():
                descriptor = folder.read_descriptor(path)
        except (DescriptorError, StepLimitError):
            continue
        yield descriptor


class InnerRenderer:
    """Renders a contract call that is an argument of another call."""

    def __init__(self, descriptors: Descriptors, names: Names, depth: int = 1) -> None:
        self._descriptors, self._names, self._depth = descriptors, names, depth

    def __call__(self, call: Call) -> Rendered | None:
        """Render the call.

        Returns:
            The rendered call, or None if no descriptor shows it.
        """
        descriptor = self._descriptors.find_descriptor(call)
        if descriptor is None or len(call.data) < 4:
            return None
        inner = InnerRenderer(self._descriptors, self._names, self._depth + 1)
        try:
            return render_call(descriptor.value, call, self._names, inner, self._depth)
        except InvalidValueError:
            return None


def parse_data_provider(data_provider: JsonObject, chains: Chains) -> Names:
    """Parse the names of tokens and addresses that a test file supplies.

    They stand for what a wallet knows.

    Args:
        data_provider: the member `dataProvider` of the test file.
        chains: the names and currencies of chains, which are not in test files.
    """
    tokens = {}
    for address, item in as_object(data_provider.get("tokens")).items():
        symbol = as_object(item).get("symbol")
        decimals = as_object(item).get("decimals")
        if isinstance(symbol, str) and isinstance(decimals, int) and 0 <= decimals <= 255:
            tokens[address.lower()] = Token(symbol, decimals)
    times = as_object(data_provider.get("blockTimestamps")).items()
    return Names(
        tokens=tokens,
        addresses=_string_members(data_provider.get("addressNames")),
        ens=_string_members(data_provider.get("ensNames")),
        collections=_string_members(data_provider.get("nftCollectionNames")),
        chains=chains,
        block_times={
            int(block): time for block, time in times if block.isdecimal() and isinstance(time, int)
        },
    )


def _string_members(value: Json) -> dict[str, str]:
    return {key.lower(): text for key, text in as_object(value).items() if isinstance(text, str)}


def rendered_call_json(rendered: Rendered) -> dict[str, Json]:
    """Convert the lines that a wallet shows for a call to JSON.

    The JSON has the format of the tests in the ERC-7730 registry.
    """
    fields: list[Json] = [
        {
            "label": line.label,
            "value": line.value if isinstance(line.value, str) else rendered_call_json(line.value),
        }
        for line in rendered.lines
    ]
    value: dict[str, Json] = {"intent": rendered.intent, "owner": rendered.owner, "fields": fields}
    return {**value, "interpolatedIntent": rendered.interpolated} if rendered.interpolated else value


def decode_transaction(encoded_transaction: bytes, sender: str = "") -> Call:
    """Decode the bytes of a signed or unsigned transaction.

    Args:
        encoded_transaction: the encoded transaction.
        sender: the address that sends it, in lower case; empty if unknown.

    Raises:
        InvalidValueError: if the transaction is invalid, or creates a contract.
        EvidenceError: if the bytes are not RLP.
    """
    is_legacy = encoded_transaction[:1] >= b"\xc0"
    if not is_legacy and (not encoded_transaction or encoded_transaction[0] not in _TYPED):
        raise InvalidValueError("the bytes do not begin like an Ethereum transaction of a known type")
    items = decode_rlp_list(encoded_transaction if is_legacy else encoded_transaction[1:])
    start = 3 if is_legacy else _TYPED[encoded_transaction[0]]
    if len(items) < start + 3:
        raise InvalidValueError("the transaction is incomplete: its recipient, value or data is missing")
    to, value, data = (require_rlp_bytes(item) for item in items[start : start + 3])
    if len(to) != ADDRESS_BYTES:
        raise InvalidValueError(
            "the transaction has no recipient (`to`), so it creates a contract rather than calling one"
        )
    chain_id = _legacy_chain_id(items) if is_legacy else rlp_to_number(items[0])
    return Call(chain_id, "0x" + to.hex(), data, int.from_bytes(value, "big"), sender)


def _legacy_chain_id(transaction_items: list[RlpItem]) -> int:
    """Return the chain of a legacy transaction (EIP-155), 1 by default."""
    stated_chain = rlp_to_number(transaction_items[6]) if len(transaction_items) == 9 else 1
    if len(transaction_items) == 9 and require_rlp_bytes(
        transaction_items[8]
    ):  # signed: the chain is in `v`, or nowhere
        return (stated_chain - _EIP_155) // 2 if stated_chain > _EIP_155 else 1
    return stated_chain


def encode_type(primary_type: str, types_by_name: JsonObject) -> str:
    """Return the EIP-712 type string (`encodeType`) of a message.

    Example: `Mail(Person from,string contents)Person(address wallet)`

    Args:
        primary_type: the name of the message's type.
        types_by_name: the members of each type, by name.

    Raises:
        InvalidValueError: if the definition of a type is missing.
    """
    needed, pending_types = {primary_type}, [primary_type]
    members: dict[str, str] = {}
    while pending_types:
        name = pending_types.pop()
        if not isinstance(types_by_name.get(name), list):
            raise InvalidValueError(f"the `types` of the message do not define {name!r}")
        type_members = [as_object(item) for item in as_list(types_by_name[name])]
        members[name] = ",".join(f"{item.get('type')} {item.get('name')}" for item in type_members)
        for item in type_members:
            base = str(item.get("type")).partition("[")[0]
            if base in types_by_name and base not in needed:
                needed.add(base)
                pending_types.append(base)
    return "".join(f"{name}({members[name]})" for name in [primary_type, *sorted(needed - {primary_type})])


def parse_typed_data(typed_data: JsonObject, sender: str = "") -> SignedMessage:
    """Parse an EIP-712 message: structured data that a wallet asks to sign.

    Args:
        typed_data: the JSON with types, domain and message, in the format of `eth_signTypedData_v4`.
        sender: the address that signs, as hex; empty if unknown.

    Raises:
        InvalidValueError: if the JSON is not a valid message.
    """
    key = encode_type(as_text(typed_data.get("primaryType")), as_object(typed_data.get("types")))
    message = parse_message_key(key)
    types = DataTypes(message.types[message.primary], message.types)
    value = parse_message_value(types.top, typed_data.get("message"), types)
    domain = as_object(typed_data.get("domain"))
    try:
        chain_id = int(str(domain.get("chainId", 0)), 0)
    except ValueError:
        raise InvalidValueError("the chainId in the domain of the message should be a number") from None
    container = {"chainId": Leaf("uint", chain_id)}
    for name, address in (("to", domain.get("verifyingContract")), ("from", sender)):
        if address:
            raw = decode_hex_digits(as_text(address)[2:])
            if raw is None or len(raw) != ADDRESS_BYTES:
                raise InvalidValueError(f"{address!r} is not an address of 0x and 40 hex digits")
            container[name] = Leaf("address", raw)
    return SignedMessage(key, value, container, chain_id)


class RenderedExample(NamedTuple):
    """An example call or message, and what a wallet shows for it."""

    key: str  # the key of the format
    rendered: Rendered


class Example(NamedTuple):
    """An example call or message in a descriptor's tests."""

    description: str
    sender: str  # in lower case; empty if it is not known
    call: Call | None  # None for a message
    message: JsonObject  # the message in the format of `eth_signTypedData_v4`; empty for a call

    def render(self, descriptor: Descriptor, descriptors: Descriptors, names: Names) -> RenderedExample:
        """Render the example as the text that a wallet would show.

        Args:
            descriptor: the descriptor that the example tests.
            descriptors: the descriptors of other contracts, for calls that are arguments of the call.
            names: the names of tokens and addresses that the wallet knows.

        Raises:
            NotShownError: if the descriptor has no format for the example.
            InvalidValueError: if the data of the example does not fit the format.
            StepLimitError: if rendering takes too many steps.
        """
        inner = InnerRenderer(descriptors, names)
        with limit_steps():
            if self.call is not None:
                key = find_call_format(descriptor.value, self.call.data).key
                return RenderedExample(key, render_call(descriptor.value, self.call, names, inner))
            message = parse_typed_data(self.message, self.sender)
            if message.key not in descriptor.formats:
                raise NotShownError(f"the descriptor has no format for {message.key[:60]}")
            return RenderedExample(message.key, render_message(descriptor.value, message, names, inner))


class DescriptorTests(NamedTuple):
    """The example calls and messages in one test file."""

    path: str  # path below the folder
    provider: JsonObject  # the names that a wallet knows
    examples: tuple[Example, ...]


def descriptor_paths_by_test(folder: DescriptorFolder, cached_paths: Mapping[str, str]) -> dict[str, str]:
    """Find which descriptor each test file tests.

    Args:
        cached_paths: results of an earlier build that are still valid: paths of descriptors by path of the
            test file.

    Returns:
        The path of the descriptor by the path of the test file. It is empty if the test file cannot be read.
    """
    return {
        path: cached_paths[path] if path in cached_paths else _read_descriptor_path(folder, path)
        for path in folder.paths_of_kinds(SigningFileKind.TESTS)
        if LEGACY not in path.split("/")
    }


def _read_descriptor_path(folder: DescriptorFolder, test_path: str) -> str:
    try:
        named_path = as_text(as_object(folder.read_json(test_path)).get("descriptor"))
    except DescriptorError:
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(test_path), named_path))


def read_tests(folder: DescriptorFolder, paths: Iterable[str]) -> list[DescriptorTests]:
    """Read test files, with at most `MAX_EXAMPLES` examples from each.

    Args:
        folder: the folder with descriptors and tests.
        paths: the paths of the test files; files that cannot be read are skipped.
    """
    tests = []
    for path in paths:
        try:
            value = as_object(folder.read_json(path))
        except DescriptorError:
            continue
        examples = tuple(_parse_examples(as_list(value.get("tests"))[:MAX_EXAMPLES]))
        tests.append(DescriptorTests(path, as_object(value.get("dataProvider")), examples))
    return tests


def tests_by_descriptor(folder: DescriptorFolder) -> dict[str, list[DescriptorTests]]:
    """Read all tests in a folder, grouped by the tested descriptor."""
    tests: dict[str, list[DescriptorTests]] = {}
    for path, descriptor_path in descriptor_paths_by_test(folder, {}).items():
        tests.setdefault(descriptor_path, []).extend(read_tests(folder, [path]))
    return tests


def _parse_examples(test_cases: Iterable[Json]) -> Iterator[Example]:
    for case in map(as_object, test_cases):
        sender = as_text(case.get("from")).lower()
        description = as_text(case.get("description"))
        if isinstance(case.get("data"), dict):
            yield Example(description, sender, None, as_object(case.get("data")))
            continue
        raw = decode_hex_digits(as_text(case.get("rawTx"))[2:])
        try:
            yield Example(description, sender, decode_transaction(raw or b"", sender), {})
        except StatuaryError:
            continue


def example_document(
    descriptor: Descriptor, tests: list[DescriptorTests], descriptors: Descriptors, chains: Chains
) -> JsonObject:
    """Make a document with a descriptor's examples, as wallets show them.

    It has at most `MAX_EXAMPLES` examples. An example for which the descriptor has no format is skipped.

    Args:
        descriptor: the descriptor that the examples test.
        tests: the test files of the descriptor, which contain the examples.
        descriptors: the descriptors of other contracts, for calls that are arguments of the call.
        chains: the names and currencies of chains.
    """
    calls: list[Json] = []
    provider: dict[str, Json] = {}
    for part in tests:
        names = parse_data_provider(part.provider, chains)
        for name, address_names in part.provider.items():
            provider[name] = {**as_object(provider.get(name)), **as_object(address_names)}
        for example in part.examples:
            try:
                key, rendered = example.render(descriptor, descriptors, names)
            except StatuaryError:
                continue
            calls.append(_example_json(example, key, rendered))
    return {
        "descriptor": descriptor.path,
        "files": [file.path for file in descriptor.files],
        "dataProvider": provider,
        "chains": {
            str(chain_id): {"name": name, "symbol": token.symbol, "decimals": token.decimals}
            if token
            else {"name": name}
            for chain_id, (name, token) in chains.items()
        },
        "examples": calls[:MAX_EXAMPLES],
    }


def _example_json(example: Example, format_key: str, rendered: Rendered) -> JsonObject:
    call = example.call
    if call is None:
        return {
            "description": example.description,
            "key": format_key,
            "message": example.message,
            "shown": rendered_call_json(rendered),
        }
    return {
        "description": example.description,
        "key": format_key,
        "chainId": str(call.chain_id),
        "to": call.to,
        "data": "0x" + call.data.hex(),
        "value": None if call.value is None else str(call.value),
        "from": call.sender or None,
        "shown": rendered_call_json(rendered),
    }
