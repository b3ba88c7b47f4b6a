"""A server's records come in unchanged, through every failure of a server, and the published layout of a repository."""

import json
import shutil
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from statuary.base.primitives import checksum_address, parse_chain_id, parse_instant
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.importing.import_contracts import ContractImport, ContractImportSettings
from statuary.extensions.importing.sources import RETRIES, WebSource
from statuary.extensions.importing.toolchains.sourcify import read_sourcify_api
from support.ethereum_node import COMPILERS, ethereum_node, send
from support.host_servers import serve_with_statuary
from support.imported_projects import HARDHAT_2, catalogue_of, chain, empty_site, imported, the_only
from support.local_server import LocalServer
from support.real_records import DATA
from support.requirements import require_folder, require_program
from support.sites import CHAIN, path_of, record_of, site_of_many, write_files

NOW = "2026-11-20T12:00:00Z"


def run(*arguments):
    return CliRunner().invoke(command, [*map(str, arguments), "--now", NOW])


def contracts(content):
    return {
        str(file.relative_to(content)): file.read_bytes()
        for file in (content / "contracts").rglob("*")
        if file.is_file()
    }


@contextmanager
def served_site(content, folder):
    built = run("build", "--content", content, "--out", folder / "build")
    assert built.exit_code == ExitCode.OK, built.output
    with serve_with_statuary(folder) as server:
        yield f"http://127.0.0.1:{server.port}"


@contextmanager
def failing(url):
    """Stand in front of a server and do what `faults` says of a path, once for each entry."""
    proxy = SimpleNamespace(faults={}, requested=[])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            proxy.requested.append(self.path)
            path = self.path.partition("?")[0]
            fault = proxy.find_faults[path].pop(0) if proxy.find_faults.get(path) else None
            status, body = (fault, b"") if isinstance(fault, int) else ask(url + self.path)
            body = {"html": b"<!DOCTYPE html>", "half": body[: len(body) // 2]}.get(fault, body)
            self.send_response(200 if fault else status) if isinstance(fault, str) else self.send_response(
                status
            )
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", "3")
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)

        def log_message(self, *_):
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()


def ask(url):
    try:
        with urlopen(url, timeout=30) as response:
            return response.status, response.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def run_import(content, url, addresses=()):
    """Import a chain of a server without sleeping; return the report and the pauses."""
    pauses = []
    web = WebSource(wait=pauses.append)
    settings = ContractImportSettings(ContractForm.WORKSPACE, parse_instant(NOW))
    found = read_sourcify_api(url, web, parse_chain_id(CHAIN), addresses)
    return ContractImport(content, catalogue_of(content), settings).import_contracts(found), pauses


@pytest.mark.slow
def test_real_records_import_byte_for_byte(tmp_path):
    source = require_folder(
        DATA / "contract-records", what="real records", install="put the data folder at ../shared/data"
    )
    given = {
        f"contracts/{file.parent.name}/{file.name}": file.read_bytes() for file in source.glob("*/*.json")
    }
    chains = sorted({path.split("/")[1] for path in given})
    theirs = empty_site(tmp_path / "theirs", chains)
    shutil.copytree(source, theirs / "contracts", ignore=shutil.ignore_patterns("*.jsonl"))
    ours = empty_site(tmp_path / "ours", chains)
    with served_site(theirs, tmp_path / "theirs") as url:
        for chain_id in chains:
            result = run("import", "sourcify", url, "--chain-id", chain_id, "--content", ours)
            assert result.exit_code == ExitCode.OK, result.output
        assert contracts(ours) == given
        again = run("import", "sourcify", url, "--chain-id", chains[0], "--content", ours)
        assert "already in" in again.output
        assert "verified" not in again.output
        assert contracts(ours) == given


def test_next_sourcify_import_completes_failed_one(tmp_path):
    theirs = site_of_many(tmp_path / "theirs", 7)
    given = {path_of(number): record_of(number) for number in range(1, 8)}
    ours = empty_site(tmp_path, [CHAIN])
    documents = [f"/v2/contract/{CHAIN}/{path.rpartition('/')[2][:-5]}" for path in given]
    with served_site(theirs, tmp_path / "theirs") as url, failing(url) as proxy:
        limited, broken, cut, html, half = documents[:5]
        proxy.find_faults = {
            f"/v2/contracts/{CHAIN}": [503],
            limited: [429, 500],
            broken: [500] * RETRIES.tries,
            cut: ["cut"] * RETRIES.tries,
            html: ["html"],
            half: ["half"],
        }
        done, pauses = run_import(ours, proxy.url)
        assert len(done.verified) == 3
        assert 3.0 in pauses
        assert contracts(ours).items() < given.items()
        assert "run the import again" in done.report.incomplete
        reasons = [skipped.reason for skipped in done.report.skipped]
        assert len(reasons) == 2
        assert all("the server's response is not a record" in reason for reason in reasons)

        before = len(proxy.requested)
        done, _ = run_import(ours, proxy.url)
        assert contracts(ours) == given
        assert (done.report.present_count, len(done.verified), done.report.incomplete) == (3, 4, "")
        assert len(proxy.requested) - before == 1 + 4


def test_unreachable_sourcify_server_ends_import(tmp_path):
    ours = empty_site(tmp_path, [CHAIN])
    with failing("http://127.0.0.1:9") as proxy:
        proxy.find_faults = {
            f"/v2/contract/{CHAIN}/{address}": [503] * RETRIES.tries for address in ADDRESSES
        }
        done, _ = run_import(ours, proxy.url, ADDRESSES)
        assert "returns 503" in done.report.incomplete
        assert len(proxy.requested) == 3 * RETRIES.tries


ADDRESSES = [path_of(number).rpartition("/")[2][:-5] for number in range(1, 6)]


def changed(**members):
    return json.dumps(json.loads(record_of(1)) | members).encode()


def a_false_record():
    record = json.loads(record_of(1))
    record["runtimeBytecode"]["onchainBytecode"] = record["runtimeBytecode"]["onchainBytecode"][:-2] + "00"
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"[]", "the record breaks the rule invalid-value: the file is not a JSON object"),
        (b"{}", "the record breaks the rule"),
        (changed(address=ADDRESSES[1]), f"responds with the record of {ADDRESSES[1]}"),
        (changed(chainId="1"), "on chain 1"),
        (changed(match="perfect"), "the record breaks the rule"),
        (a_false_record(), "the record breaks the rule"),
        (b'{"matchId": "1", "matchId": "2"}', "not a record"),
        (b"\xff\xfe", "not a record"),
    ],
    ids=[
        "list",
        "empty",
        "another address",
        "another chain",
        "no level",
        "false bytecode",
        "twice",
        "no text",
    ],
)
def test_invalid_sourcify_record_is_not_written(body, message, tmp_path):
    ours = empty_site(tmp_path, [CHAIN])
    done = import_body(ours, body)
    assert message in done.report.skipped[0].reason
    assert not contracts(ours)


def import_body(content, body):
    class Answer(WebSource):
        def get(self, _):
            return body

    settings = ContractImportSettings(ContractForm.WORKSPACE, parse_instant(NOW))
    found = read_sourcify_api("https://sourcify.example", Answer(), parse_chain_id(CHAIN), ADDRESSES[:1])
    return ContractImport(content, catalogue_of(content), settings).import_contracts(found)


def test_imported_duplicate_match_id_is_replaced(tmp_path):
    ours = empty_site(tmp_path, [CHAIN])
    (ours / path_of(2)).parent.mkdir(parents=True)
    (ours / path_of(2)).write_bytes(json.dumps(json.loads(record_of(2)) | {"matchId": "1"}).encode())
    done = import_body(ours, record_of(1))
    assert done.notes[0].reason == "its match id is already used here, so it gets the next free one"
    assert contracts(ours)[path_of(1)] == record_of(1).replace(b'"matchId":"1"', b'"matchId":"2"')


def repository(folder, match="full_match"):
    """Write Hardhat 2's build of Fare as Sourcify's repository has it, and return where its `sources` are."""
    build_info = json.loads(the_only(HARDHAT_2, "build-info/*.json").read_text())
    metadata = build_info["output"]["contracts"]["contracts/Fare.sol"]["Fare"]["metadata"]
    held = chain()["contracts"]["hardhat2"]["Fare"]
    contract = folder / f"contracts/{match}/31337/{checksum_address(held['address'])}"
    (contract / "sources").mkdir(parents=True)
    (contract / "metadata.json").write_text(metadata)
    text = build_info["input"]["sources"]["contracts/Fare.sol"]["content"]
    (contract / "sources/contracts_Fare.sol").write_text(text)
    (contract / "creator-tx-hash.txt").write_text(held["transaction"])
    return contract / "sources"


@pytest.mark.slow
def test_sourcify_repository_contract_is_verified(tmp_path):
    solc = require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")
    content = empty_site(tmp_path)
    repository(tmp_path / "repository", "partial_match")
    with ethereum_node() as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        options = ["--rpc", url, "--compiler", f"solc={solc}"]
        result = imported(content, "sourcify", *options, source=tmp_path / "repository")
    assert result.exit_code == ExitCode.OK, result.output
    [one] = catalogue_of(content).content_of(SiteContracts).sources
    record = read_contract(content, one).record
    assert (record["compilation"]["name"], record["match"]) == ("Fare", "exact_match")
    assert record["deployment"]["transactionHash"] == chain()["contracts"]["hardhat2"]["Fare"]["transaction"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda sources: (sources / "contracts_Fare.sol").write_text("library Fare {}"),
            "no source with the Keccak-256",
        ),
        (lambda sources: (sources.parent / "metadata.json").unlink(), "metadata.json"),
        (
            lambda sources: (sources.parent / "metadata.json").write_text('{"settings": 1}'),
            "is incomplete or malformed",
        ),
        (lambda sources: sources.parent.rename(sources.parent.with_name("0x12")), "instead of 40"),
        (lambda sources: shutil.rmtree(sources.parents[2]), "has no full_match or partial_match"),
    ],
    ids=["another source", "no metadata", "broken metadata", "no address", "nothing"],
)
def test_broken_sourcify_repository_is_reported(change, message, tmp_path):
    content = empty_site(tmp_path)
    change(repository(tmp_path / "repository"))
    result = imported(content, "sourcify", source=tmp_path / "repository")
    assert message in result.output
    assert result.exit_code in (ExitCode.FINDINGS, ExitCode.FAILED)
    assert not contracts(content)


LAYOUTS = {
    "content of a site": lambda chain, address: f"contracts/{chain}/{address}.json",
    "folders of chains": lambda chain, address: f"{chain}/{address}.json",
    "one folder": lambda chain, address: f"{chain}-{address}.json",
    "documents of a site": lambda chain, address: f"v2/contract/{chain}/{address}",
    "records a line": lambda chain, _: f"records-{chain}.jsonl",
}
"""The folders of records that people export, and where each record is."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_folder_of_sourcify_records_is_imported(layout, tmp_path):
    records = [record_of(number) for number in range(1, 4)]
    for record in records:
        value = json.loads(record)
        file = tmp_path / "export" / LAYOUTS[layout](value["chainId"], value["address"])
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.write(record + (b"\n" if file.suffix == ".jsonl" else b""))
    content = empty_site(tmp_path, (5,))
    done = run("import", "sourcify", tmp_path / "export", "--content", content, "--add-chains")
    assert done.exit_code == ExitCode.OK, done.output
    assert sorted(contracts(content).values()) == sorted(records)


def test_file_of_sourcify_records_is_imported(tmp_path):
    records = [record_of(number) for number in range(1, 4)]
    file = tmp_path / "records.jsonl"
    file.write_bytes(b"".join(record + b"\n" for record in records))
    content = empty_site(tmp_path, (5,))
    done = run("import", "sourcify", file, "--content", content, "--add-chains")
    assert done.exit_code == ExitCode.OK, done.output
    assert sorted(contracts(content).values()) == sorted(records)


def test_import_of_copied_site_skips_duplicates(tmp_path):
    record = record_of(2)
    value = json.loads(record)
    documents = {
        f"v2/contract/{value['chainId']}/{value['address']}": record,
        f"v2/contract/{value['chainId']}/{value['address'].lower()}": record,
        f"v2/contract/all-chains/{value['address']}": b'{"results": []}',
        f"proof/{value['chainId']}/{value['address']}.json": b'{"chainId": "1"}',
        "api/v2/status.json": b"{}",
    }
    content = empty_site(write_files(tmp_path / "site", documents).parent, (5,))
    done = run("import", "sourcify", tmp_path / "site", "--content", content, "--add-chains")
    assert (done.exit_code, "not imported" in done.output) == (ExitCode.OK, False), done.output
    assert list(contracts(content).values()) == [record]


def test_import_of_folder_without_records_fails(tmp_path):
    content = empty_site(tmp_path)
    (tmp_path / "export").mkdir()
    refused = run("import", "sourcify", tmp_path / "export", "--content", content)
    assert refused.exit_code == ExitCode.FAILED
    assert "no full_match or partial_match, no metadata.json, and no records" in refused.stderr
    (tmp_path / "export/other.json").write_text("{}")
    skipped = run("import", "sourcify", tmp_path / "export", "--content", content)
    assert "is not a record of API v2" in skipped.output
    missing = run("import", "sourcify", tmp_path / "none", "--content", content)
    assert "there is no file or folder" in missing.stderr
    (tmp_path / "export.tar.gz").write_bytes(b"")
    archive = run("import", "sourcify", tmp_path / "export.tar.gz", "--content", content)
    assert "the file is not a zip or tar file, or is cut off" in archive.stderr
