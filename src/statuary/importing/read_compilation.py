"""Read the compilation of one contract from the files of a compiler, Hardhat or Foundry."""

from pathlib import Path

from statuary.importing.foundry import is_foundry_file, read_foundry
from statuary.importing.hardhat import is_hardhat_file, read_hardhat
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.input_files import read_json_file
from statuary.importing.standard_json import is_standard_json, read_standard_json, with_compiler_version


def read_compilation(
    file: Path,
    *,
    output: Path | None = None,
    contract_name: str | None = None,
    version: str | None = None,
    project: Path | None = None,
) -> ImportedCompilation:
    """Return the compilation of one contract; the format is recognized by the file's content.

    Args:
        file: standard JSON input, or a file that Hardhat or Foundry wrote.
        output: the compiler's output, for standard JSON input.
        contract_name: the contract, fully qualified or not.
        version: the compiler version from the command line.
        project: the folder of a Foundry project; None to look for it above the file.

    Raises:
        ContractImportError: if the format is unknown or something needed is missing.
    """
    value = read_json_file(file)
    if is_standard_json(value):
        compilation = read_standard_json(value, output, contract_name)
    elif output is not None:
        raise ContractImportError(
            "--output is only for standard JSON input", f"leave it out: {file} has another format"
        )
    elif is_hardhat_file(value):
        compilation = read_hardhat(file, value, contract_name)
    elif is_foundry_file(value):
        compilation = read_foundry(file, value, contract_name, project)
    else:
        raise ContractImportError(
            f"{file} has an unknown format",
            "give standard JSON input of a compiler, or an artifact or build-info of Hardhat or Foundry",
        )
    return with_compiler_version(compilation, version)
