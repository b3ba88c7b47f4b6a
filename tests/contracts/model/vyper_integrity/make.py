"""Write the auxdata that Vyper puts at the end of the creation code of each program of `programs.json`.

    python tests/contracts/model/vyper_integrity/make.py .compilers/bin/vyper-0.4.3 ...

makes `<release>.json` for each compiler, with null for programs that it does not compile.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from statuary.contracts.model.auxdata import find_trailing_auxdata
from statuary.contracts.model.compiler_evidence import AuxdataStyle
from statuary.extensions.compilers.compiler import Compiler, CompilerError, detect_compiler
from statuary.system.programs import RunLimits

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs.json"
NESTED_OVERRIDES_SINCE = "0.4.2"
"""The first release whose overrides are one level deeper, below the path of their file."""


def overrides_of(program: dict[str, Any], version: str) -> dict[str, Any] | None:
    """Return `storage_layout_overrides` as a release takes them."""
    if "overrides" not in program:
        return None
    is_nested = version >= NESTED_OVERRIDES_SINCE
    layout = {"layout.json": program["overrides"]} if is_nested else program["overrides"]
    return {program.get("overridesOf", program["main"]): layout}


def creation_code(compiler: Compiler, program: dict[str, Any]) -> bytes | None:
    """Return the creation code of a program, or None if it does not compile."""
    return from_files(compiler, program) if program.get("files") else from_json(compiler, program)


def from_json(compiler: Compiler, program: dict[str, Any]) -> bytes | None:
    main, overrides = program["main"], overrides_of(program, compiler.version)
    search_paths = {"search_paths": program["searchPaths"]} if "searchPaths" in program else {}
    standard_input = {
        "language": "Vyper",
        "sources": {path: {"content": text} for path, text in program["sources"].items()},
        "settings": {
            **program.get("settings", {}),
            **search_paths,
            "outputSelection": {main: ["evm.bytecode.object"]},
        },
    }
    if overrides is not None:
        standard_input["storage_layout_overrides"] = overrides
    try:
        output: Any = compiler.compile(standard_input, RunLimits())
    except CompilerError:
        return None
    return bytes.fromhex(output["contracts"][main][Path(main).stem]["evm"]["bytecode"]["object"][2:])


def from_files(compiler: Compiler, program: dict[str, Any]) -> bytes | None:
    """Compile files: standard JSON takes no two sources whose names differ only in folder or suffix."""
    with TemporaryDirectory() as name:
        for path, text in program["sources"].items():
            file = Path(name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, newline="")
        paths = [option for path in program.get("searchPaths", ["."]) for option in ("-p", path)]
        command = [compiler.path, *paths, "--disable-sys-path", "-f", "bytecode", program["main"]]
        ended = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
    return None if ended.returncode else bytes.fromhex(ended.stdout.strip()[2:])


def auxdata_of(compiler: Compiler, program: dict[str, Any]) -> str | None:
    """Return the auxdata of a program's creation code as hex digits, or None if it does not compile."""
    code = creation_code(compiler, program)
    return None if code is None else find_trailing_auxdata(code, AuxdataStyle.VYPER).value.hex()


def main(programs: list[str]) -> None:
    """Write a file for each compiler."""
    for path in programs:
        compiler = detect_compiler("vyper", Path(path).absolute())
        programs_by_name = json.loads(PROGRAMS.read_text(encoding="utf-8"))
        auxdata = {name: auxdata_of(compiler, program) for name, program in programs_by_name.items()}
        made = {"compiler": compiler.version, "auxdata": auxdata}
        file = HERE / f"{compiler.version.partition('+')[0]}.json"
        file.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
