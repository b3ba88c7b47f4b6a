"""What Otterscan reads: the layouts of Sourcify's repository, signatures and topics as text, chains, pictures."""

import json

import pytest

from statuary.base.primitives import checksum_address, keccak256
from statuary.contracts.model.abi import signature_hash
from statuary.contracts.settings import Chain
from statuary.extensions.apis.content_files import PNG, read_apis_folder
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.otterscan import iter_chain_files, iter_signature_files, make_otterscan_config
from statuary.extensions.apis.repository import choose_source_paths, make_source_path
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.signatures import collect_signatures
from support.contracts import FEATURES, made_record, unjudged

OTTERSCAN = ApisSettings((Api.OTTERSCAN,))


def files_of(record) -> dict[str, bytes]:
    _, documents = derive_record_output(unjudged(record), OTTERSCAN, "contracts/x.json")
    return {path: one.body for one in documents for path in (one.path, *one.aliases)}


@pytest.mark.parametrize("name", FEATURES)
def test_otterscan_folder_contains_metadata_and_sources(name):
    record = made_record(name)
    match = "full_match" if record["match"] == "exact_match" else "partial_match"
    files = files_of(record)
    folder = f"otterscan/contracts/{match}/{record['chainId']}/{record['address']}"
    metadata = json.loads(files[f"{folder}/metadata.json"])
    assert metadata == record["metadata"]
    for file, source in record["sources"].items():
        text = source["content"].encode()
        assert files[f"{folder}/sources/{file}"] == text
        assert files[f"{folder}/sources/{metadata['sources'][file]['keccak256']}"] == text
    assert files[f"{folder}/creator-tx-hash.txt"].decode() == record["deployment"]["transactionHash"]
    assert {path.split("/")[2] for path in files} == {match}


def test_otterscan_skips_record_without_metadata():
    record = made_record("plain")
    record["metadata"] = None
    assert files_of(record) == {}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("contracts/A.sol", "contracts/A.sol"),
        ("./a//b/../A.sol", "a/A.sol"),
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/A.sol", "abs/A.sol"),
        ("project/:npm/A.sol", "project/_npm/A.sol"),
        ("a\nb.sol", "ab.sol"),
        ("https://x.example/A.sol", "https_/x.example/A.sol"),
    ],
)
def test_otterscan_source_path_stays_inside_folder(name, path):
    assert make_source_path(name) == path


@pytest.mark.parametrize(
    ("names", "with_path"),
    [
        (["A.sol", "a.sol"], ["A.sol"]),
        (["A.sol", "./A.sol"], ["A.sol"]),
        (["A.sol", "A.sol/B.sol"], ["A.sol"]),
        (["A.sol/B.sol", "A.sol"], ["A.sol/B.sol"]),
        (["0xAB/x.sol", "con.sol", "..", "", "x" * 300, "a\x00b"], []),
        (["0xab"], []),
    ],
)
def test_conflicting_source_paths_are_skipped(names, with_path):
    assert list(choose_source_paths(names, "otterscan/contracts", {"0xab"})) == with_path


def test_unsafe_source_names_become_content_hashes():
    record = made_record("plain")
    record["sources"] = {
        name: {"content": name} for name in ("../../x", "..", "CON", "é/\u202e.sol", "a" * 999)
    }
    files = files_of(record)
    assert all(path.startswith("otterscan/contracts/") and ".." not in path.split("/") for path in files)
    for name in record["sources"]:
        assert any(path.endswith(f"/sources/0x{keccak256(name.encode()).hex()}") for path in files)


def test_event_topic_lists_every_indexed_variant():
    event = "Transfer(address,address,uint256)"
    forms = [
        "Transfer(address indexed from, address indexed to, uint256 value)",
        "Transfer(address indexed src, address indexed dst, uint256 wad)",
        "Transfer(address indexed from, address indexed to, uint256 indexed id)",
    ]
    kept = [
        Declarations(("transfer(address,uint256)",), ("Bad()",), ((event, full),)).encode() for full in forms
    ]
    site = collect_signatures(kept, ["public(uint256)"])
    files = {one.path: one.body.decode() for one in iter_signature_files(site)}
    assert files == {
        "otterscan/signatures/a9059cbb": "transfer(address,uint256)",
        f"otterscan/signatures/{signature_hash('Bad()')[2:10]}": "Bad()",
        f"otterscan/topic0/{signature_hash(event)[2:]}": f"{forms[2]};{forms[0]}",
    }


def test_otterscan_chain_file_is_written():
    chains = (Chain(chain_id="31337", name="One", title="Chain one", rpc=("https://rpc.example",)),)
    [chain] = iter_chain_files(chains, "https://site.example")
    assert chain.path == "otterscan/chains/eip155-31337.json"
    assert {"name": "Chain one", "chainId": 31337, "faucets": []}.items() <= json.loads(chain.body).items()
    found = make_otterscan_config(chains, "https://site.example")
    assert (found["erigonURL"], found["assetsURLPrefix"]) == (
        "https://rpc.example",
        "https://site.example/otterscan",
    )
    assert make_otterscan_config((), "https://site.example")["erigonURL"] == "http://127.0.0.1:8545"


def test_otterscan_configuration_names_node_chain():
    silent = Chain(chain_id="1", name="Silent", title="Silent chain", rpc=())
    served = Chain(chain_id="2", name="Served", title="Served chain", rpc=("https://rpc.example",))
    found = make_otterscan_config((silent, served), "https://site.example")
    assert found["erigonURL"] == "https://rpc.example"
    assert list(found["sourcify"]["sources"]) == ["Served chain"]
    found = make_otterscan_config((silent,), "https://site.example")
    assert found["erigonURL"] == "http://127.0.0.1:8545"
    assert list(found["sourcify"]["sources"]) == ["Silent chain"]


def test_invalid_custom_files_are_reported(tmp_path):
    address = checksum_address("0x" + "ab" * 20)
    files = {
        f"logos/1/{address.lower()}.png": PNG + b"x",
        "chains/eip155-1.json": b'{"chainId":1,"name":"Mine"}',
        "chains/eip155-2.json": b'{"chainId":1}',
        "chains/eip155-3.json": b"{",
        "logos/1/0x12.png": PNG,
        f"logos/1/0x{'34' * 20}.png": b"<svg>",
        "logos/readme.md": b"",
        f"logos/2/{address}.png": PNG + bytes(300_000),
    }
    for path, body in files.items():
        (tmp_path / "content/apis" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "content/apis" / path).write_bytes(body)
    (tmp_path / "outside.png").write_bytes(PNG)
    (tmp_path / "content/apis/logos/1" / f"0x{'56' * 20}.png").symlink_to(tmp_path / "outside.png")
    documents, _, findings = read_apis_folder(tmp_path / "content")
    assert [one.path for one in documents] == [
        "otterscan/chains/eip155-1.json",
        f"otterscan/assets/1/{address}/logo.png",
    ]
    assert len(findings) == len(files) - len(documents) + 1
    assert not any(read_apis_folder(tmp_path / "nothing"))
