"""The compilation of one contract, from any tool chain."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError

MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCompilation:
    """The input and output of one compiler run, and the chosen contract."""

    compiler: str  # `solc` or `vyper`
    version: str  # as records have it, `0.8.30+commit.73712a01`; empty if unknown
    fully_qualified_name: str  # `path:Name`
    std_json_input: Json  # with the text of every source
    std_json_output: Json | None  # None if the contract is not compiled yet
    notes: tuple[str, ...] = ()  # what is missing, as sentences

    def __post_init__(self) -> None:
        names: tuple[Json, ...] = (self.version, self.fully_qualified_name)
        if not all(isinstance(text, str) for text in names):
            raise _invalid("the compiler version or the contract name is not text")
        std_json_input = self.std_json_input
        if not isinstance(std_json_input, dict) or not isinstance(std_json_input.get("language"), str):
            raise _invalid("the standard JSON input has no language")
        for member in ("sources", "settings"):
            if not isinstance(std_json_input.get(member), dict):
                raise _invalid(f"the standard JSON input has no {member}")
        if not isinstance(self.std_json_output, dict | None):
            raise _invalid("the compiler's output is not a JSON object")

    @property
    def language(self) -> str:
        """The language of the input, such as `Solidity`."""
        return str(self.std_json_input["language"])

    @property
    def artifact(self) -> dict[str, Json] | None:
        """The contract in the output; None if it is not there."""
        path, _, name = self.fully_qualified_name.rpartition(":")
        artifact: Json = self.std_json_output
        for key in ("contracts", path, name):
            artifact = _member(artifact, key)
        return artifact if isinstance(artifact, dict) else None


def _invalid(message: str) -> ContractImportError:
    return ContractImportError(message, "compile the project again")


def _member(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _items(value: Json) -> Iterable[tuple[str, Json]]:
    return value.items() if isinstance(value, dict) else ()


def compiler_for_language(language: str) -> str:
    """Return `solc` or `vyper`."""
    return "vyper" if language == "Vyper" else "solc"


def deployable_contracts(std_json_output: Json) -> Iterator[str]:
    """Yield the fully qualified names of the contracts with bytecode in an output."""
    for path, contracts in _items(_member(std_json_output, "contracts")):
        for name, artifact in _items(contracts):
            digits = _member(_member(_member(artifact, "evm"), "bytecode"), "object")
            if isinstance(digits, str) and digits.removeprefix("0x"):
                yield f"{path}:{name}"


def choose_contract(names: Iterable[str], contract_name: str | None) -> str:
    """Return the fully qualified name of the chosen contract.

    Args:
        names: the fully qualified names to choose from.
        contract_name: with or without its path; None if there is only one contract.

    Raises:
        ContractImportError: if no name or more than one fits.
    """
    known = sorted(names)
    matching = [name for name in known if contract_name in (None, name, name.rpartition(":")[2])]
    if len(matching) == 1:
        return matching[0]
    listed = matching or known
    shown = ", ".join(listed[:MAX_NAMES_SHOWN]) + (" …" if len(listed) > MAX_NAMES_SHOWN else "")
    if not known:
        raise ContractImportError(
            "the compiler's output has no contract with bytecode", "check the output for compiler errors"
        )
    if contract_name is None:
        raise ContractImportError(f"found {len(known)} contracts: {shown}", "choose one with --contract")
    if not matching:
        raise ContractImportError(f"unknown contract {contract_name!r}", f"the contracts are: {shown}")
    raise ContractImportError(
        f"{len(matching)} contracts are named {contract_name!r}", f"use one of: {shown}"
    )
