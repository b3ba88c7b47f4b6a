"""Import deployments of Hardhat Ignition.

The deployments are in `ignition/deployments/<id>/journal.jsonl`, with the artifacts beside it.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import orjson

from statuary.base.json_values import JsonObject, as_object, as_text
from statuary.base.primitives import Address, ChainId, Hex
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import is_file, read_file_bytes, read_json_file, required_string
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.extensions.importing.toolchains.hardhat import (
    get_artifact_contract_name,
    has_build_info,
    read_hardhat,
)
from statuary.extensions.importing.toolchains.hardhat_sources import HardhatBuilds
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    CreatedContract,
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    find_created_contract,
    make_deployment,
    not_importable_if_malformed,
    parse_any_hex,
    parse_json_address,
    parse_json_chain_id,
    yield_contracts_or_error,
)

JOURNAL: Final = "journal.jsonl"
BEGINS: Final = "DEPLOYMENT_EXECUTION_STATE_INITIALIZE"
EXISTING: Final = "CONTRACT_AT_EXECUTION_STATE_INITIALIZE"
WIPED: Final = "WIPE_APPLY"

CREATEX_CALLS: Final = ("0x26307668", "0x9c36a286")
"""The selectors of `deployCreate2(bytes32,bytes)` and `deployCreate3(bytes32,bytes)` of https://createx.rocks ."""


def read_ignition(folder: Path) -> ListedContracts:
    """Yield the contracts that Hardhat Ignition deployed.

    Args:
        folder: the project, its `ignition` or `ignition/deployments` folder, or the folder of one deployment.

    Raises:
        NotImportableError: if there is no `journal.jsonl`.
    """
    patterns = (JOURNAL, f"*/{JOURNAL}", f"deployments/*/{JOURNAL}", f"ignition/deployments/*/{JOURNAL}")
    journals = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    if not journals:
        raise NotImportableError(
            f"{folder} has no ignition/deployments/*/{JOURNAL}",
            "name the folder of a Hardhat project with deployments of Ignition",
        )
    for journal in journals:
        yield from yield_contracts_or_error(journal, journal.parent.name, _list_journal_contracts(journal))


def _list_journal_contracts(journal: Path) -> ListedContracts:
    parsed_journal = _Journal(journal)
    yield from parsed_journal.broken
    if parsed_journal.chain_id is None:
        raise NotImportableError(f"{journal} names no chain", "run `npx hardhat ignition deploy` again")
    builds = HardhatBuilds(journal.parent, "ignition")
    for future, steps in parsed_journal.futures.items():
        yield from _list_future_contracts(journal, builds, parsed_journal.chain_id, future, steps)
    yield from parsed_journal.list_unexplained_addresses()


class _Journal:
    """The messages of a journal, by future.

    A future is a contract, a call or another action of a module.
    """

    def __init__(self, journal: Path) -> None:
        self.journal = journal
        self.chain_id: ChainId | None = None
        self.futures: dict[str, dict[str, JsonObject]] = {}
        self.wiped: list[tuple[str, Address]] = []
        self.broken: list[UnreadableContract] = []
        for message in _parse_journal_messages(journal, self.broken):
            self._add_message(message)

    def _add_message(self, message: JsonObject) -> None:
        kind = as_text(message["type"])
        future = message.get("futureId")
        if kind == "DEPLOYMENT_INITIALIZE":
            self.chain_id = parse_json_chain_id(message["chainId"], str(self.journal))
        elif kind == WIPED:
            steps = self.futures.pop(str(future), {})
            if "address" in (result := _deployment_result(steps)):
                self.wiped.append((str(future), parse_json_address(result["address"], str(self.journal))))
        elif future is not None:
            # Replace an earlier message of the same kind: Ignition writes another one when it sends a
            # transaction again.
            self.futures.setdefault(str(future), {})[kind] = message

    def list_unexplained_addresses(self) -> ListedContracts:
        """Yield the addresses whose deployment the journal does not contain.

        The deployments were wiped from the journal, or only `deployed_addresses.json` names the addresses. They are
        reported as not imported.
        """
        for future, address in self.wiped:
            reason = "its deployment was wiped from the journal, which no longer says how it was compiled"
            yield self._unexplained_contract(future, address, reason)
        file = self.journal.with_name("deployed_addresses.json")
        if not file.is_file():
            return
        known_addresses = {address for _, address in self.wiped}
        for steps in self.futures.values():
            address_of_future = _deployment_result(steps).get("address") or steps.get(EXISTING, {}).get(
                "contractAddress"
            )
            if address_of_future:
                known_addresses.add(parse_json_address(address_of_future, str(self.journal)))
        for future, text in read_json_file(file).items():
            if (other_address := parse_json_address(text, str(file))) not in known_addresses:
                reason = f"{file.name} names it, and the journal, from which contracts are read, does not"
                yield self._unexplained_contract(future, other_address, reason)

    def _unexplained_contract(self, future_id: str, address: Address, reason: str) -> UnreadableContract:
        return UnreadableContract(
            future_id, reason, is_expected=True, chain_id=self.chain_id, address=address
        )


def _deployment_result(messages: Mapping[str, JsonObject]) -> JsonObject:
    return as_object(messages.get("DEPLOYMENT_EXECUTION_STATE_COMPLETE", {}).get("result"))


def _list_future_contracts(
    journal: Path, builds: HardhatBuilds, chain_id: ChainId, future_id: str, messages: dict[str, JsonObject]
) -> ListedContracts:
    if EXISTING in messages:
        address = parse_json_address(messages[EXISTING].get("contractAddress"), str(journal))
        yield ListedContract(
            chain_id,
            address,
            future_id,
            partial(_read_referenced_contract, journal.parent, builds, messages[EXISTING]),
        )
        return
    if BEGINS not in messages:
        return
    result = _deployment_result(messages)
    if result.get("type") != "SUCCESS":
        yield UnreadableContract(future_id, "its deployment did not succeed")
        return
    address = parse_json_address(result["address"], str(journal))
    yield ListedContract(
        chain_id,
        address,
        future_id,
        partial(_read_deployed_contract, journal.parent, builds, messages, address),
    )


def _read_referenced_contract(
    deployment_folder: Path, builds: HardhatBuilds, start_message: JsonObject
) -> SourceContract:
    """Read a contract that a module uses but did not deploy.

    The journal says how it was compiled, but not how it was deployed.
    """
    with not_importable_if_malformed(deployment_folder / JOURNAL):
        return SourceContract(
            compilation=_read_future_compilation(deployment_folder, builds, start_message, None)
        )


def _parse_journal_messages(
    journal: Path, unreadable_lines: list[UnreadableContract]
) -> Iterator[JsonObject]:
    """Parse the messages in Hardhat Ignition's journal, one per line.

    A deployment that was killed may leave an incomplete line.

    Args:
        journal: the file of the journal.
        unreadable_lines: gets an entry about such a line.
    """
    for number, line in enumerate(read_file_bytes(journal).splitlines(), 1):
        try:
            message = orjson.loads(line or b"{}")
            kind = message.get("type")
        except (orjson.JSONDecodeError, AttributeError):
            kind = None
        if isinstance(kind, str):
            yield message
        elif line:
            where = f"{journal}:{number}"
            unreadable_lines.append(
                UnreadableContract(
                    journal.parent.name,
                    f"{where} is not a message of Ignition's journal; the rest is not read",
                )
            )
            return


def _read_deployed_contract(
    deployment_folder: Path, builds: HardhatBuilds, messages: dict[str, JsonObject], address: Address
) -> SourceContract:
    with not_importable_if_malformed(deployment_folder / JOURNAL):
        on_chain = _on_chain_contract(messages, address)
        compilation = _read_future_compilation(deployment_folder, builds, messages[BEGINS], on_chain.creation)
        return SourceContract(compilation=compilation, on_chain=on_chain)


def _read_future_compilation(
    deployment_folder: Path, builds: HardhatBuilds, start_message: JsonObject, creation: Hex | None
) -> ImportedCompilation:
    """Read the compilation of a contract that Ignition deployed.

    Ignition copies artifacts (compiler output) beside its journal. If the artifact is missing, the project's
    build-infos (input and output of the compiler) are searched.

    Args:
        deployment_folder: the folder with the journal.
        builds: the compiler runs of the project.
        start_message: the journal's message about the deployment, which Ignition calls a future.
        creation: the creation code, with which builds are compared; None if unknown.

    Raises:
        NotImportableError: if neither has its sources.
    """
    file = deployment_folder / "artifacts" / f"{start_message['artifactId']}.json"
    if not is_file(file):
        name = required_string(start_message, "contractName")
        return builds.find_compilation(name, creation, f"there is no artifact {file}")
    artifact = read_json_file(file)
    if has_build_info(file, artifact):
        return read_hardhat(file, artifact, None)
    return builds.find_compilation(
        get_artifact_contract_name(artifact), creation, f"the build-info of the artifact {file} is missing"
    )


def _on_chain_contract(messages: dict[str, JsonObject], address: Address) -> OnChainContract:
    confirmed = messages.get("TRANSACTION_CONFIRM", {})
    sender = parse_any_hex(messages[BEGINS].get("from"))
    receipt = as_object(confirmed.get("receipt"))
    sent = as_object(messages.get("NETWORK_INTERACTION_REQUEST", {}).get("networkInteraction"))
    nonce = messages.get("TRANSACTION_SEND", {}).get("nonce")
    data = parse_any_hex(sent.get("data"))
    created = (
        _contract_created_by(sender, nonce, parse_any_hex(sent.get("to")), data) if sender and data else None
    )
    is_shown = created is not None and created.address == address
    return OnChainContract(
        creation=None if created is None else created.code,
        runtime=None,
        deployment=make_deployment(confirmed.get("hash"), receipt.get("blockNumber"), None, sender),
        notes=() if is_shown else (UNCHECKED_CREATION,),
    )


def _contract_created_by(sender: Hex, nonce: object, to: Hex | None, data: Hex) -> CreatedContract | None:
    """Find the contract that a transaction creates.

    For a call of the factory CreateX, only the code is known, and the address is empty.

    Returns:
        The contract, or None if the transaction is not known to create one.
    """
    created = find_created_contract(Address(sender), nonce if isinstance(nonce, int) else None, to, data)
    code = data if to is None else _creation_code_for_createx(data)
    return created or (None if code is None else CreatedContract(Address(""), code))


def _creation_code_for_createx(call_data: Hex) -> Hex | None:
    """Find the creation code in a call of the factory CreateX.

    A salt, an offset and the length follow the selector.

    Returns:
        The code, or None if it is not such a call.
    """
    digits, words = call_data[10:], 64
    if call_data[:10] not in CREATEX_CALLS or len(digits) < 3 * words:
        return None
    length = int(digits[2 * words : 3 * words], 16)
    return parse_any_hex(digits[3 * words : 3 * words + 2 * length])
