"""`statuary contract compile`: the evidence beside a contract, and what a build publishes of it."""

import json
import subprocess
from hashlib import sha256

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from support.contracts import NAME, PATH, made_record
from support.sites import NOW, SMALL_SITE, write_files

VERSION = "0.8.30+commit.73712a01"
CHAIN = "748463"


@pytest.fixture(params=["plain", "everything"])
def record(request):
    return made_record(request.param) | {"chainId": CHAIN}


@pytest.fixture
def content(record, tmp_path):
    text = json.dumps(record, separators=(",", ":"))
    return write_files(
        tmp_path / "content", {**SMALL_SITE, f"contracts/{CHAIN}/{record['address']}.json": text}
    )


@pytest.fixture
def solc(record, tmp_path):
    """Write a program that compiles every input to the contract."""
    return write_compiler(tmp_path, record["stdJsonOutput"])


def write_compiler(folder, output, version=VERSION):
    (folder / "output.json").write_text(json.dumps(output))
    program = folder / "solc"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "Version: {version}"; else cat {folder}/output.json; fi\n'
    )
    program.chmod(0o755)
    return program


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def compile_contracts(content, solc, *addresses):
    return run("contract", "compile", "--content", content, "--compiler", f"solc={solc}", *addresses)


def claim(content, record, *options):
    """Build the site and return claim C in the published proof."""
    built = run("build", "--content", content, "--out", content.parent / "site", "--now", NOW, *options)
    assert built.exit_code == ExitCode.OK, built.output
    return published_proof(content, record)["claims"]["compiled"]


def published_proof(content, record):
    return json.loads((content.parent / "site" / "proof" / CHAIN / f"{record['address']}.json").read_bytes())


def evidence_file(content, record):
    return content / "contracts" / CHAIN / record["address"] / "compilation.json"


@pytest.mark.slow
def test_compilation_evidence_is_written_and_published(content, record, solc):
    assert claim(content, record)["status"] == "not_shown"
    result = compile_contracts(content, solc)
    assert result.exit_code == ExitCode.OK, result.output
    evidence = json.loads(evidence_file(content, record).read_bytes())
    published = (content.parent / "site" / "v2/contract" / CHAIN / record["address"]).read_bytes()
    assert evidence["record"] == sha256(published).hexdigest()
    assert evidence["compiler_version"] == VERSION
    assert evidence["compiler_sha256"] == sha256(solc.read_bytes()).hexdigest()
    assert {"abi", "creationBytecode.recompiledBytecode", "runtimeBytecode.transformations"} <= set(
        evidence["members"]
    )
    shown = claim(content, record)
    assert shown["status"] == "stated_by_a_file"
    assert shown["evidence"] == {
        "compilerVersion": VERSION,
        "compilerSha256": evidence["compiler_sha256"],
        "inputSha256": evidence["input_sha256"],
        "outputSha256": evidence["output_sha256"],
        "statuary": evidence["statuary"],
    }


@pytest.mark.slow
def test_changed_record_invalidates_compilation_evidence(content, record, solc):
    compile_contracts(content, solc)
    assert claim(content, record)["status"] == "stated_by_a_file"
    file = content / "contracts" / CHAIN / f"{record['address']}.json"
    file.write_text(json.dumps(record | {"matchId": "77"}, separators=(",", ":")))
    lost = claim(content, record)
    assert (lost["status"], lost["reason"]) == (
        "not_shown",
        "the submitted recompilation is of another record",
    )


@pytest.mark.slow
def test_removed_compilation_evidence_is_not_published(content, record, solc):
    compile_contracts(content, solc)
    assert claim(content, record)["status"] == "stated_by_a_file"
    evidence_file(content, record).unlink()
    evidence_file(content, record).parent.rmdir()
    assert claim(content, record)["status"] == "not_shown"


def commit(content):
    git = ["git", "-C", str(content), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "a change"], check=True)


def test_committed_compilation_evidence_is_published(content, record, solc):
    subprocess.run(["git", "init", "-q", str(content)], check=True)
    commit(content)
    assert claim(content, record)["status"] == "not_shown"
    compile_contracts(content, solc)
    commit(content)
    assert claim(content, record)["status"] == "stated_by_a_file"
    assert claim(content, record)["status"] == "stated_by_a_file"
    evidence_file(content, record).unlink()
    commit(content)
    assert claim(content, record)["status"] == "not_shown"


@pytest.mark.slow
def test_unchanged_build_keeps_contract_proof_file(content, record, solc):
    compile_contracts(content, solc)
    claim(content, record)
    proof = content.parent / "site" / "proof" / CHAIN / f"{record['address']}.json"
    before = proof.stat()
    claim(content, record)
    assert (proof.stat().st_ino, proof.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_differing_compilation_writes_no_evidence(content, record, tmp_path):
    output = json.loads(json.dumps(record["stdJsonOutput"]))
    output["contracts"][PATH][NAME]["abi"] = []
    result = compile_contracts(content, write_compiler(tmp_path, output))
    assert result.exit_code == ExitCode.FINDINGS
    assert "[recompilation-mismatch]" in result.stderr
    assert not evidence_file(content, record).exists()


def test_missing_compiler_writes_no_evidence(content, record, tmp_path):
    solc = write_compiler(tmp_path, record["stdJsonOutput"], version="0.8.29+commit.ab55807c")
    result = compile_contracts(content, solc)
    assert result.exit_code == ExitCode.OK
    assert f"no compiler for solc {VERSION}" in result.stderr
    assert not evidence_file(content, record).exists()


def test_compile_of_unknown_address_fails(content, solc):
    result = compile_contracts(content, solc, "0x" + "11" * 20)
    assert result.exit_code == ExitCode.FAILED
    assert f"no contract file or workspace has the address 0x{'11' * 20}" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["{", "[]", '{"record": "ab"}', '{"record": 5, "x": 1}'])
def test_damaged_compilation_evidence_gives_note(damage, content, record, solc):
    compile_contracts(content, solc)
    evidence_file(content, record).write_text(damage)
    result = run("check", "--content", content, "--now", NOW)
    assert result.exit_code == ExitCode.OK
    assert f"contracts/{CHAIN}/{record['address']}/compilation.json" in result.output
    assert claim(content, record)["status"] == "not_shown"
