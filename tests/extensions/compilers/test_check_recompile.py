"""`statuary check --recompile` as users see it: compilers, messages and exit codes."""

import json

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from support.contracts import NAME, PATH, made_record
from support.sites import NOW, SMALL_SITE, write_files

VERSION = "0.8.30+commit.73712a01"


@pytest.fixture
def content(tmp_path):
    record = made_record("plain") | {"chainId": "748463"}
    text = json.dumps(record, separators=(",", ":"))
    return write_files(
        tmp_path / "content", {**SMALL_SITE, f"contracts/748463/{record['address']}.json": text}
    )


def compiler(folder, *, version=VERSION, **changes):
    """Write a program that compiles every input to the made contract, some members changed."""
    output = made_record("plain")["stdJsonOutput"]
    output["contracts"][PATH][NAME] |= changes
    (folder / "output.json").write_text(json.dumps(output))
    program = folder / "solc"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "Version: {version}.Linux.g++"; else cat {folder}/output.json; fi\n'
    )
    program.chmod(0o755)
    return program


def check(content, *options):
    result = CliRunner().invoke(command, ["check", "--content", str(content), "--now", NOW, *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_identical_recompilation_has_no_findings(content, tmp_path):
    result = check(content, "--recompile", "--compiler", f"solc={compiler(tmp_path)}")
    assert result.exit_code == ExitCode.OK
    assert result.stdout == "1 of 1 records compiled again, 1 of them identical\nno errors or warnings\n"


def test_differing_recompilation_fails_check(content, tmp_path):
    program = compiler(tmp_path, devdoc={"kind": "dev", "methods": {}, "version": 1, "title": "another"})
    result = check(content, "--recompile", "--compiler", f"solc={program}")
    assert result.exit_code == ExitCode.FINDINGS
    assert "devdoc.title is 'Ein Prüfling', the compiler gives 'another'" in result.stdout
    assert "[recompilation-mismatch]" in result.stdout
    assert "1 of 1 records compiled again, 0 of them identical\n1 error, 0 warnings" in result.stdout


def test_missing_compiler_version_gives_warning(content, tmp_path):
    options = ["--recompile", "--compiler", f"solc={compiler(tmp_path, version='0.8.29+commit.ab55807c')}"]
    result = check(content, *options)
    assert result.exit_code == ExitCode.OK
    assert f"no compiler for solc {VERSION}: 1 record was not compiled again" in result.stdout
    assert check(content, *options, "--strict").exit_code == ExitCode.FINDINGS


def test_compiler_on_path_is_default(content, tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    compiler(programs)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    assert "1 of 1 records compiled again, 1 of them identical" in check(content, "--recompile").stdout


def test_check_recompile_json_contains_only_findings(content, tmp_path):
    options = ["--recompile", "--compiler", f"solc={compiler(tmp_path, abi=[])}", "--format", "json"]
    rules = [finding["rule"] for finding in json.loads(check(content, *options).stdout)["findings"]]
    assert rules == ["recompilation-mismatch"]


USAGE = {
    "a kind that is none": ("gcc=/bin/true", "is not KIND=PATH"),
    "no path": ("solc=", "is not KIND=PATH"),
    "no such program": ("solc=/nowhere/solc", "there is no program /nowhere/solc"),
    "no compiler": ("solc=/bin/true", "prints no version"),
}


@pytest.mark.parametrize("case", USAGE)
def test_invalid_compiler_option_fails(case, content):
    given, message = USAGE[case]
    result = check(content, "--recompile", "--compiler", given)
    assert result.exit_code == ExitCode.USAGE
    assert message in result.stderr


def test_compiler_option_requires_recompile(content, tmp_path):
    result = check(content, "--compiler", f"solc={compiler(tmp_path)}")
    assert result.exit_code == ExitCode.USAGE


def test_check_lists_recompilation_rule():
    assert (
        "recompilation-mismatch\terror\trecompile\t"
        in CliRunner().invoke(command, ["check", "--list"]).stdout
    )
