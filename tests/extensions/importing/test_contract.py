"""`statuary contract add` as users see it: files, messages and exit codes."""

import json

import pytest
import yaml
from click.testing import CliRunner

from statuary.base.primitives import checksum_address, parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.engine.check_site import CheckTarget, check_site
from support.ethereum_node import ethereum_node, send
from support.imported_projects import FOUNDRY, HARDHAT_2, HARDHAT_3, chain, empty_site
from support.sites import tree

NOW = "2026-11-20T12:00:00Z"


def address(tool, contract):
    return checksum_address(chain()["contracts"][tool][contract]["address"])


FARE, TURNSTILE, STATION = (address("foundry", name) for name in ("Fare", "Turnstile", "Station"))


def artifact(name):
    return str(FOUNDRY / f"out/{name}.sol/{name}.json")


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


@pytest.fixture
def code(tmp_path):
    """Write the code that the chain holds of a contract, and return the options that name it."""

    def options(contract, tool="foundry"):
        held = chain()["contracts"][tool][contract]
        named = []
        for side in ("runtime", "creation"):
            if held[side] is not None:
                file = tmp_path / f"{tool}-{contract}-{side}.hex"
                file.write_text(f"{held[side].upper()}\n".replace("0X", "0x"))  # as some explorers print it
                named += [f"--{side}", str(file)]
        return [*named, "--address", held["address"]]

    return options


def run(content, *arguments):
    result = CliRunner().invoke(
        command, ["contract", "add", "--content", str(content), "--now", NOW, *arguments]
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def checked(content):
    return check_site(content, parse_instant(NOW), NoProgress())


def rows(content):
    with CheckTarget() as target:
        check_site(content, parse_instant(NOW), NoProgress(), target=target)
        return list(target.ledger.table(ContractTable).list_entries())


def test_contract_add_writes_valid_workspace(content, code):
    result = run(content, artifact("Turnstile"), *code("Turnstile"))
    assert result.exit_code == ExitCode.OK
    assert result.stdout.splitlines()[0] == (
        f"Turnstile at {TURNSTILE} on chain 31337: creation exact_match, runtime exact_match"
    )
    folder = f"contracts/31337/{TURNSTILE}"
    assert set(tree(content)) == {
        "site.yaml",
        *(
            f"{folder}/{name}"
            for name in ("contract.yaml", "creation.hex", "input.json", "output.json", "runtime.hex")
        ),
    }
    assert (content / folder / "contract.yaml").read_text() == (
        "compiler:\n  name: solc\n  version: 0.8.30+commit.73712a01\n"
        "contract: contracts/Turnstile.sol:Turnstile\n"
        f'verified_at: {NOW}\nmatch_id: "1"\n'
    )
    assert checked(content).all_findings == []
    [row] = rows(content)
    assert (row.address, row.match, row.verifiedAt, row.matchId) == (TURNSTILE, "exact_match", NOW, "1")


def test_contract_added_as_record_is_identical(content, code, tmp_path):
    given = [
        artifact("Station"),
        *code("Station"),
        "--transaction",
        "0x" + "AB" * 32,
        "--block-number",
        "007",
    ]
    run(content, *given, "--as", "record")
    record = json.loads((content / f"contracts/31337/{STATION}.json").read_bytes())
    assert record["deployment"]["transactionHash"] == "0x" + "ab" * 32
    assert record["deployment"]["blockNumber"] == "7"
    assert run(content, *given, "--force").exit_code == ExitCode.OK
    assert f"contracts/31337/{STATION}.json" not in tree(content)
    [row] = rows(content)
    assert row.match == "exact_match"


def test_wrong_runtime_code_is_rejected(content, code, tmp_path):
    """The creation code matches, and what stands at the address is another: a constructor may return anything."""
    options = code("Fare")
    (tmp_path / "foundry-Fare-runtime.hex").write_text("0x33ff")
    result = run(content, artifact("Fare"), *options)
    assert result.exit_code == ExitCode.FINDINGS
    assert "error: contradicted: the code on the chain (2 bytes) is not the compiled code (" in result.output
    assert "statuary: the contract does not match the chain; nothing was written" in result.output
    assert set(tree(content)) == {"site.yaml"}


def test_contract_add_assigns_next_match_id(content, code):
    run(content, artifact("Fare"), *code("Fare"), "--match-id", "41")
    run(content, artifact("Station"), *code("Station"))
    assert sorted(row.matchId for row in rows(content)) == ["41", "42"]
    taken = run(content, artifact("Turnstile"), *code("Turnstile"), "--match-id", "42")
    assert taken.exit_code == ExitCode.FAILED
    assert f"contracts/31337/{STATION}/contract.yaml already has match id 42" in taken.stderr


def test_contract_add_force_keeps_match_id(content, code):
    run(content, artifact("Fare"), *code("Fare"), "--match-id", "7", "--verified-at", "2026-01-01T00:00:00Z")
    folder = content / "contracts/31337" / FARE
    (folder / "README.md").write_text("ours")
    before = tree(content)
    refused = run(content, artifact("Fare"), *code("Fare"))
    assert refused.exit_code == ExitCode.FAILED
    assert "already exists\n    replace it with --force" in refused.stderr
    assert tree(content) == before
    # the creation code is no longer known
    options = code("Fare")
    del options[options.index("--creation") : options.index("--creation") + 2]
    replaced = run(content, artifact("Fare"), *options, "--force")
    assert replaced.exit_code == ExitCode.OK
    assert set(before) - set(tree(content)) == {f"contracts/31337/{FARE}/creation.hex"}
    [row] = rows(content)
    assert (row.matchId, row.verifiedAt, row.creationMatch) == ("7", "2026-01-01T00:00:00Z", None)


def test_contract_beside_jsonl_requires_match_id(content, code):
    (content / "contracts").mkdir()
    (content / "contracts/many.jsonl").write_text("")
    refused = run(content, artifact("Fare"), *code("Fare"))
    assert refused.exit_code == ExitCode.FAILED
    assert "the match ids in contracts/many.jsonl cannot be searched" in refused.stderr
    assert run(content, artifact("Fare"), *code("Fare"), "--match-id", "5").exit_code == ExitCode.OK


def test_lowercase_record_file_counts_as_existing(content, code):
    run(content, artifact("Fare"), *code("Fare"), "--as", "record")
    lower = content / f"contracts/31337/{FARE.lower()}.json"
    (content / f"contracts/31337/{FARE}.json").rename(lower)
    assert run(content, artifact("Fare"), *code("Fare"), "--as", "record").exit_code == ExitCode.FAILED
    assert run(content, artifact("Fare"), *code("Fare"), "--as", "record", "--force").exit_code == ExitCode.OK
    assert set(tree(content)) == {"site.yaml", f"contracts/31337/{FARE}.json"}


def test_contract_with_unmatched_bytecode_is_rejected(content, code):
    before = tree(content)
    result = run(content, artifact("Station"), *code("Turnstile"))
    assert result.exit_code == ExitCode.FINDINGS
    assert "neither the creation nor the runtime bytecode on the chain matches" in result.stderr
    assert (
        "the runtime bytecode has 972 bytes on the chain and 2,186 bytes compiled; the first difference is at byte"
        in result.stderr
    )
    assert "nothing was written" in result.stderr
    assert tree(content) == before


def test_unmatched_creation_code_gives_note(content, code, tmp_path):
    options = code("Fare")
    other = options.index("--creation") + 1
    options[other] = code("Turnstile")[3]
    result = run(content, artifact("Fare"), *options)
    assert result.exit_code == ExitCode.OK
    assert "creation null, runtime exact_match" in result.stdout
    assert "note: the creation bytecode has" in result.stderr


def test_undecodable_arguments_skip_creation_match(content, code):
    options = code("Turnstile")
    file = options[options.index("--creation") + 1]
    with open(file, "a+") as opened:  # noqa: PTH123
        opened.seek(0)
        whole = opened.read().strip()
    with open(file, "w") as opened:  # noqa: PTH123
        opened.write(whole + "00")
    result = run(content, artifact("Turnstile"), *options)
    assert "creation null, runtime exact_match" in result.stdout


def test_contract_add_dry_run_writes_nothing(content, code):
    before = tree(content)
    result = run(content, artifact("Fare"), *code("Fare"), "--dry-run")
    assert result.exit_code == ExitCode.OK
    assert f"would write {content}/contracts/31337/{FARE}/contract.yaml" in result.stdout
    assert tree(content) == before


def test_build_info_requires_contract_name(content, code):
    [build_info] = (HARDHAT_2 / "build-info").glob("*.json")
    assert run(content, str(build_info), *code("Fare", "hardhat2")).exit_code == ExitCode.FAILED
    named = run(content, str(build_info), "--contract", "Fare", *code("Fare", "hardhat2"))
    assert named.exit_code == ExitCode.OK


def test_compilation_without_metadata_is_rejected(content, code):
    result = run(content, str(HARDHAT_3 / "contracts/Fare.sol/Fare.json"), *code("Fare", "hardhat3"))
    assert result.exit_code == ExitCode.FAILED
    assert result.stderr == (
        "statuary: the compiler's output has no metadata, which ties the sources to the bytecode\n"
        "    give the compiler with --compiler solc=PATH, or compile with 'metadata' in outputSelection\n"
    )


USAGE = {
    "no address": (["--runtime", "x"], "--address"),
    "a wrong checksum": (["--address", FARE.swapcase().replace("0X", "0x")], "wrong EIP-55 checksum"),
    "nothing of the chain": (["--address", FARE], "add --rpc URL, or --runtime FILE"),
    "both": (["--address", FARE, "--rpc", "http://127.0.0.1:9", "--runtime", "x"], "--runtime"),
    "no hash": (["--address", FARE, "--transaction", "0xab"], "is not a hash"),
    "no number": (["--address", FARE, "--match-id", "-1"], "is not a number"),
    "no compiler": (["--address", FARE, "--runtime", "x", "--compiler", "gcc=/x"], "is not KIND=PATH"),
    "no such compiler": (
        ["--address", FARE, "--runtime", "x", "--compiler", "solc=/nowhere"],
        "no program /nowhere",
    ),
}


@pytest.mark.parametrize("case", USAGE)
def test_invalid_contract_add_options_exit_2(case, content, monkeypatch):
    options, message = USAGE[case]
    if case == "both":
        monkeypatch.setattr(
            "statuary.extensions.importing.contract_commands.read_chain_id", lambda _: "31337"
        )
    result = run(content, artifact("Fare"), *options)
    assert result.exit_code == ExitCode.USAGE
    assert message in result.stderr


REFUSED = {
    "an unknown chain": (["--chain-id", "1"], "chain 1 is not listed under `chains`"),
    "no file": (["--runtime", "nowhere.hex"], "nowhere.hex: cannot read the file"),
    "no node": (["--rpc", "http://127.0.0.1:9"], "127.0.0.1 does not respond"),
    "no address of a node": (["--rpc", "localhost"], "does not start with http:// or https://"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_contract_add_rejects_invalid_bytecode_input(case, content):
    options, message = REFUSED[case]
    result = run(content, artifact("Fare"), "--address", FARE, *options)
    assert result.exit_code == ExitCode.FAILED
    assert message in result.stderr


@pytest.mark.parametrize("text", ["", "0x", "0xabc", "hello", "0x00 0x00"])
def test_contract_add_rejects_file_without_bytecode(text, content, tmp_path):
    file = tmp_path / "code.hex"
    file.write_text(text)
    result = run(content, artifact("Fare"), "--address", FARE, "--runtime", str(file))
    assert result.exit_code == ExitCode.FAILED


def test_contract_add_requires_valid_site_yaml(content, code):
    (content / "site.yaml").write_text("page: 1")
    result = run(content, artifact("Fare"), *code("Fare"))
    assert result.exit_code == ExitCode.FINDINGS
    assert "site.yaml" in result.stderr


def test_several_chains_require_chain_id_option(content, code):
    with (content / "site.yaml").open("a") as site:
        site.write("  - {chain_id: 1, name: Main}\n")
    assert "choose a chain with --chain-id" in run(content, artifact("Fare"), *code("Fare")).stderr
    assert run(content, artifact("Fare"), *code("Fare"), "--chain-id", "31337").exit_code == ExitCode.OK


def test_contract_without_chains_suggests_add_chain(content, code):
    site = content / "site.yaml"
    site.write_text(site.read_text().partition("chains:")[0])
    message = run(content, artifact("Fare"), *code("Fare")).stderr
    assert "give --chain-id and --add-chain" in message


def test_new_contract_yaml_names_json_schema(content, code):
    (content / ".schema").mkdir()
    (content / ".schema/contract.json").touch()
    assert run(content, artifact("Fare"), *code("Fare")).exit_code == ExitCode.OK
    (file,) = content.glob("contracts/*/*/contract.yaml")
    first, *_ = file.read_text().splitlines()
    assert first == "# yaml-language-server: $schema=../../../.schema/contract.json"
    checked = CliRunner().invoke(command, ["check", "--content", str(content), "--now", NOW])
    assert checked.exit_code == ExitCode.OK, checked.output


def test_add_chain_option_adds_missing_chain(content, code):
    site = content / "site.yaml"
    before = site.read_text()
    site.write_text(before.replace("31337", "1"))
    options = [*code("Fare"), "--chain-id", "31337"]
    refused = run(content, artifact("Fare"), *options)
    assert (refused.exit_code, "with --add-chain, or add" in refused.stderr) == (ExitCode.FAILED, True)
    dry = run(content, artifact("Fare"), *options, "--add-chain", "--dry-run")
    assert (dry.exit_code, site.read_text()) == (ExitCode.OK, before.replace("31337", "1"))
    added = run(content, artifact("Fare"), *options, "--add-chain")
    assert (added.exit_code, "added chain 31337" in added.stdout) == (ExitCode.OK, True)
    checked = CliRunner().invoke(command, ["check", "--content", str(content), "--now", NOW])
    assert checked.exit_code == ExitCode.OK, checked.output


@pytest.mark.parametrize("name", ["site.yml", "site.json", "site.yaml"])
def test_add_chain_edits_yaml_settings_only(name, content, code):
    settings = (content / "site.yaml").read_text().partition("chains:")[0]
    text = {
        "site.yml": f"{settings}chains:\n  - {{chain_id: 1, name: Ethereum}}\n",
        "site.json": json.dumps(yaml.safe_load(settings), default=str)
        .replace("+00:00", "Z")
        .replace(" 12:", "T12:"),
        "site.yaml": f"{settings}chains: []\n".replace("chains:", "chains: # none yet\n "),
    }[name]
    (content / "site.yaml").unlink()
    (content / name).write_text(text)
    done = run(content, artifact("Fare"), *code("Fare"), "--chain-id", "31337", "--add-chain")
    if name == "site.json":
        assert (done.exit_code, (content / name).read_text()) == (ExitCode.FAILED, text)
        assert f"{content / name}:1:" in done.stderr
        assert not list(content.glob("contracts/*/*"))
    else:
        assert done.exit_code == ExitCode.OK, done.stderr
        assert f"added chain 31337 to {content / name}" in done.stdout
        assert "chain_id: 31337" in (content / name).read_text()


@pytest.mark.slow
def test_contract_is_added_from_node(content):
    held = chain()["contracts"]["foundry"]
    with ethereum_node() as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        requested = ["--rpc", url]
        assert run(content, artifact("Fare"), "--address", FARE, *requested).exit_code == ExitCode.OK
        child = run(
            content,
            artifact("Turnstile"),
            "--address",
            held["child"]["address"],
            "--transaction",
            held["child"]["transaction"],
            *requested,
        )
        assert "creation exact_match, runtime exact_match" in child.stdout
        elsewhere = run(content, artifact("Fare"), "--address", FARE, "--chain-id", "1", *requested)
        assert elsewhere.exit_code == ExitCode.FAILED
        assert "the node is on chain 31337, not 1" in elsewhere.stderr
    assert checked(content).all_findings == []
    by_name = {row.address: row for row in rows(content)}
    assert set(by_name) == {FARE, checksum_address(held["child"]["address"])}
