"""What tool chains note of their deployments: Foundry's broadcasts, hardhat-deploy's folders, Ignition's journals.

`broadcast/<script>/<chain>/run-<time>.json` has the transactions with their receipts; `run-latest.json` repeats the
last one, `dry-run/` was never sent, and `multi/` holds runs on several chains. The artifacts are in `out/`. Format:
`ScriptSequence` of forge 1.7, and the files that it wrote in tests/extensions/importing.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Final

import orjson

from statuary.domain.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.domain.primitives import Address, ChainId, Hex
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    list_at,
    object_at,
    read_bytes,
    read_json_file,
    read_text,
    text_at,
)
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation, compiler_for_language
from statuary.extensions.importing.toolchains.foundry import compilation_of_metadata, read_foundry
from statuary.extensions.importing.toolchains.hardhat import read_hardhat
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    CreatedContract,
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    any_address,
    any_chain_id,
    any_deployment,
    any_hex,
    any_quantity,
    complete,
    created_contract,
    with_unreadable,
)

CREATIONS: Final = ("CREATE", "CREATE2")
SUCCESS: Final = "0x1"


def read_broadcasts(project: Path) -> ListedContracts:
    """Yield the contracts that the scripts of a Foundry project deployed; the newest run comes first.

    Raises:
        NotImportableError: if the folder has no broadcasts.
    """
    files = sorted(_run_files(project / "broadcast"), key=lambda file: (file.name, str(file)), reverse=True)
    if not files:
        raise NotImportableError(
            f"{project} has no broadcast/**/run-*.json",
            "give the folder of a Foundry project with broadcasts",
        )
    artifacts = _Artifacts(project)
    for file in files:
        yield from with_unreadable(file, file.name, _broadcast_contracts(file, artifacts))


def _broadcast_contracts(file: Path, artifacts: "_Artifacts") -> ListedContracts:
    run = read_json_file(file)
    for deployment in as_list(run.get("deployments")) or [run]:
        yield from _Run(file, as_object(deployment), artifacts).contracts()


def _run_files(folder: Path) -> Iterator[Path]:
    for file in folder.glob("**/run-*.json"):
        if "dry-run" not in file.relative_to(folder).parts:
            yield file
    yield from folder.glob("multi/*/run.json")


class _Run:
    """One run of a script on one chain."""

    def __init__(self, file: Path, run: JsonObject, artifacts: "_Artifacts") -> None:
        self.file = file
        self.artifacts = artifacts
        self.transactions = list(map(as_object, list_at(run, "transactions")))
        self.chain_id = any_chain_id(run.get("chain") or file.parent.name, str(file))
        receipts = map(as_object, as_list(run.get("receipts")))
        self.receipts = {as_text(receipt.get("transactionHash")): receipt for receipt in receipts}

    def contracts(self) -> ListedContracts:
        for transaction in self.transactions:
            name = str(transaction.get("contractName") or transaction.get("contractAddress"))
            created = _creations(transaction)
            receipt = self.receipts.get(as_text(transaction.get("hash")), {})
            if created and receipt.get("status", SUCCESS) != SUCCESS:
                yield UnreadableContract(name, f"its transaction {transaction['hash']} failed")
                continue
            for contract_name, address, code, is_shown in created:
                yield self._contract(contract_name, address, code, transaction, receipt, is_shown=is_shown)

    def _contract(
        self,
        name: str | None,
        address: Json,
        code: Hex | None,
        transaction: JsonObject,
        receipt: JsonObject,
        *,
        is_shown: bool,
    ) -> ListedContract:
        on_chain = OnChainContract(
            creation=code,
            runtime=None,
            deployment=any_deployment(
                transaction.get("hash"),
                receipt.get("blockNumber"),
                receipt.get("transactionIndex"),
                as_object(transaction["transaction"]).get("from"),
            ),
            notes=() if is_shown else (UNCHECKED_CREATION,),
        )
        where = any_address(address, str(self.file))
        read = partial(self.artifacts.read, name, on_chain)
        return ListedContract(ChainId(self.chain_id), where, name or where, read)


def _creations(transaction: JsonObject) -> list[tuple[str | None, Json, Hex | None, bool]]:
    """Return name, address and creation code of what a transaction created, and whether its own fields show it."""
    created: list[tuple[str | None, Json, Hex | None, bool]] = []
    if transaction.get("transactionType") in CREATIONS:
        address = transaction.get("contractAddress")
        code, is_shown = _creation(object_at(transaction, "transaction"), address)
        created.append((_name(transaction), address, code, is_shown))
    created += [
        (_name(other), other["address"], any_hex(other.get("initCode")), False)
        for other in map(as_object, as_list(transaction.get("additionalContracts")))
    ]
    return created


def _name(created: JsonObject) -> str | None:
    return as_text(created.get("contractName")) or None


def _creation(sent: JsonObject, address: Json) -> tuple[Hex | None, bool]:
    data, sender = any_hex(sent.get("input") or sent.get("data")), any_hex(sent.get("from"))
    nonce = any_quantity(sent.get("nonce"))
    if data is None or sender is None:
        return None, False
    to = any_hex(sent.get("to"))
    created = created_contract(Address(sender), None if nonce is None else int(nonce), to, data)
    if created is not None and created.address.lower() == str(address).lower():
        return created.code, True
    return (data if to is None else None), False


class _Artifacts:
    """The artifacts in `out/`, by the name of their contract."""

    def __init__(self, project: Path) -> None:
        self.project = project

    @cached_property
    def files(self) -> dict[str, list[Path]]:
        files: dict[str, list[Path]] = {}
        for file in sorted((self.project / "out").glob("**/*.sol/*.json")):
            # of several compilers, forge writes Name.0.8.30.json too
            files.setdefault(file.name.partition(".")[0], []).append(file)
        return files

    def read(self, name: str | None, on_chain: OnChainContract) -> SourceContract:
        file = self._choose((name or "").rpartition(":")[2], on_chain.creation)
        return SourceContract(
            compilation=read_foundry(file, read_json_file(file), None, self.project), on_chain=on_chain
        )

    def _choose(self, name: str, creation: Hex | None) -> Path:
        """Return the artifact with a name, or with the code that was deployed where that does not decide."""
        candidates = self.files.get(name, []) if name else [*chain.from_iterable(self.files.values())]
        if name and len(candidates) == 1:
            return candidates[0]
        fitting = [file for file in candidates if _is_start(file, creation)]
        # of several with one name and the same code, any will do
        if not fitting or (not name and len(fitting) > 1):
            raise NotImportableError(
                f"{self.project / 'out'} has no artifact of {name or 'a contract'} with the code that was deployed",
                "check out the revision that was deployed and run `forge build`",
            )
        return fitting[0]


def _is_start(file: Path, creation: Hex | None) -> bool:
    """Return whether on-chain creation code begins with an artifact's, libraries aside."""
    bytecode = as_object(read_json_file(file).get("bytecode"))
    digits = as_text(bytecode.get("object")).removeprefix("0x")
    pieces, start = digits.split("__$"), 0
    if not digits or creation is None:
        return False
    for number, piece in enumerate(pieces):
        # a placeholder is __$, 34 digits and $__, where the chain has an address
        text = piece if number == 0 else piece[37:]
        start += 0 if number == 0 else 40
        if creation[2 + start : 2 + start + len(text)] != text:
            return False
        start += len(text)
    return True


CHAIN_FILE = ".chainId"
PROXY_SUFFIX = "_Proxy"


def read_hardhat_deploy(folder: Path) -> ListedContracts:
    """Yield the contracts of every network of a project.

    Args:
        folder: the project, its `deployments` folder, or the folder of one network.

    Raises:
        NotImportableError: if there is no network with its chain id.
    """
    above = folder / "deployments" if (folder / "deployments").is_dir() else folder
    networks = [network for network in (above, *sorted(above.glob("*/"))) if (network / CHAIN_FILE).is_file()]
    if not networks:
        raise NotImportableError(
            f"{folder} has no deployments/<network>/.chainId", "give the folder of a hardhat-deploy project"
        )
    for network in networks:
        yield from with_unreadable(network, network.name, _deployment_contracts(network))


def _deployment_contracts(network: Path) -> ListedContracts:
    chain_file = network / CHAIN_FILE
    chain_id = any_chain_id(read_text(chain_file), str(chain_file))
    # Name.json and Name_Proxy.json are one contract, and the second has its code
    names = sorted(file.stem for file in network.glob("*.json") if not file.name.startswith("."))
    for name in names:
        if name + PROXY_SUFFIX not in names:
            file = network / f"{name}.json"
            yield from with_unreadable(file, f"{network.name}/{name}", _contract(file, chain_id))


def _contract(file: Path, chain_id: ChainId) -> ListedContracts:
    deployment = read_json_file(file)
    address = any_address(deployment.get("address"), str(file))
    yield ListedContract(chain_id, address, file.stem, partial(_read_deployment, file, deployment))


def _read_deployment(file: Path, deployment: JsonObject) -> SourceContract:
    receipt = as_object(deployment.get("receipt"))
    with complete(file):
        sent = any_deployment(
            deployment.get("transactionHash") or receipt.get("transactionHash"),
            receipt.get("blockNumber"),
            receipt.get("transactionIndex"),
            receipt.get("from"),
        )
        return SourceContract(
            compilation=_compilation(file, deployment), on_chain=OnChainContract(None, None, sent)
        )


def _compilation(file: Path, deployment: JsonObject) -> ImportedCompilation:
    text = as_text(deployment.get("metadata"))
    if not text:
        raise NotImportableError(
            "its file has no metadata of a compiler",
            "the contract was not deployed from sources of this project",
        )
    metadata: JsonObject = orjson.loads(text)
    input_file = _input_file(file, deployment)
    if not input_file.is_file():
        # many repositories leave out solcInputs; the metadata has the sources of the contract
        return compilation_of_metadata(metadata, {}, str(file))
    ((path, name),) = object_at(metadata, "settings", "compilationTarget").items()
    solc_input = read_json_file(input_file)
    return ImportedCompilation(
        compiler=compiler_for_language(solc_input["language"]),
        version=text_at(metadata, "compiler", "version"),
        fully_qualified_name=f"{path}:{name}",
        std_json_input=solc_input,
        std_json_output=None,
    )


def _input_file(file: Path, deployment: JsonObject) -> Path:
    digest = deployment.get("solcInputHash")
    if not isinstance(digest, str) or not digest.isalnum():
        raise NotImportableError(
            f"{file} names no compiler input (solcInputHash)", "deploy with hardhat-deploy 0.7 or later"
        )
    return file.parent / "solcInputs" / f"{digest}.json"


JOURNAL: Final = "journal.jsonl"
BEGINS: Final = "DEPLOYMENT_EXECUTION_STATE_INITIALIZE"
WIPED: Final = "WIPE_APPLY"

CREATEX_CALLS: Final = ("0x26307668", "0x9c36a286")
"""The selectors of `deployCreate2(bytes32,bytes)` and `deployCreate3(bytes32,bytes)` of https://createx.rocks ."""


def read_ignition(folder: Path) -> ListedContracts:
    """Yield the contracts of every deployment of a project.

    Args:
        folder: the project, its `ignition` or `ignition/deployments` folder, or the folder of one deployment.

    Raises:
        NotImportableError: if there is no journal.
    """
    patterns = (JOURNAL, f"*/{JOURNAL}", f"deployments/*/{JOURNAL}", f"ignition/deployments/*/{JOURNAL}")
    journals = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    if not journals:
        raise NotImportableError(
            f"{folder} has no ignition/deployments/*/{JOURNAL}", "give the folder of a project with Ignition"
        )
    for journal in journals:
        yield from with_unreadable(journal, journal.parent.name, _journal_contracts(journal))


def _journal_contracts(journal: Path) -> ListedContracts:
    chain_id, futures = None, dict[str, dict[str, JsonObject]]()
    broken: list[UnreadableContract] = []
    for message in _messages(journal, broken):
        kind, future = message["type"], message.get("futureId")
        if kind == "DEPLOYMENT_INITIALIZE":
            chain_id = any_chain_id(message["chainId"], str(journal))
        elif kind == WIPED:
            futures.pop(str(future), None)
        elif future is not None:
            # later interactions of a deployment that was sent again replace earlier ones
            futures.setdefault(str(future), {})[as_text(kind)] = message
    yield from broken
    if chain_id is None:
        raise NotImportableError(f"{journal} names no chain", "run the deployment again")
    for future, steps in futures.items():
        if BEGINS not in steps:
            continue
        result = as_object(steps.get("DEPLOYMENT_EXECUTION_STATE_COMPLETE", {}).get("result"))
        if result.get("type") != "SUCCESS":
            yield UnreadableContract(future, "its deployment did not succeed")
            continue
        address = any_address(result["address"], str(journal))
        yield ListedContract(
            chain_id, address, future, partial(_read_journal, journal.parent, steps, address)
        )


def _messages(journal: Path, broken: list[UnreadableContract]) -> Iterator[JsonObject]:
    """Yield the messages of a journal up to a broken line: the last one of a killed deployment may be broken."""
    for number, line in enumerate(read_bytes(journal).splitlines(), 1):
        try:
            message = orjson.loads(line or b"{}")
            kind = message.get("type")
        except (orjson.JSONDecodeError, AttributeError):
            kind = None
        if isinstance(kind, str):
            yield message
        elif line:
            where = f"{journal}:{number}"
            broken.append(
                UnreadableContract(
                    journal.parent.name,
                    f"{where} is not a message of Ignition's journal; the rest is not read",
                )
            )
            return


def _read_journal(folder: Path, steps: dict[str, JsonObject], address: Address) -> SourceContract:
    begins = steps[BEGINS]
    file = folder / "artifacts" / f"{begins['artifactId']}.json"
    return SourceContract(
        compilation=read_hardhat(file, read_json_file(file), None), on_chain=_on_chain(steps, address)
    )


def _on_chain(steps: dict[str, JsonObject], address: Address) -> OnChainContract:
    confirmed, sender = steps.get("TRANSACTION_CONFIRM", {}), any_hex(steps[BEGINS].get("from"))
    receipt = as_object(confirmed.get("receipt"))
    sent = as_object(steps.get("NETWORK_INTERACTION_REQUEST", {}).get("networkInteraction"))
    nonce, data = steps.get("TRANSACTION_SEND", {}).get("nonce"), any_hex(sent.get("data"))
    created = _created_contract(sender, nonce, any_hex(sent.get("to")), data) if sender and data else None
    is_shown = created is not None and created.address == address
    return OnChainContract(
        creation=None if created is None else created.code,
        runtime=None,
        deployment=any_deployment(confirmed.get("hash"), receipt.get("blockNumber"), None, sender),
        notes=() if is_shown else (UNCHECKED_CREATION,),
    )


def _created_contract(sender: Hex, nonce: object, to: Hex | None, data: Hex) -> CreatedContract | None:
    """Return what a transaction creates; through CreateX, only the code is certain."""
    created = created_contract(Address(sender), nonce if isinstance(nonce, int) else None, to, data)
    code = data if to is None else _createx_code(data)
    return created or (None if code is None else CreatedContract(Address(""), code))


def _createx_code(data: Hex) -> Hex | None:
    """Return the creation code in a call of CreateX: after the selector come salt, offset and length."""
    digits, words = data[10:], 64
    if data[:10] not in CREATEX_CALLS or len(digits) < 3 * words:
        return None
    length = int(digits[2 * words : 3 * words], 16)
    return any_hex(digits[3 * words : 3 * words + 2 * length])
