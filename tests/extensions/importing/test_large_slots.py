"""A Vyper contract with slots above 2^53, through a real compiler and node, exact and as a server in JavaScript writes them."""

import json
import subprocess

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from support.ethereum_node import COMPILERS, ethereum_node, send
from support.imported_projects import NOW, catalogue_of, empty_site
from support.requirements import require_program

pytestmark = pytest.mark.slow

SOURCE = """# pragma version 0.4.3
owner: public(address)
tokens: DynArray[uint256, max_value(uint64)]
count: public(uint256)
index: public(HashMap[uint256, uint256])

@external
def add():
    self.count += 1
    self.tokens.append(self.count)
"""
ROUNDED = 18_446_744_073_709_552_000
"""What JavaScript makes of 2^64 + 1 and of 2^64 + 2: two variables share the slot."""


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def vyper():
    return require_program(str(COMPILERS / "bin/vyper-0.4.3"), install=".ci/install-compilers")


@pytest.fixture(scope="module")
def standard_json(tmp_path_factory):
    settings = {"outputSelection": {"*": ["*"]}}
    std_json_input = {
        "language": "Vyper",
        "sources": {"Tokens.vy": {"content": SOURCE}},
        "settings": settings,
    }
    file = tmp_path_factory.mktemp("vyper") / "input.json"
    file.write_text(json.dumps(std_json_input))
    return file


@pytest.fixture
def content(tmp_path, vyper, standard_json):
    """Add the contract from a node and its compiler."""
    content = empty_site(tmp_path)
    compiled = subprocess.run(
        [vyper, "--standard-json"], input=standard_json.read_bytes(), capture_output=True, check=True
    )
    code = json.loads(compiled.stdout)["contracts"]["Tokens.vy"]["Tokens"]["evm"]["bytecode"]["object"]
    with ethereum_node() as url:
        receipt = send(url, "0x" + code.removeprefix("0x"))
        options = [
            "--content",
            content,
            "--now",
            NOW.isoformat(),
            "--compiler",
            f"vyper={vyper}",
            "--rpc",
            url,
        ]
        options += ["--transaction", receipt["transactionHash"], "--as", "record"]
        result = run("contract", "add", standard_json, "--address", receipt["contractAddress"], *options)
    assert result.exit_code == ExitCode.OK, result.output
    return content


def record_file(content):
    [source] = catalogue_of(content).content_of(SiteContracts).sources
    return content / source.path


def test_vyper_record_has_exact_storage_slots(content):
    text = record_file(content).read_text()
    assert f'"slot":{2**64 + 1}' in text
    assert f'"slot":{2**64 + 2}' in text
    [source] = catalogue_of(content).content_of(SiteContracts).sources
    assert read_contract(content, source).record is not None


def rounded(content):
    """Write the record as a server in JavaScript serves it."""
    file = record_file(content)
    text = file.read_text()
    for exact in (2**64 + 1, 2**64 + 2, 2**64):
        text = text.replace(f":{exact}", f":{ROUNDED}")
    assert text.count(f'"slot":{ROUNDED}') == 4  # stdJsonOutput repeats them
    file.write_text(text)
    return file


def test_record_with_rounded_slots_is_published(content):
    body = rounded(content).read_bytes()
    site = content.parent / "site"
    built = run("build", "--content", content, "--out", site, "--now", NOW.isoformat(), "--strict")
    assert built.exit_code == ExitCode.OK, built.output
    [published] = (site / "v2/contract/31337").glob("0x*[A-F]*")
    assert published.read_bytes() == body
    proof = next((site / "proof/31337").glob("*.json")).read_text()
    assert "JavaScript rounds numbers above 2^53" in proof


def test_record_with_rounded_slots_recompiles(content, vyper):
    rounded(content)
    compiled = run("contract", "compile", "--content", content, "--compiler", f"vyper={vyper}")
    assert compiled.exit_code == ExitCode.OK, compiled.output
    [evidence] = content.rglob("compilation.json")
    assert "storageLayout" not in json.loads(evidence.read_text())["members"]


def test_wrong_storage_slot_fails_recompilation(content, vyper):
    file = rounded(content)
    file.write_text(file.read_text().replace(f'"slot":{ROUNDED}', '"slot":18446744073709600000'))
    compiled = run("contract", "compile", "--content", content, "--compiler", f"vyper={vyper}")
    assert compiled.exit_code == ExitCode.FINDINGS
    assert "storageLayout" in compiled.output
