"""Integrity hashes against those that Vyper wrote; `vyper_integrity/make.py` made the data."""

import json
from itertools import islice, pairwise
from pathlib import Path

import pytest

from contracts.model.vyper_integrity.make import auxdata_of, overrides_of
from demo_network.compilers import TOOLS
from statuary.base.limits import MAX_IMPORT_DEPTH, MAX_IMPORTED_MODULES, MAX_INTEGRITY_TEXTS
from statuary.base.primitives import InvalidValueError
from statuary.contracts.checks.prove import CONTRACT_CHECKS
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.auxdata import parse_auxdata
from statuary.contracts.model.compiler_evidence import AuxdataStyle, SourceHash, compiler_evidence
from statuary.contracts.model.proof import CheckOutcome
from statuary.contracts.model.vyper_integrity import (
    Import,
    UnknownModuleError,
    VyperProgram,
    integrity_hashed_paths,
    integrity_hashes,
    parse_imports,
)
from statuary.extensions.compilers.compiler import detect_compiler
from support.requirements import absent

HERE = Path(__file__).parent / "vyper_integrity"
PROGRAMS = json.loads((HERE / "programs.json").read_text(encoding="utf-8"))
RELEASES = {
    made["compiler"]: made["auxdata"]
    for made in (json.loads(file.read_text(encoding="utf-8")) for file in sorted(HERE.glob("0.*.json")))
}
"""By compiler version and program: the auxdata, or null where the compiler rejects the program."""

UNKNOWN_RELEASE = "0.5.0b1+commit.577d2534"
"""A release whose own modules are not known here."""

NEEDS_UNKNOWN_MODULE = {
    "interfaces of the compiler",
    "interfaces of the compiler in an imported module",
    "a source with the name of an interface of the compiler",
    "the module of the compiler",
    "a source with the name of the module of the compiler",
}

COMPILED = [
    (version, name) for version, auxdata in RELEASES.items() for name, value in auxdata.items() if value
]
IS_UNKNOWN = [version == UNKNOWN_RELEASE and name in NEEDS_UNKNOWN_MODULE for version, name in COMPILED]
KNOWN = [case for case, is_unknown in zip(COMPILED, IS_UNKNOWN, strict=True) if not is_unknown]
UNKNOWN = [case for case, is_unknown in zip(COMPILED, IS_UNKNOWN, strict=True) if is_unknown]

CHECK = next(check for check in CONTRACT_CHECKS if check.name == "vyper-integrity-mismatch")


def recorded(value):
    """Order the members of an object as records do: by length, then by name."""
    if not isinstance(value, dict):
        return value
    return {key: recorded(value[key]) for key in sorted(value, key=lambda key: (len(key), key))}


def recorded_program(version, name):
    program = PROGRAMS[name]
    overrides = recorded(overrides_of(program, version))
    paths = program.get("searchPaths", ["."])
    return VyperProgram(program["main"], program["sources"], version, overrides, paths)


def hashes_of(program):
    return list(islice(integrity_hashes(program), MAX_INTEGRITY_TEXTS))


def written_hash(version, name):
    fields = parse_auxdata(bytes.fromhex(RELEASES[version][name]), AuxdataStyle.VYPER)
    return fields.hashes["integrity"].hex()


def record_of(version, name):
    """Return the members of a record that the check of the integrity hash reads."""
    program = PROGRAMS[name]
    main, overrides = program["main"], recorded(overrides_of(program, version))
    paths = {"search_paths": program["searchPaths"]} if "searchPaths" in program else {}
    auxdata = RELEASES[version][name]
    return {
        "compilation": {
            "language": "Vyper",
            "compilerVersion": version,
            "compilerSettings": {**program.get("settings", {}), **paths},
            "fullyQualifiedName": f"{main}:{Path(main).stem}",
        },
        "sources": {path: {"content": text} for path, text in program["sources"].items()},
        "additionalInput": overrides and {"storage_layout_overrides": overrides},
        "creationBytecode": {
            "recompiledBytecode": f"0x00{auxdata}",
            "cborAuxdata": {"1": {"offset": 1, "value": f"0x{auxdata}"}},
        },
    }


def check_result(record):
    [result] = CHECK.check_records([RecordView(record)])
    return result


@pytest.mark.parametrize(("version", "name"), KNOWN)
def test_integrity_hash_equals_compiler_output(version, name):
    assert written_hash(version, name) in hashes_of(recorded_program(version, name))


@pytest.mark.parametrize(("version", "name"), UNKNOWN)
def test_unknown_builtin_module_raises(version, name):
    with pytest.raises(UnknownModuleError, match="is not known here"):
        hashes_of(recorded_program(version, name))


@pytest.mark.parametrize(("version", "name"), KNOWN)
def test_check_of_compiled_record_passes(version, name):
    result = check_result(record_of(version, name))
    assert result.outcome is CheckOutcome.PASSED
    assert result.evidence == {"integrity": written_hash(version, name)}


@pytest.mark.parametrize(("version", "name"), UNKNOWN)
def test_unknown_vyper_module_skips_check(version, name):
    assert check_result(record_of(version, name)).outcome is CheckOutcome.NOT_APPLICABLE


@pytest.mark.parametrize(("version", "name"), KNOWN)
def test_change_of_hashed_source_fails(version, name):
    """Every hashed source decides the hash, and no other source does."""
    hashed = integrity_hashed_paths(recorded_program(version, name))
    for path in PROGRAMS[name]["sources"]:
        record = record_of(version, name)
        record["sources"][path]["content"] += " "
        expected = CheckOutcome.FAILED if path in hashed else CheckOutcome.PASSED
        assert check_result(record).outcome is expected, path


def test_unhashed_vyper_sources_are_listed():
    """Sources that no import names, and those that only an interface imports before 0.5.0."""
    unhashed = {
        (version.partition("+")[0], path)
        for version, name in KNOWN
        for path in PROGRAMS[name]["sources"].keys() - integrity_hashed_paths(recorded_program(version, name))
    }
    old = ("0.4.1", "0.4.2", "0.4.3")
    every = (*old, "0.5.0b1")
    assert unhashed == {
        *((version, "IB.vyi") for version in old),
        *((version, "other.vy") for version in every),
        *((version, "math.vy") for version in ("0.4.2", "0.4.3")),
        *((version, path) for version in every for path in ("a.json", "a.vyi", "b.json")),
        *((version, path) for version in every for path in ("lib/b.vy", "one/a.vy", "two/c.vy")),
    }


def test_compilers_accept_most_example_programs():
    """A table in which a compiler rejects most programs would prove little."""
    rejected = {
        (version.partition("+")[0], name)
        for version, auxdata in RELEASES.items()
        for name in PROGRAMS
        if auxdata[name] is None
    }
    lists, like_math = (
        "several names in one import",
        "a source whose name begins like the module of the compiler",
    )
    assert rejected == {
        *((version, lists) for version in ("0.4.1", "0.4.2", "0.4.3")),
        *((version, like_math) for version in ("0.4.2", "0.4.3", "0.5.0b1")),
        ("0.4.1", "the module of the compiler"),
    }


def test_integrity_fault_names_both_hashes():
    record = record_of("0.4.3+commit.bff19ea2", "absolute imports")
    record["sources"]["lib/c.vy"]["content"] += "# changed"
    [finding] = check_result(record).findings
    assert written_hash("0.4.3+commit.bff19ea2", "absolute imports") in finding.message
    assert finding.pointer == ("creationBytecode", "cborAuxdata", "1")


def test_integrity_without_source_names_import():
    record = record_of("0.4.3+commit.bff19ea2", "absolute imports")
    del record["sources"]["lib/c.vy"]
    [finding] = check_result(record).findings
    assert "'main.vy' imports 'lib.c', which is not among the sources" in finding.message


def program(text, /, **sources):
    texts = {"main.vy": text} | {f"{name}.vy": text for name, text in sources.items()}
    return VyperProgram("main.vy", texts, "0.4.3")


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("import a", [(0, "a")]),
        ("from . import a", [(1, "a")]),
        ("from.a import b", [(1, "a.b")]),
        ("from ... a . b import c as d", [(3, "a.b.c")]),
        ("import a.b as as_c", [(0, "a.b")]),
        ("from a import(b as c,\n  d,)\nimport e", [(0, "a.b"), (0, "a.d"), (0, "e")]),
        ("imports: uint256\nfrom_: uint256\n importer", []),
        ("x: String[9] = 'import a'\n'''\nimport b\n'''\n# import c", []),
    ],
)
def test_import_statements_are_parsed(text, imports):
    assert parse_imports(text) == [Import(*expected) for expected in imports]


@pytest.mark.parametrize(
    "text", ["import", "from a", "from a import", "import *", "import a.", "from . import a-b"]
)
def test_unreadable_import_raises(text):
    with pytest.raises(InvalidValueError, match="does not name a module"):
        parse_imports(text)
    with pytest.raises(InvalidValueError, match="does not name a module"):
        hashes_of(program(text))


def test_cyclic_import_raises():
    with pytest.raises(InvalidValueError, match="imports itself"):
        hashes_of(program("import a", a="import b", b="import a"))


def test_import_depth_is_limited():
    def chain(modules):
        names = [f"m{number}" for number in range(modules)]
        texts = {name: f"import {following}" for name, following in pairwise(names)}
        return program("import m0", **texts, **{names[-1]: ""})

    assert hashes_of(chain(MAX_IMPORT_DEPTH))
    with pytest.raises(InvalidValueError, match="nested deeper than"):
        hashes_of(chain(MAX_IMPORT_DEPTH + 1))


def test_import_count_is_limited():
    sources = {f"m{number}": "" for number in range(MAX_IMPORTED_MODULES + 1)}
    statements = [f"import {name}\n" for name in sources]
    assert hashes_of(program("".join(statements[1:]), **sources))
    with pytest.raises(InvalidValueError, match=f"imports {MAX_IMPORTED_MODULES + 1} modules"):
        hashes_of(program("".join(statements), **sources))


def test_absent_builtin_module_raises():
    with pytest.raises(InvalidValueError, match=r"0\.4\.3 has no module 'ethereum\.ercs\.IERC9999'"):
        hashes_of(program("from ethereum.ercs import IERC9999"))


def test_module_below_unknown_path_is_found():
    """A record may lack the search path of its input: the module is where its name ends a path."""
    main = "from lib import a"
    elsewhere = VyperProgram("main.vy", {"main.vy": main, "vendor/lib/a.vy": "", "lib/b.vy": ""}, "0.4.3")
    assert hashes_of(elsewhere) == hashes_of(
        VyperProgram("main.vy", {"main.vy": main, "lib/a.vy": ""}, "0.4.3")
    )


def test_import_above_root_raises():
    with pytest.raises(InvalidValueError, match="not among the sources"):
        hashes_of(program("from .. import a", a=""))


def test_main_module_without_source_raises():
    with pytest.raises(InvalidValueError, match=r"'main\.vy' is not among the sources"):
        hashes_of(VyperProgram("main.vy", {}, "0.4.3"))


@pytest.mark.parametrize(
    ("version", "has_hash"),
    [("0.4.0", False), ("0.3.10", False), ("0.4.1", True), ("0.4.1rc1", True), ("0.5.0", True)],
)
def test_integrity_hash_begins_with_release(version, has_hash):
    assert (compiler_evidence("Vyper", version).source_hash is SourceHash.INTEGRITY) is has_hash


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vyper-0.3.10", "vyper-0.4.3"])
def test_installed_compiler_writes_recorded_auxdata(name):
    file = TOOLS / "bin" / name
    if not file.exists():
        absent(str(file), ".ci/install-compilers")
    compiler = detect_compiler("vyper", file)
    recorded_auxdata = RELEASES.get(compiler.version)
    if recorded_auxdata is None:
        auxdata = auxdata_of(compiler, PROGRAMS["no imports"])
        assert not parse_auxdata(bytes.fromhex(auxdata), AuxdataStyle.VYPER).hashes
        assert compiler_evidence("Vyper", compiler.version).source_hash is SourceHash.NONE
        return
    assert {program: auxdata_of(compiler, PROGRAMS[program]) for program in PROGRAMS} == recorded_auxdata
