"""Any tool chain's file to a compilation: what it is, is told by what it holds."""

from pathlib import Path

from statuary.importing.foundry import is_foundry_file, read_foundry
from statuary.importing.hardhat import is_hardhat_file, read_hardhat
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.input_files import read_json_file
from statuary.importing.standard_json import is_standard_json, read_standard_json, with_version

SUPPORTED_FILES = (
    "a compiler's standard JSON input, an artifact or build-info of Hardhat's, or an artifact or build-info"
    " of Foundry's"
)


def read_compilation(
    file: Path,
    *,
    output: Path | None = None,
    wanted: str | None = None,
    version: str | None = None,
    project: Path | None = None,
) -> ImportedCompilation:
    """Return what a file, and those that it leads to, say of one contract's compilation.

    Args:
        file: standard JSON input, or a file of Hardhat's or Foundry's.
        output: the compiler's output, for standard JSON.
        wanted: the contract's name, fully qualified or not.
        version: the compiler's version, where a person gives it.
        project: the folder of a Foundry project, where it is not above the file.

    Raises:
        CannotImport: if it is none of these, or does not tell what is needed.
    """
    value = read_json_file(file)
    if is_standard_json(value):
        return read_standard_json(value, output, wanted, version)
    if output is not None:
        raise ContractImportError(
            "--output goes with standard JSON input", f"leave it out: {file} is something else"
        )
    if is_hardhat_file(value):
        return with_version(read_hardhat(file, value, wanted), version)
    if is_foundry_file(value):
        return with_version(read_foundry(file, value, wanted, project), version)
    raise ContractImportError(f"{file} is nothing that can be read here", f"name {SUPPORTED_FILES}")
