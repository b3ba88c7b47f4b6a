"""One contract's compilation, as any tool chain's files tell it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCompilation:
    """What a contract was compiled from, by what, and to what.

    Attributes:
        compiler: `solc` or `vyper`.
        version: as records spell it, `0.8.30+commit.73712a01`; empty if the files do not say.
        fully_qualified_name: the source's path, a colon, and the contract's name.
        std_json_input: the compiler's standard JSON input, texts of all sources included.
        std_json_output: the compiler's standard JSON output; None if there is none yet.
        notes: what was found wanting on the way, as sentences.
    """

    compiler: str
    version: str
    fully_qualified_name: str
    std_json_input: Json
    std_json_output: Json | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make sure that files said what they should, in the types that they should.

        Raises:
            CannotImport: if not.
        """
        given = self.std_json_input
        named: tuple[Json, ...] = (self.version, self.fully_qualified_name)
        if not all(isinstance(text, str) for text in named):
            raise ContractImportError(
                "compiler version or contract name are no text", "compile the project again"
            )
        if not isinstance(given, dict) or not isinstance(given.get("language"), str):
            raise ContractImportError(
                "the standard JSON input names no language", "compile the project again"
            )
        for member in ("sources", "settings"):
            if not isinstance(given.get(member), dict):
                raise ContractImportError(
                    f"the standard JSON input has no {member}", "compile the project again"
                )
        if not isinstance(self.std_json_output, dict | None):
            raise ContractImportError("the compiler's output is no JSON object", "compile the project again")

    @property
    def language(self) -> str:
        """The input's language, as it says it."""
        return str(self.std_json_input["language"])

    @property
    def artifact(self) -> dict[str, Json] | None:
        """The contract's part of the output; None if it is not there."""
        path, _, name = self.fully_qualified_name.rpartition(":")
        contracts = (self.std_json_output or {}).get("contracts")
        held = contracts.get(path) if isinstance(contracts, dict) else None
        artifact = held.get(name) if isinstance(held, dict) else None
        return artifact if isinstance(artifact, dict) else None


def compiler_for_language(language: str) -> str:
    """Return the compiler of a language."""
    return "vyper" if language == "Vyper" else "solc"


def deployable_contracts(std_json_output: Json) -> Iterator[str]:
    """Yield the fully qualified names of an output's contracts that have bytecode."""
    contracts = std_json_output.get("contracts") if isinstance(std_json_output, dict) else None
    for path, held in contracts.items() if isinstance(contracts, dict) else ():
        for name, artifact in held.items() if isinstance(held, dict) else ():
            evm = artifact.get("evm") if isinstance(artifact, dict) else None
            bytecode = evm.get("bytecode") if isinstance(evm, dict) else None
            digits = bytecode.get("object") if isinstance(bytecode, dict) else None
            if isinstance(digits, str) and digits.removeprefix("0x"):
                yield f"{path}:{name}"


def choose_contract(names: Iterable[str], wanted: str | None) -> str:
    """Return the fully qualified name that a person means, who may have left out the path, or all of it.

    Args:
        names: the fully qualified names that there are.
        wanted: what the person says.

    Raises:
        CannotImport: if no name or more than one fits.
    """
    known = sorted(names)
    fitting = [name for name in known if wanted in (None, name, name.rpartition(":")[2])]
    if len(fitting) == 1:
        return fitting[0]
    shown = ", ".join((fitting or known)[:8]) + (" …" if len(fitting or known) > 8 else "")
    if not known:
        raise ContractImportError(
            "the compiler's output has no contract with bytecode", "look for errors in it"
        )
    if wanted is None:
        raise ContractImportError(f"there are {len(known)} contracts: {shown}", "say which with --contract")
    if not fitting:
        raise ContractImportError(f"there is no contract {wanted!r}", f"there are: {shown}")
    raise ContractImportError(f"{wanted!r} is the name of {len(fitting)} contracts", f"say which: {shown}")
