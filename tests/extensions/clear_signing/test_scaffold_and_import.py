"""`statuary signing new` and `statuary import clear-signing`: what they write passes the rules."""

import json
import shutil

import orjson
import pytest
import yaml

from statuary.base.findings import Severity
from statuary.extensions.clear_signing.descriptors import FOLDER, DescriptorFolder
from statuary.extensions.clear_signing.limits import LARGEST_DESCRIPTOR
from statuary.extensions.clear_signing.records import DeployedCode, SiteRecords, extract_verified_code
from statuary.extensions.clear_signing.scaffold import descriptor_path, scaffold_descriptor
from statuary.extensions.clear_signing.verification import verify_folder
from support.commands import run_command
from support.requirements import CHECKOUT
from support.signing_sites import (
    FACET,
    OTHER,
    PROXY,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    built_again,
    descriptor,
    errors,
    function,
    indexed,
    messages,
    signed_record,
    signing_content,
)
from support.sites import CHAIN, tree, write_files


def test_scaffolded_descriptor_passes_rules(tmp_path):
    content = signing_content(tmp_path, {})
    done = run_command(tmp_path, "signing", "new", TOKEN, "--owner", "Plinth Labs", "--entity", "plinth")
    assert (done.exit_code, done.stderr) == (0, "")
    (path,) = (content / "clear-signing" / "registry" / "plinth").iterdir()
    made = json.loads(path.read_text("utf-8"))
    assert made["metadata"]["owner"] == "Plinth Labs"
    formats = made["display"]["formats"]
    assert list(formats) == [
        "approve(address spender,uint256 value)",
        "deposit()",
        "transfer(address to,uint256 value)",
    ]
    assert formats["deposit()"]["fields"] == [{"path": "@.value", "label": "Value", "format": "amount"}]
    assert [
        (item["label"], item["format"]) for item in formats["transfer(address to,uint256 value)"]["fields"]
    ] == [
        ("To", "addressName"),
        ("Value", "tokenAmount"),
    ]
    site = built_again(content, tmp_path / "site")
    assert errors(site) == []
    assert indexed(site) == {f"eip155:{CHAIN}:{TOKEN.lower()}"}
    again = run_command(tmp_path, "signing", "new", TOKEN, "--entity", "plinth")
    assert again.exit_code == 1
    assert "already exists" in again.stderr


@pytest.mark.slow
def test_proxy_descriptor_uses_implementation_functions(tmp_path):
    records = {
        PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
        TOKEN: signed_record(TOKEN_ABI, TOKEN),
    }
    content = signing_content(tmp_path, {}, records)
    assert run_command(tmp_path, "signing", "new", PROXY).exit_code == 0
    site = built_again(content, tmp_path / "site")
    assert errors(site) == []
    assert indexed(site) == {f"eip155:{CHAIN}:{PROXY.lower()}"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [((OTHER,), 1), (("0x12",), 2), ((TOKEN, "--chain-id", "1"), 2), ((TOKEN, "--chain-id", "x"), 2)],
)
def test_signing_new_command_reports_usage_errors(tmp_path, arguments, code):
    signing_content(tmp_path, {})
    done = run_command(tmp_path, "signing", "new", *arguments)
    assert done.exit_code == code
    assert done.stderr


def test_signing_new_without_chains_exits_2(tmp_path):
    content = signing_content(tmp_path, {}, {})
    site = yaml.safe_load((content / "site.yaml").read_text())
    del site["chains"]
    write_files(content, {"site.yaml": yaml.safe_dump(site)})
    done = run_command(tmp_path, "signing", "new", TOKEN)
    assert done.exit_code == 2
    assert "the site has no chains: add one to `chains` in site.yaml" in done.stderr


class OneContract(SiteRecords):
    """A site with the code of one contract."""

    def __init__(self, code):
        self._codes, self._chains = {}, frozenset()
        self._code_or_note = code

    def code_at(self, place):
        return self._code_or_note


STRANGE = [
    function("f", "address to", "uint256[] amounts", "bytes data"),
    {
        "type": "function",
        "name": "g",
        "stateMutability": "payable",
        "outputs": [],
        "inputs": [
            {
                "name": "orders",
                "type": "tuple[][2]",
                "components": [{"name": "", "type": "uint8"}, {"name": "deadline", "type": "uint64"}],
            },
            {"name": "", "type": "address"},
        ],
    },
    function("H_2x", "bool ok", "string text", "int128 delta", "bytes4 id", "address[] path"),
    function("$dollar", "uint256 $value"),
]


def contracts_of_the_demo():
    files = sorted((CHECKOUT / "content" / "contracts").glob("*/*.json"))
    return [orjson.loads(file.read_bytes()) for file in files[:60]]


def test_demo_scaffolded_descriptors_pass_rules(tmp_path):
    strange = orjson.loads(signed_record(STRANGE, FACET))
    strange["userdoc"] = {"methods": {"f(address,uint256[],bytes)": {"notice": "Pays\u202e all. And more"}}}
    written = 0
    for number, record in enumerate([strange, *contracts_of_the_demo()]):
        code = DeployedCode(extract_verified_code(record))
        made = scaffold_descriptor(code, record["chainId"], "Plinth")
        root = tmp_path / str(number)
        write_files(root, {f"{FOLDER}/{descriptor_path(made, '')}": json.dumps(made)})
        judged = verify_folder(DescriptorFolder(root), OneContract(code), with_unverified=True)
        wrong = [item for item in judged.findings if item.severity is Severity.ERROR]
        assert wrong == [], (record["address"], wrong)
        written += len(made["display"]["formats"])
    assert written > 4


def checkout(tmp_path):
    """A registry: descriptors of the site's chain and of others, with includes, tests and attestations."""
    other = descriptor(None, TOKEN)
    other["context"]["contract"]["deployments"][0]["chainId"] = 1
    permit = "Permit(address owner,address spender,uint256 value)"
    files = {
        TOKEN_FILE: descriptor(includes="common-token.json"),
        "registry/plinth/common-token.json": {"metadata": {"owner": "Plinth"}},
        "registry/plinth/testsv2/calldata-Token.tests.json": {"descriptor": "../calldata-Token.json"},
        f"registry/plinth/sigs/calldata-Token.eip155-1-{OTHER}.json": {},
        "registry/plinth/eip712-Token.json": messages({permit: {"intent": "Permit", "fields": []}}),
        "registry/other/calldata-Other.json": other,
        "registry/other/testsv2/calldata-Other.tests.json": {"descriptor": "../calldata-Other.json"},
        "specs/erc7730-v2.schema.json": {},
    }
    return write_files(tmp_path / "checkout", {path: json.dumps(value) for path, value in files.items()})


@pytest.mark.slow
def test_import_copies_descriptors_of_site_chains(tmp_path):
    content = signing_content(tmp_path, {})
    source = checkout(tmp_path)
    done = run_command(tmp_path, "import", "clear-signing", str(source))
    assert (done.exit_code, done.stderr) == (0, "")
    assert "2 descriptors of the site's chains, 1 of others: 5 files written" in done.stdout
    imported = tree(content / "clear-signing")
    assert sorted(imported) == [
        TOKEN_FILE,
        "registry/plinth/common-token.json",
        "registry/plinth/eip712-Token.json",
        f"registry/plinth/sigs/calldata-Token.eip155-1-{OTHER}.json",
        "registry/plinth/testsv2/calldata-Token.tests.json",
    ]
    assert all((source / path).read_bytes() == body for path, body in imported.items())
    again = run_command(tmp_path, "import", "clear-signing", str(source))
    assert "0 files written, 5 there already" in again.stdout
    own = content / "clear-signing" / TOKEN_FILE
    own.write_text("{}", "utf-8")
    changed = run_command(tmp_path, "import", "clear-signing", str(source))
    assert (changed.exit_code, own.read_text("utf-8")) == (1, "{}")
    assert "differs, and is left as it is" in changed.stdout


def test_import_rejects_symlink_and_invalid_descriptor(tmp_path):
    content = signing_content(tmp_path, {})
    source = checkout(tmp_path)
    (source / TOKEN_FILE).write_text("{", "utf-8")
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(descriptor()), "utf-8")
    (source / "registry" / "plinth" / "calldata-Linked.json").symlink_to(secret)
    done = run_command(tmp_path, "import", "clear-signing", str(source))
    assert done.exit_code == 1
    assert f"cannot be read: {TOKEN_FILE}" in done.stdout
    assert not (content / "clear-signing" / "registry" / "plinth" / "calldata-Linked.json").exists()


def test_descriptor_import_reports_oversized_attestation(tmp_path):
    content = signing_content(tmp_path, {})
    source = checkout(tmp_path)
    attestation = f"registry/plinth/sigs/calldata-Token.eip155-1-{OTHER}.json"
    (source / attestation).write_bytes(b" " * (LARGEST_DESCRIPTOR + 1))
    done = run_command(tmp_path, "import", "clear-signing", str(source))
    assert (done.exit_code, done.stderr) == (1, "")
    assert f"cannot be read: {attestation}: " in done.stdout
    assert "4 files written" in done.stdout
    assert attestation not in tree(content / "clear-signing")


@pytest.mark.slow
def test_descriptor_import_without_registry_exits_2(tmp_path):
    signing_content(tmp_path, {})
    shutil.rmtree(checkout(tmp_path) / "registry")
    done = run_command(tmp_path, "import", "clear-signing", str(tmp_path / "checkout"))
    assert done.exit_code == 2
    assert "registry/" in done.stderr


@pytest.mark.slow
def test_imported_descriptors_are_published(tmp_path):
    content = signing_content(tmp_path, {})
    run_command(tmp_path, "import", "clear-signing", str(checkout(tmp_path)))
    site = built_again(content, tmp_path / "site")
    assert indexed(site) == {f"eip155:{CHAIN}:{TOKEN.lower()}"}
    assert [item for item in errors(site) if item.severity is Severity.ERROR] == []
