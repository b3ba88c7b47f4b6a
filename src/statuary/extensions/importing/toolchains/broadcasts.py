"""Import deployments of `forge script --broadcast`.

`broadcast/<script>/<chain>/run-<time>.json` (or another folder that foundry.toml names) has the transactions
with their receipts. `run-latest.json` repeats the last one, `dry-run/` was never sent, and `multi/` has runs
on several chains. The artifacts are in `out/`. Format: `ScriptSequence` of forge 1.7, the files that it wrote
in tests/extensions/importing, and the members of 2022, `type` and `tx`, for which later ones have
`transactionType` and `transaction`.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.base.primitives import Address, ChainId, Hex
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_json_file, required_list
from statuary.extensions.importing.toolchains.foundry import find_foundry_folders, read_foundry
from statuary.extensions.importing.toolchains.foundry_sources import make_compilation_from_sources
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    find_creation_code,
    make_deployment,
    parse_any_hex,
    parse_json_address,
    parse_json_chain_id,
    to_decimal_string,
    yield_contracts_or_error,
)

CREATIONS: Final = ("CREATE", "CREATE2")
SUCCESS: Final = "0x1"


def read_broadcasts(project: Path) -> ListedContracts:
    """Yield the contracts that the scripts of a Foundry project deployed.

    The newest deployments come first. Addresses that scripts only call or link come last.

    Raises:
        NotImportableError: if the folder has no broadcast files.
    """
    folders = find_foundry_folders(project)
    files = sorted(
        _newest_run_files(folders.broadcast), key=lambda file: (file.name, str(file)), reverse=True
    )
    if not files:
        raise NotImportableError(
            f"{project} has no {folders.broadcast.name}/**/run-*.json",
            "deploy with `forge script --broadcast`, which writes them; for a contract of `forge create`, run "
            "`statuary contract add out/NAME.sol/NAME.json --address 0x…`",
        )
    artifacts = _ArtifactIndex(project, folders.out)
    listed_addresses: set[tuple[ChainId | None, Address | None]] = set()
    mentions: list[UnreadableContract] = []
    for file in files:
        for entry in yield_contracts_or_error(file, file.name, _list_run_contracts(file, artifacts)):
            if isinstance(entry, UnreadableContract) and entry.is_expected:
                mentions.append(entry)
                continue
            listed_addresses.add((entry.chain_id, entry.address))
            yield entry
    for mention in mentions:
        if (mention.chain_id, mention.address) not in listed_addresses:
            listed_addresses.add((mention.chain_id, mention.address))
            yield mention


def _list_run_contracts(file: Path, artifacts: "_ArtifactIndex") -> ListedContracts:
    run = read_json_file(file)
    for deployment in as_list(run.get("deployments")) or [run]:
        script_run = _ScriptRun(file, as_object(deployment), artifacts)
        yield from script_run.list_created_contracts()
        yield from script_run.list_mentioned_addresses()


def _newest_run_files(folder: Path) -> Iterator[Path]:
    for file in folder.glob("**/run-*.json"):
        if "dry-run" not in file.relative_to(folder).parts:
            yield file
    yield from folder.glob("multi/*/run.json")


DEFAULT_EVM_VERSIONS: Final = (
    (date(2026, 1, 19), "osaka"),
    (date(2025, 6, 3), "prague"),
    (date(2024, 11, 18), "cancun"),
    (date(2023, 6, 1), "paris"),
    (date(2022, 1, 1), "london"),
)
"""The days on which EVM versions became forge's default, the newest first."""


class _ScriptRun:
    """A run of a script on a chain."""

    def __init__(self, file: Path, run: JsonObject, artifacts: "_ArtifactIndex") -> None:
        self.file = file
        self.artifacts = artifacts
        self.transactions = list(map(as_object, required_list(run, "transactions")))
        self.chain_id = parse_json_chain_id(run.get("chain") or file.parent.name, str(file))
        receipts = map(as_object, as_list(run.get("receipts")))
        self.receipts = {as_text(receipt.get("transactionHash")): receipt for receipt in receipts}
        time = to_decimal_string(run.get("timestamp"))
        self.evm_version = "" if time is None else _default_evm_version(int(time))
        self.revision = _describe_build_commands(as_text(run.get("commit")), self.evm_version)
        self.libraries = list(map(as_text, as_list(run.get("libraries"))))

    def list_mentioned_addresses(self) -> ListedContracts:
        """Yield the addresses that a script only calls or links.

        They are reported as not imported, with the reason.
        """
        for transaction in self.transactions:
            if not _created_contracts(transaction) and transaction.get("contractAddress"):
                address = parse_json_address(transaction["contractAddress"], str(self.file))
                name = _stated_contract_name(transaction) or address
                yield self._mentioned_contract(name, address, "scripts call it, and no broadcast creates it")
        for library in self.libraries:
            name, _, text = library.rpartition(":")
            address = parse_json_address(text, str(self.file))
            yield self._mentioned_contract(
                name, address, "scripts link it as a library, and no broadcast creates it"
            )

    def _mentioned_contract(self, name: str, address: Address, reason: str) -> UnreadableContract:
        return UnreadableContract(name, reason, is_expected=True, chain_id=self.chain_id, address=address)

    def list_created_contracts(self) -> ListedContracts:
        for transaction in self.transactions:
            created = _created_contracts(transaction)
            hashes = self._find_transaction_hashes(transaction)
            receipt = self.receipts.get(hashes.likely, {})
            if created and receipt.get("status", SUCCESS) != SUCCESS:
                failure = f"its transaction {hashes.likely} failed"
                for contract in created:
                    where = parse_json_address(contract.address, str(self.file))
                    yield UnreadableContract(
                        contract.name or where, failure, chain_id=self.chain_id, address=where
                    )
                continue
            for contract in created:
                yield self._list_contract(contract, transaction, hashes)

    def _find_transaction_hashes(self, transaction: JsonObject) -> "_TransactionHashes":
        """Find the hash of a transaction, and others that it may have.

        Old versions of forge (before https://github.com/foundry-rs/foundry/pull/16715) wrote the hash of another
        transaction of the run, if the node responded out of order. So the receipts are compared with the transaction.
        """
        named = as_text(transaction.get("hash"))
        if named not in self.receipts:
            return _TransactionHashes(named)
        fitting = [name for name, receipt in self.receipts.items() if _is_receipt_of(receipt, transaction)]
        if named not in fitting:
            named = fitting[0] if len(fitting) == 1 else ""
        return _TransactionHashes(named, tuple(Hex(name) for name in fitting if name != named))

    def _list_contract(
        self, contract: "_CreatedContract", transaction: JsonObject, hashes: "_TransactionHashes"
    ) -> ListedContract:
        receipt = self.receipts.get(hashes.likely, {})
        on_chain = OnChainContract(
            creation=contract.creation.code,
            runtime=None,
            deployment=make_deployment(
                hashes.likely,
                receipt.get("blockNumber"),
                receipt.get("transactionIndex"),
                _transaction_fields(transaction).get("from"),
            ),
            notes=() if contract.creation.is_shown else (UNCHECKED_CREATION,),
        )
        where = parse_json_address(contract.address, str(self.file))

        def read_source() -> SourceContract:
            source = self.artifacts.read_artifact(contract.name, on_chain, self.revision, self.evm_version)
            return source._replace(other_transactions=hashes.others)

        return ListedContract(ChainId(self.chain_id), where, contract.name or where, read_source)


def _describe_build_commands(commit: str, evm_version: str) -> str:
    """Return text that names the commands to build a broadcast's contracts.

    A broadcast is forge's file about the run of a deployment script.
    """
    checkout = f"`git checkout {commit}`, which the broadcast names" if commit.isalnum() else ""
    build = f"`forge build --force --evm-version {evm_version}`" if evm_version else "`forge build --force`"
    why = f": {evm_version} was forge's default at the time of the broadcast" if evm_version else ""
    return f"{checkout or 'check out the revision that was deployed'}, then run {build}{why}"


def _default_evm_version(unix_time: int) -> str:
    """Return forge's default EVM version at a time.

    Args:
        unix_time: the time since 1970 in seconds or, since forge 1.3, milliseconds.

    Returns:
        The version; empty if it is unknown.
    """
    seconds = unix_time // 1000 if unix_time > LAST_SECOND else unix_time
    try:
        day = datetime.fromtimestamp(seconds, UTC).date()
    except (ValueError, OverflowError):
        return ""
    return next((version for since, version in DEFAULT_EVM_VERSIONS if day >= since), "")


LAST_SECOND: Final = 100_000_000_000
"""A greater time is in milliseconds: in seconds, it would be in the year 5138."""


class _TransactionHashes(NamedTuple):
    """The hashes that a transaction of a run may have."""

    likely: str  # the most likely hash; empty if unknown
    others: tuple[Hex, ...] = ()


def _is_receipt_of(receipt: JsonObject, transaction: JsonObject) -> bool:
    """Return whether a receipt may belong to a transaction.

    The receiver and the created contract are compared.
    """
    if "to" in receipt and parse_any_hex(receipt["to"]) != parse_any_hex(
        _transaction_fields(transaction).get("to")
    ):
        return False
    created = receipt.get("contractAddress")
    return not created or as_text(created).lower() == as_text(transaction.get("contractAddress")).lower()


def _transaction_fields(transaction: JsonObject) -> JsonObject:
    """Return the fields of a transaction, which in 2022 were in `tx`."""
    return as_object(transaction.get("transaction") or transaction.get("tx"))


class _CreationCode(NamedTuple):
    """The creation code of a contract."""

    code: Hex | None  # None if unknown
    is_shown: bool = False  # whether the transaction's own fields show the creation


class _CreatedContract(NamedTuple):
    """A contract that a transaction created."""

    name: str | None
    address: Json
    creation: _CreationCode


def _created_contracts(transaction: JsonObject) -> list[_CreatedContract]:
    created: list[_CreatedContract] = []
    if (transaction.get("transactionType") or transaction.get("type")) in CREATIONS:
        address = transaction.get("contractAddress")
        creation = _creation_code_in_transaction(_transaction_fields(transaction), address)
        created.append(_CreatedContract(_stated_contract_name(transaction), address, creation))
    for additional in map(as_object, as_list(transaction.get("additionalContracts"))):
        creation = _CreationCode(parse_any_hex(additional.get("initCode")))
        created.append(_CreatedContract(_stated_contract_name(additional), additional["address"], creation))
    return created


def _stated_contract_name(creation_object: JsonObject) -> str | None:
    return as_text(creation_object.get("contractName")) or None


def _creation_code_in_transaction(sent_transaction: JsonObject, contract_address: Json) -> _CreationCode:
    data = parse_any_hex(sent_transaction.get("input") or sent_transaction.get("data"))
    sender = sent_transaction.get("from")
    to = parse_any_hex(sent_transaction.get("to"))
    if data is None or parse_any_hex(sender) is None:
        return _CreationCode(None)
    code = find_creation_code(str(contract_address), sender, sent_transaction.get("nonce"), to, data)
    if code is not None:
        return _CreationCode(code, is_shown=True)
    return _CreationCode(data if to is None else None)


class _ArtifactIndex:
    """The artifacts in `out/`, by contract name."""

    def __init__(self, project: Path, out: Path) -> None:
        self.project = project
        self.out = out

    @cached_property
    def artifact_files_by_name(self) -> dict[str, list[Path]]:
        """The artifacts (output files of forge) by contract name, such as `Token`."""
        files: dict[str, list[Path]] = {}
        for file in sorted(chain(self.out.glob("**/*.sol/*.json"), self.out.glob("**/*.vy/*.json"))):
            # The name of the contract ends at the first dot: with several compilers, forge writes files such
            # as Name.0.8.30.json.
            files.setdefault(file.name.partition(".")[0], []).append(file)
        return files

    def read_artifact(
        self, name: str | None, on_chain: OnChainContract, revision: str, evm_version: str
    ) -> SourceContract:
        """Return a deployed contract with its sources and compiler output.

        Args:
            name: the contract's name; None if the broadcast has none, so that the code decides.
            on_chain: the code on the chain, with which artifacts are compared.
            revision: the git commit of the script's run.
            evm_version: the EVM version to compile with if there is no artifact.
        """
        short_name = (name or "").rpartition(":")[2]
        compilation = None
        if short_name and short_name not in self.artifact_files_by_name:
            compilation = make_compilation_from_sources(
                self.project, short_name, on_chain.creation, evm_version
            )
        if compilation is None:
            file = self._choose_artifact(short_name, on_chain.creation, revision)
            compilation = read_foundry(file, read_json_file(file), None, self.project)
        return SourceContract(
            compilation=compilation,
            on_chain=on_chain,
            revision=revision,
        )

    def _choose_artifact(self, name: str, creation: Hex | None, revision: str) -> Path:
        """Choose the artifact with a contract's name, or else with its code.

        If several have the name, the code decides.

        Raises:
            NotImportableError: if no artifact fits, or several do and there is no name.
        """
        candidates = (
            self.artifact_files_by_name.get(name, [])
            if name
            else [*chain.from_iterable(self.artifact_files_by_name.values())]
        )
        if name and len(candidates) == 1:
            return candidates[0]
        fitting = [file for file in candidates if _starts_with_artifact_code(file, creation)]
        # Without a name, exactly one artifact must fit. Several artifacts with the given name that fit have
        # the same code, so any of them will do.
        if not fitting or (not name and len(fitting) > 1):
            raise NotImportableError(
                f"{self.out} has no artifact of {name or 'a contract'} with the code that was deployed",
                revision,
            )
        return fitting[0]


def _starts_with_artifact_code(artifact_file: Path, creation_code: Hex | None) -> bool:
    bytecode = as_object(read_json_file(artifact_file).get("bytecode"))
    digits = as_text(bytecode.get("object")).removeprefix("0x")
    pieces, start = digits.split("__$"), 0
    if not digits or creation_code is None:
        return False
    for number, piece in enumerate(pieces):
        # solc writes a placeholder of 40 characters (`__$`, 34 hex digits, `$__`) where the address of a
        # library belongs. Compare only the code between the placeholders.
        text = piece
        if number:
            text, start = piece[37:], start + 40
        if creation_code[2 + start : 2 + start + len(text)] != text:
            return False
        start += len(text)
    return True
