"""`statuary check RECORD`: one record, without a site."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from support.contracts import made_record

CODE = "0x6001"


def check(folder: Path, text: str, *options: str, name: str = "record.json") -> Result:
    file = folder / name
    file.write_text(text)
    return CliRunner().invoke(command, ["check", str(file), *options])


def changed(**members: object) -> str:
    return json.dumps(made_record() | members)


def with_runtime(onchain: str | None) -> str:
    side = made_record()["runtimeBytecode"] | {
        "onchainBytecode": onchain,
        "transformations": None,
        "transformationValues": None,
    }
    return changed(runtimeMatch=None, match=made_record()["creationMatch"], runtimeBytecode=side)


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        (changed(), ExitCode.OK, "within the record; the sources were not recompiled."),
        (with_runtime(None), ExitCode.OK, "The code at the address was not checked"),
        (with_runtime(CODE), ExitCode.FINDINGS, "Contradicted: the on-chain code is not the compiled code."),
        (with_runtime("0x"), ExitCode.FINDINGS, "Contradicted: according to the record, there is no code"),
        (changed(signatures={"function": [], "event": [], "error": []}), ExitCode.FINDINGS, "fails checks"),
        (changed(matchId="one"), ExitCode.FINDINGS, "match id"),
        (changed(abi=7), ExitCode.FINDINGS, "record.json:1:"),
        ("# a page", ExitCode.FINDINGS, "not JSON"),
    ],
)
def test_single_record_check_prints_verdict(text, code, sentence, tmp_path):
    done = check(tmp_path, text)
    assert done.exit_code == code
    assert sentence in done.stdout


def test_record_check_prints_contract_page_sections(tmp_path):
    lines = check(tmp_path, changed()).stdout.splitlines()
    assert [line.partition(":")[0] for line in lines if line.startswith("  ") and line[2] != " "] == [
        "  Sources",
        "  Bytecode",
        "  Address",
        "  Deployment",
    ]
    assert "    Not proven: no account proof (no account proof was submitted)" in lines


def test_record_file_without_suffix_is_accepted(tmp_path):
    assert check(tmp_path, changed(), name="0xabc").exit_code == ExitCode.OK


def test_record_check_json_lists_findings(tmp_path):
    done = check(tmp_path, changed(abi=7), "--format", "json")
    [finding] = json.loads(done.stdout)["findings"]
    assert finding["pointer"] == ["abi"]


def test_skipped_record_check_prints_unconfirmed(tmp_path):
    done = check(tmp_path, changed(), "--skip", "missing-selector")
    assert "Unconfirmed: checks were skipped." in done.stdout


def test_recompile_of_single_record_is_rejected(tmp_path):
    done = check(tmp_path, changed(), "--recompile")
    assert done.exit_code == ExitCode.USAGE
    assert "not with one record" in done.stderr
