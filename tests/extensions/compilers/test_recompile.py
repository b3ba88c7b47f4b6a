"""Compiling again, with compilers of a few lines: their output is compared with the record, and they are held to limits.

tests/demo_network does the same with the real ones.
"""

import copy
import json
import shlex
import sys
import threading
import time

import pytest

from statuary.base.findings import Severity
from statuary.base.progress import NoProgress
from statuary.engine.read_content import read_content
from statuary.extensions.compilers.compiler import Compiler, CompilerError, detect_compiler, find_compiler
from statuary.extensions.compilers.recompile import RecompileOptions, recompile_contracts
from statuary.system.programs import RunLimits, run_program, stop_all_programs
from support.contracts import FEATURES, NAME, PATH, made_record
from support.sites import SMALL_SITE, write_files

VERSION = "0.8.30+commit.73712a01"


def program(folder, body, *, name="solc", version=f"Version: {VERSION}.Linux.g++"):
    """Write a program that prints a version, and otherwise runs the shell lines of `body`."""
    file = folder / name
    file.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; exit; fi\n{body}\n')
    file.chmod(0o755)
    return file


def saying(folder, output, **named):
    """Write a compiler that gives this output for every input."""
    (folder / "output.json").write_text(json.dumps(output))
    return detect_compiler("solc", program(folder, f"cat {folder / 'output.json'}", **named))


def site(folder, *records):
    files = {f"contracts/748463/{record['address']}.json": json.dumps(record) for record in records}
    return write_files(folder / "content", {**SMALL_SITE, **files})


def recompiled(content, *compilers, **limits):
    options = RecompileOptions(compilers=compilers, limits=RunLimits(**limits), workers=2)
    return recompile_contracts(content, read_content(content).site, options, NoProgress())


def at(record, number):
    """Return a copy of a record at another address."""
    return record | {"address": f"0x{number:040d}", "matchId": str(number)}


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES)
def test_identical_compiler_output_has_no_findings(feature, tmp_path):
    record = made_record(feature)
    again = recompiled(site(tmp_path, record), saying(tmp_path, record["stdJsonOutput"]))
    assert (again.compiled, again.identical, again.findings) == (1, 1, ())


def code(output):
    return output["contracts"][PATH][NAME]["evm"]


def change_bytecode(output):
    code(output)["bytecode"]["object"] = "61" + code(output)["bytecode"]["object"][2:]


def change_runtime_source_map(output):
    code(output)["deployedBytecode"]["sourceMap"] = "0:1:0"


def change_link_references(output):
    code(output)["deployedBytecode"]["linkReferences"].popitem()


def change_immutable_references(output):
    code(output)["deployedBytecode"]["immutableReferences"]["12"][0]["start"] += 1


def change_abi(output):
    output["contracts"][PATH][NAME]["abi"][0]["stateMutability"] = "payable"


def change_metadata(output):
    contract = output["contracts"][PATH][NAME]
    contract["metadata"] = json.dumps(json.loads(contract["metadata"]) | {"version": 2})


def change_devdoc(output):
    output["contracts"][PATH][NAME]["devdoc"]["title"] = "another"


def change_userdoc(output):
    del output["contracts"][PATH][NAME]["userdoc"]


def change_storage_layout(output):
    output["contracts"][PATH][NAME]["storageLayout"]["storage"] += [{"slot": "0"}]


def change_source_ids(output):
    output["sources"][PATH]["id"] += 1


CHANGES = {
    change_bytecode: ("creationBytecode", "recompiledBytecode"),
    change_runtime_source_map: ("runtimeBytecode", "sourceMap"),
    change_link_references: ("runtimeBytecode", "linkReferences", "contracts/B.sol"),
    change_immutable_references: ("runtimeBytecode", "immutableReferences", "12", 0, "start"),
    change_abi: ("abi", 0, "stateMutability"),
    change_metadata: ("metadata", "version"),
    change_devdoc: ("devdoc", "title"),
    change_userdoc: ("userdoc",),
    change_storage_layout: ("storageLayout", "storage"),
    change_source_ids: ("sourceIds", PATH, "id"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_compiler_output_finding_has_pointer(change, tmp_path):
    record = made_record("everything")
    output = copy.deepcopy(record["stdJsonOutput"])
    change(output)
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert (again.compiled, again.identical) == (1, 0)
    assert CHANGES[change] in {finding.pointer for finding in again.findings}
    assert {finding.severity for finding in again.findings} == {Severity.ERROR}
    assert all(finding.position is not None for finding in again.findings)


@pytest.mark.parametrize("member", ["abi", "metadata", "devdoc", "userdoc"])
def test_null_field_unlike_compilation_is_error(member, tmp_path):
    record = made_record("plain")
    output = copy.deepcopy(record["stdJsonOutput"])
    record[member] = None
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert [(one.pointer, one.severity) for one in again.findings] == [((member,), Severity.ERROR)]


@pytest.mark.parametrize("member", ["storageLayout", "transientStorageLayout"])
def test_missing_storage_layout_gives_warning(member, tmp_path):
    record = made_record("plain")
    output = copy.deepcopy(record["stdJsonOutput"])
    output["contracts"][PATH][NAME][member] = {"storage": [], "types": None}
    record[member] = None
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert [(one.pointer, one.severity) for one in again.findings] == [((member,), Severity.WARNING)]


def test_foundry_layout_without_types_matches(tmp_path):
    record = made_record("plain")
    output = copy.deepcopy(record["stdJsonOutput"])
    output["contracts"][PATH][NAME]["transientStorageLayout"] = {"storage": [], "types": None}
    record["transientStorageLayout"] = {"types": {}, "storage": []}
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert (again.identical, list(again.findings)) == (1, [])


def shift_an_immutable(record):
    steps = record["runtimeBytecode"]["transformations"]
    next(step for step in steps if step["reason"] == "immutable")["offset"] += 1


def change_library_address(record):
    values = record["runtimeBytecode"]["transformationValues"]["libraries"]
    values[next(iter(values))] = "0x" + "ab" * 20


def drop_constructor_arguments(record):
    record["creationBytecode"]["transformations"].pop()


TRANSFORMATIONS = {
    shift_an_immutable: "runtimeBytecode",
    change_library_address: "runtimeBytecode",
    drop_constructor_arguments: "creationBytecode",
}


@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_transformations_unlike_compiler_output_are_error(change, tmp_path):
    record = made_record("everything")
    output = copy.deepcopy(record["stdJsonOutput"])
    change(record)
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert [one.pointer for one in again.findings] == [(TRANSFORMATIONS[change], "transformations")]


def test_match_level_contradicting_recompilation_is_error(tmp_path):
    record = made_record("plain")
    output = copy.deepcopy(record["stdJsonOutput"])
    record["runtimeBytecode"]["onchainBytecode"] += "00"
    again = recompiled(site(tmp_path, record), saying(tmp_path, output))
    assert ("runtimeMatch",) in {one.pointer for one in again.findings}


def test_layouts_differing_by_ast_ids_match(tmp_path):
    record = made_record("everything")
    output = copy.deepcopy(record["stdJsonOutput"])
    text = json.dumps(record)
    assert text.count('"12"') > 2
    record = json.loads(text.replace('"12"', '"37704"'))
    assert recompiled(site(tmp_path, record), saying(tmp_path, output)).findings == ()


def test_compiler_receives_input_and_output_selection(tmp_path):
    record = made_record("plain")
    body = f"cat > {tmp_path}/asked.json; pwd > {tmp_path}/where; ls -A > {tmp_path}/there; exit 3"
    [finding] = recompiled(
        site(tmp_path, record), detect_compiler("solc", program(tmp_path, body, name="solcjs"))
    ).findings
    assert "the compiler exited with code 3 and did not write JSON" in finding.message
    requested = json.loads((tmp_path / "asked.json").read_text())
    selection = requested["settings"].pop("outputSelection")
    assert requested == record["stdJsonInput"]
    assert set(selection) == {PATH}
    assert set(selection[PATH]) == {NAME}
    assert {"abi", "metadata", "evm.deployedBytecode.immutableReferences"} <= set(selection[PATH][NAME])
    assert (tmp_path / "there").read_text() == ""
    assert str(tmp_path) not in (tmp_path / "where").read_text()


def test_missing_compiler_reports_skipped_records(tmp_path):
    record = made_record("plain")
    older = copy.deepcopy(record)
    older["compilation"]["compilerVersion"] = "0.8.29+commit.ab55807c"
    vyper = copy.deepcopy(older)
    vyper["compilation"] |= {"compiler": "vyper", "compilerVersion": "0.4.3+commit.bff19ea2"}
    content = site(tmp_path, record, at(older, 1), at(older, 2), at(vyper, 3))
    again = recompiled(content, saying(tmp_path, record["stdJsonOutput"]))
    assert (again.compiled, again.identical) == (1, 1)
    solc_absent, vyper_absent = again.findings
    assert solc_absent.message == (
        f"no compiler for solc 0.8.29+commit.ab55807c: 2 records were not compiled again (found: solc {VERSION})"
    )
    assert (
        vyper_absent.message == "no compiler for vyper 0.4.3+commit.bff19ea2: 1 record was not compiled again"
    )
    assert {solc_absent.severity, vyper_absent.severity} == {Severity.WARNING}


def test_bulk_file_records_are_recompiled(tmp_path):
    records = [at(made_record("everything"), number) for number in (1, 2, 3)]
    output = copy.deepcopy(records[0]["stdJsonOutput"])
    records[1]["devdoc"]["title"] = "another"
    lines = "".join(json.dumps(copy.deepcopy(record), separators=(",", ":")) + "\n" for record in records)
    content = write_files(tmp_path / "content", {**SMALL_SITE, "contracts/all.jsonl": lines})
    again = recompiled(content, saying(tmp_path, output))
    assert (again.records, again.compiled, again.identical) == (3, 3, 2)
    [finding] = again.findings
    assert finding.pointer == ("devdoc", "title")
    assert (finding.path, finding.position.line) == ("contracts/all.jsonl", 2)


def test_compiler_is_selected_by_exact_version(tmp_path):
    def compiler_of(version):
        return Compiler(kind="solc", path=tmp_path / version, version=version)

    compilers = [
        compiler_of("0.8.29+commit.ab55807c"),
        compiler_of(VERSION),
        compiler_of("0.8.31+commit.fd3a2265"),
    ]
    assert find_compiler(compilers, "solc", VERSION) is compilers[1]
    assert find_compiler(compilers, "vyper", VERSION) is None


def test_identical_compiler_inputs_are_compiled_once(tmp_path):
    record = made_record("plain")
    (tmp_path / "output.json").write_text(json.dumps(record["stdJsonOutput"]))
    body = f"echo run >> {tmp_path}/runs; cat {tmp_path}/output.json"
    content = site(tmp_path, *(at(record, number) for number in range(1, 6)))
    options = RecompileOptions(compilers=[detect_compiler("solc", program(tmp_path, body))])
    again = recompile_contracts(content, read_content(content).site, options, NoProgress())
    assert (again.compiled, again.identical) == (5, 5)
    assert (tmp_path / "runs").read_text() == "run\n"


def test_rejected_compiler_input_gives_error(tmp_path):
    errors = [
        {"severity": "warning", "message": "unused"},
        {"severity": "error", "formattedMessage": "ParserError: Expected ';'"},
    ]
    [finding] = recompiled(
        site(tmp_path, made_record("plain")), saying(tmp_path, {"errors": errors})
    ).findings
    assert finding.severity is Severity.ERROR
    assert (
        finding.message
        == f"solc {VERSION}: the compiler reports errors in the input: ParserError: Expected ';'"
    )


def test_compiler_output_without_contract_is_error(tmp_path):
    [finding] = recompiled(site(tmp_path, made_record("plain")), saying(tmp_path, {"contracts": {}})).findings
    assert finding.severity is Severity.ERROR
    assert f"the compiler's output has no contract {PATH}:{NAME}" in finding.message


HOSTILE = {
    "says nothing": ("true", "the compiler exited with code 0 and did not write JSON"),
    "dies": (
        "echo Segmentation fault >&2; kill -9 $$",
        "the compiler exited with code -9 and did not write JSON",
    ),
    "is no JSON": ("echo '{not json'", "not write JSON"),
    "is a list": ("echo '[1]'", "not write JSON"),
    "is too deep": (f'{shlex.quote(sys.executable)} -c "print(\'{{\\"a\\":\' * 10000)"', "not write JSON"),
    "talks for ever": ("yes '{'", "the output has more than 65,536 bytes"),
    "sleeps": ("sleep 3600", "the program did not finish within 1 seconds"),
    "sleeps in a child": ("sleep 3600 & wait", "the program did not finish within 1 seconds"),
    "eats memory": (f'{shlex.quote(sys.executable)} -c "x = bytearray(1 << 30)"', "MemoryError"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_compiler_exceeding_limits_gives_warning(kind, tmp_path):
    body, message = HOSTILE[kind]
    content = site(tmp_path, made_record("plain"))
    limits = {"seconds": 1, "memory_bytes": 1 << 28, "output_bytes": 1 << 16}
    [finding] = recompiled(content, detect_compiler("solc", program(tmp_path, body)), **limits).findings
    assert message in finding.message
    assert finding.severity is Severity.WARNING


def test_text_before_compiler_json_is_skipped(tmp_path):
    record = made_record("plain")
    (tmp_path / "output.json").write_text(json.dumps(record["stdJsonOutput"]))
    talkative = detect_compiler(
        "solc", program(tmp_path, f"echo '>>> no SMT solvers'; cat {tmp_path}/output.json")
    )
    assert recompiled(site(tmp_path, record), talkative).findings == ()


def test_compiler_without_version_is_rejected(tmp_path):
    silent = program(tmp_path, "true", version="")
    with pytest.raises(CompilerError, match="prints no version"):
        detect_compiler("solc", silent)
    with pytest.raises(CompilerError, match="there is no program"):
        detect_compiler("solc", tmp_path / "absent")
    silent.chmod(0o644)
    with pytest.raises(CompilerError, match="is not executable"):
        detect_compiler("solc", silent)


def test_unreadable_record_is_skipped(tmp_path):
    record = made_record("plain")
    content = site(tmp_path, record)
    (content / "contracts/748463" / f"{record['address']}.json").write_text("{")
    again = recompiled(content, saying(tmp_path, record["stdJsonOutput"]))
    assert (again.compiled, again.findings) == (0, ())


def test_running_compiler_can_be_stopped():
    ended = []

    def run():
        ended.append(run_program(RunLimits(seconds=60), ["sleep", "60"]).exit_code)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:
        stop_all_programs()
        time.sleep(0.01)
    thread.join(1)
    assert ended == [-9]


def test_missing_compiler_program_is_reported(tmp_path):
    compiler = detect_compiler("solc", program(tmp_path, "true"))
    compiler.path.unlink()
    with pytest.raises(CompilerError, match="code 127 and did not write JSON"):
        compiler.compile({}, RunLimits(seconds=5))
