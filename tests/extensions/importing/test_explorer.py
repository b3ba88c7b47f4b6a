"""What explorers respond becomes the compiler's input, in every form that they have, and a verified contract."""

import json

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_address, parse_chain_id
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.toolchains.explorer import read_explorer_api, read_explorer_source
from support.ethereum_node import COMPILERS
from support.imported_projects import HERE, catalogue_of, chain, empty_site
from support.requirements import require_program

FARE = (HERE / "project/contracts/Fare.sol").read_text()
TURNSTILE = (HERE / "project/contracts/Turnstile.sol").read_text()
FILES = {"contracts/Fare.sol": {"content": FARE}, "contracts/Turnstile.sol": {"content": TURNSTILE}}
SETTINGS = {"optimizer": {"enabled": True, "runs": 200}}
VERSION = "0.8.30+commit.73712a01"
ADDRESS = parse_address("0x" + "12" * 20)


def etherscan(**changes):
    return {
        "SourceCode": FARE,
        "ABI": "[]",
        "ContractName": "Fare",
        "CompilerVersion": f"v{VERSION}",
        "OptimizationUsed": "1",
        "Runs": "200",
        "ConstructorArguments": "",
        "EVMVersion": "Default",
        "Library": "",
        "Proxy": "0",
        **changes,
    }


def standard(**settings):
    return {
        "language": "Solidity",
        "sources": FILES,
        "settings": {"optimizer": {"enabled": True}, **settings},
    }


def response(result):
    return {"status": "1", "message": "OK", "result": result}


FORMS = {
    "one file": (etherscan(), "Fare.sol:Fare", {"Fare.sol": {"content": FARE}}, SETTINGS),
    "several files": (
        etherscan(SourceCode=json.dumps(FILES), ContractName="Turnstile"),
        "contracts/Turnstile.sol:Turnstile",
        FILES,
        SETTINGS,
    ),
    "a file that is named": (
        etherscan(SourceCode=json.dumps(FILES), ContractFileName="contracts/Fare.sol"),
        "contracts/Fare.sol:Fare",
        FILES,
        SETTINGS,
    ),
    "standard JSON": (
        etherscan(SourceCode="{" + json.dumps(standard(evmVersion="london")) + "}"),
        "contracts/Fare.sol:Fare",
        FILES,
        {"optimizer": {"enabled": True}, "evmVersion": "london"},
    ),
    "not optimized, with libraries": (
        etherscan(OptimizationUsed="0", EVMVersion="paris", Library=f"Fare:{ADDRESS[2:]};Other:{ADDRESS}"),
        "Fare.sol:Fare",
        {"Fare.sol": {"content": FARE}},
        {
            "evmVersion": "paris",
            "optimizer": {"enabled": False, "runs": 200},
            "libraries": {"": {"Fare": f"0x{ADDRESS[2:]}", "Other": ADDRESS}},
        },
    ),
    "Blockscout": (
        {
            "SourceCode": TURNSTILE,
            "FileName": "contracts/Turnstile.sol",
            "ContractName": "Turnstile",
            "CompilerVersion": f"v{VERSION}",
            "OptimizationUsed": "true",
            "OptimizationRuns": 999,
            "EVMVersion": "paris",
            "AdditionalSources": [{"Filename": "contracts/Fare.sol", "SourceCode": FARE}],
            "ExternalLibraries": [{"name": "Fare", "address_hash": ADDRESS}],
        },
        "contracts/Turnstile.sol:Turnstile",
        FILES,
        {
            "evmVersion": "paris",
            "optimizer": {"enabled": True, "runs": 999},
            "libraries": {"": {"Fare": ADDRESS}},
        },
    ),
    "Blockscout with settings": (
        etherscan(
            FileName="contracts/Fare.sol",
            CompilerSettings={"viaIR": True, "compilationTarget": {"contracts/Fare.sol": "Fare"}},
        ),
        "contracts/Fare.sol:Fare",
        {"contracts/Fare.sol": {"content": FARE}},
        {"viaIR": True},
    ),
    "Vyper": (
        etherscan(SourceCode="# @version 0.4.3", ContractName="Purse", CompilerVersion="vyper:0.4.3"),
        "Purse.vy:Purse",
        {"Purse.vy": {"content": "# @version 0.4.3"}},
        {},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_etherscan_source_format_is_read(form):
    given, name, sources, settings = FORMS[form]
    found = read_explorer_source(given)
    assert found.fully_qualified_name == name
    assert found.std_json_input["sources"] == sources
    assert found.std_json_input["settings"] == settings
    assert (found.compiler, found.version) == (("vyper", "0.4.3") if form == "Vyper" else ("solc", VERSION))


BROKEN = {
    "not verified there": (etherscan(SourceCode=""), "no source code"),
    "broken standard JSON": (etherscan(SourceCode='{{"language": }}'), "SourceCode is not JSON"),
    "no sources": (etherscan(SourceCode='{{"language": "Solidity"}}'), "has no sources"),
    "a list of files": (
        etherscan(SourceCode="{" + json.dumps(standard() | {"sources": []}) + "}"),
        "no sources",
    ),
    "no such contract": (etherscan(ContractName="Ghost"), "it is unclear which source declares Ghost: none"),
    "declared twice": (
        etherscan(SourceCode=json.dumps({"a.sol": {"content": FARE}, "b.sol": {"content": FARE}})),
        "it is unclear which source declares Fare: a.sol, b.sol",
    ),
    "named in a comment only": (
        etherscan(SourceCode=json.dumps({"a.sol": {"content": "// contract Fare\n/* library Fare */"}})),
        "it is unclear which source declares Fare: none",
    ),
    "broken settings": (etherscan(CompilerSettings="{"), "CompilerSettings is not JSON"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_invalid_etherscan_source_is_reported(case):
    given, output = BROKEN[case]
    with pytest.raises(NotImportableError, match=output):
        read_explorer_source(given)


class Explorer(WebSource):
    """An explorer on no network: what it responds, in order."""

    def __init__(self, *responses):
        self.pauses, self.asked, self.responses = [], [], list(responses)
        super().__init__(wait=self.pauses.append)

    def get(self, url):
        self.asked.append(url)
        return json.dumps(self.responses.pop(0)).encode()


def read(explorer, key="secret"):
    [found] = read_explorer_api("https://api.example/v2/api", explorer, parse_chain_id("1"), [ADDRESS], key)
    return found.read_source()


def test_etherscan_import_reads_creation_code():
    created = {
        "contractCreator": ADDRESS,
        "txHash": "0x" + "ab" * 32,
        "blockNumber": "7",
        "creationBytecode": "0x6001",
    }
    explorer = Explorer(response([etherscan()]), response([created]))
    found = read(explorer)
    assert found.on_chain.creation == "0x6001"
    assert found.on_chain.deployment.transaction_hash == "0x" + "ab" * 32
    assert found.on_chain.deployment.block_number == "7"
    assert [one.partition("?")[2].split("&")[:3] for one in explorer.asked] == [
        ["chainid=1", "module=contract", "action=getsourcecode"],
        ["chainid=1", "module=contract", "action=getcontractcreation"],
    ]


def test_rate_limited_etherscan_request_is_retried():
    busy = {"status": "0", "message": "NOTOK", "result": "Max rate limit reached"}
    explorer = Explorer(busy, response([etherscan()]), response([]))
    assert read(explorer).compilation is not None
    assert 2.0 in explorer.pauses


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"status": "0", "message": "NOTOK", "result": "Invalid API Key"}, "Invalid API Key"),
        ({"status": "0", "message": "Contract source code not verified", "result": None}, "not verified"),
        ([], "no member `result`"),
        ({"error": 1}, "no member `result`"),
        (response("0x"), "0x"),
        (response([1]), "no source code of this contract"),
    ],
)
def test_etherscan_response_without_source_is_reported(answer, said):
    with pytest.raises(NotImportableError, match=said):
        read(Explorer(answer))


def test_etherscan_error_omits_api_key():
    class Refusing(Explorer):
        def get(self, url):
            raise NotImportableError(f"{url} answers 403")

    with pytest.raises(NotImportableError) as raised:
        read(Refusing(), key="s3cr3t")
    assert "s3cr3t" not in str(raised.value)


def imported(content, source, *options):
    arguments = ["import", "etherscan", str(source), "--chain-id", "31337", "--content", str(content)]
    return CliRunner().invoke(command, [*arguments, *options])


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


@pytest.mark.slow
def test_saved_etherscan_responses_are_verified(content, tmp_path):
    solc = require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")
    held = chain()["contracts"]["hardhat2"]["Fare"]
    saved = tmp_path / "saved"
    saved.mkdir()
    source = etherscan(ContractFileName="contracts/Fare.sol", EVMVersion="paris")
    (saved / f"{held['address']}.json").write_text(json.dumps(response([source])))
    created = {"txHash": held["transaction"], "creationBytecode": held["creation"]}
    (saved / f"{held['address']}.creation.json").write_text(json.dumps(response([created])))

    bare = imported(content, saved)
    assert bare.exit_code == ExitCode.FINDINGS
    assert "missing the compiler's output: no compiler for solc 0.8.30" in bare.output
    whole = imported(content, saved, "--compiler", f"solc={solc}")
    assert whole.exit_code == ExitCode.OK, whole.output
    [one] = catalogue_of(content).content_of(SiteContracts).sources
    record = read_contract(content, one).record
    assert (record["compilation"]["name"], record["match"]) == ("Fare", "exact_match")
    assert record["deployment"]["transactionHash"] == held["transaction"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("fare.json", "{}", "is not an address"),
        (f"{ADDRESS}.json", "{", "is not JSON"),
        (f"{ADDRESS}.json", "[]", "is not a JSON object"),
        (f"{ADDRESS}.json", json.dumps(response([])), "no source code"),
    ],
)
def test_invalid_saved_etherscan_response_writes_nothing(name, text, said, content, tmp_path):
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / name).write_text(text)
    result = imported(content, tmp_path / "saved")
    assert result.exit_code == ExitCode.FINDINGS
    assert said in result.output
    assert not (content / "contracts").exists()
