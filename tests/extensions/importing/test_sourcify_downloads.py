"""What people download from Sourcify: parts of its repository, archives, answers of API v1, and metadata with sources."""

import io
import json
import tarfile
import zipfile

import pytest

from statuary.base.primitives import checksum_address
from statuary.cli.exit_codes import ExitCode
from support.imported_projects import HARDHAT_2, catalogue_of, chain, empty_site, imported, the_only
from support.sites import path_of, record_of, write_files

HELD = chain()["contracts"]["hardhat2"]["Fare"]
ADDRESS = checksum_address(HELD["address"])
BUILD_INFO = json.loads(the_only(HARDHAT_2, "build-info/*.json").read_text())
METADATA = BUILD_INFO["output"]["contracts"]["contracts/Fare.sol"]["Fare"]["metadata"]
SOURCE = BUILD_INFO["input"]["sources"]["contracts/Fare.sol"]["content"]
CONTRACT = {
    "metadata.json": METADATA,
    "sources/contracts_Fare.sol": SOURCE,
    "creator-tx-hash.txt": HELD["transaction"],
}
REPOSITORY = {f"contracts/full_match/31337/{ADDRESS}/{name}": text for name, text in CONTRACT.items()}
NAMED = ["--chain-id", "31337", "--address", ADDRESS]


def answer(files):
    return json.dumps({"status": "full", "files": files})


FILES = [
    {"name": path.rpartition("/")[2], "path": f"/data/{path}", "content": text}
    for path, text in REPOSITORY.items()
]

LAYOUTS = {
    "repository": (REPOSITORY, "", []),
    "folder of contracts": (REPOSITORY, "contracts", []),
    "match": (REPOSITORY, "contracts/full_match", []),
    "chain": (REPOSITORY, "contracts/full_match/31337", []),
    "contract": (REPOSITORY, f"contracts/full_match/31337/{ADDRESS}", []),
    "metadata of repository": (REPOSITORY, f"contracts/full_match/31337/{ADDRESS}/metadata.json", []),
    "repository in a folder": ({f"backup/2026/{path}": text for path, text in REPOSITORY.items()}, "", []),
    "sharded": ({path.replace("31337/", "31337/5F/"): text for path, text in REPOSITORY.items()}, "", []),
    "sources by digest": (
        {path.replace("contracts_Fare.sol", "0x12ab.sol"): text for path, text in REPOSITORY.items()},
        "",
        [],
    ),
    "contract alone": ({f"{ADDRESS}/{path}": text for path, text in CONTRACT.items()}, "", NAMED[:2]),
    "chain and address in a name": (
        {f"31337-{ADDRESS}/{path}": text for path, text in CONTRACT.items()},
        "",
        [],
    ),
    "metadata beside sources": ({"metadata.json": METADATA, "contracts/Fare.sol": SOURCE}, "", NAMED),
    "Remix": ({"contracts/artifacts/Fare_metadata.json": METADATA, "contracts/Fare.sol": SOURCE}, "", NAMED),
    "metadata of Remix": (
        {"contracts/artifacts/Fare_metadata.json": METADATA, "contracts/Fare.sol": SOURCE},
        "contracts/artifacts/Fare_metadata.json",
        NAMED,
    ),
    "answer of any": ({"fare.json": answer(FILES)}, "fare.json", []),
    "answer of full matches": ({"fare.json": json.dumps(FILES)}, "", []),
    "answer without paths": (
        {"fare.json": answer([{**file, "path": file["name"]} for file in FILES])},
        "fare.json",
        NAMED,
    ),
}
"""Files that people have, which of them they name, and the options that they add."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_downloaded_folder_is_imported_as_contract(layout, tmp_path):
    files, source, options = LAYOUTS[layout]
    write_files(tmp_path / "export", files)
    assert_imported(tmp_path, tmp_path / "export" / source, options)


def assert_imported(tmp_path, source, options=()):
    content = empty_site(tmp_path)
    result = imported(content, "sourcify", *options, source=source)
    assert "not imported" not in result.output, result.output
    folder = content / f"contracts/31337/{ADDRESS}"
    assert folder.is_dir(), result.output
    compilation_input = json.loads((folder / "input.json").read_text())
    assert compilation_input["sources"]["contracts/Fare.sol"]["content"] == SOURCE


def as_zip(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return buffer.getvalue()


def as_tar(files, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()


ARCHIVES = {
    "repository.tar.gz": (as_tar(REPOSITORY), []),
    "full_match.31337.5F.tar": (as_tar(REPOSITORY, "w"), []),
    "repository.zip": (as_zip(REPOSITORY), []),
    f"31337-{ADDRESS}.zip": (as_zip(CONTRACT), []),
    "download.ZIP": (as_zip(CONTRACT), NAMED),
    "hostile.tar": (as_tar({"../../outside.json": "{}", "/outside.json": "{}", **REPOSITORY}, "w"), []),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_downloaded_archive_is_imported_as_contract(name, tmp_path):
    body, options = ARCHIVES[name]
    write_files(tmp_path / "export", {name: body})
    assert_imported(tmp_path, tmp_path / "export" / name, options)
    assert not list(tmp_path.rglob("outside.json"))


def test_archive_of_sourcify_records_is_imported(tmp_path):
    record = record_of(2)
    write_files(tmp_path, {"site.zip": as_zip({path_of(2): record.decode()})})
    content = empty_site(tmp_path, (5,))
    result = imported(content, "sourcify", "--add-chains", source=tmp_path / "site.zip")
    assert result.exit_code == ExitCode.OK, result.output
    assert (content / path_of(2)).read_bytes() == record


REFUSED = {
    "metadata without place": (
        {"metadata.json": METADATA, "Fare.sol": SOURCE},
        "neither its folders nor the options name the address",
    ),
    "two contracts, one address": (
        {"a/metadata.json": METADATA, "b/metadata.json": METADATA, "Fare.sol": SOURCE},
        "give this file as SOURCE",
    ),
    "no chain": ({f"{ADDRESS}/metadata.json": METADATA}, "add --chain-id"),
    "no source": (
        {f"31337/{ADDRESS}/metadata.json": METADATA},
        "no source with the Keccak-256 of contracts/Fare.sol",
    ),
    "list of a server": ({"page.json": '{"results": []}'}, "a list of contracts without their records"),
    "answer without metadata": ({"a.json": answer(FILES[1:])}, "it has no metadata.json"),
    "damaged archive": ({"a.zip": b"PK\x03\x04"}, "the file is not a zip or tar file, or is cut off"),
    "cut off archive": ({"a.tar.gz": as_tar(REPOSITORY)[:300]}, "the file is damaged"),
    "Parquet": ({"a.parquet": b"PAR1"}, "copy them into a folder below contracts/"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_sourcify_download_without_contract_is_reported(case, tmp_path):
    files, message = REFUSED[case]
    write_files(tmp_path / "export", files)
    content = empty_site(tmp_path)
    [*names] = files
    source = tmp_path / "export" / (names[0] if "archive" in case and len(names) == 1 else "")
    options = NAMED if case == "two contracts, one address" else []
    result = imported(content, "sourcify", *options, source=source)
    assert message in " ".join(result.output.split()), result.output
    assert result.exit_code in (ExitCode.FINDINGS, ExitCode.FAILED)
    assert catalogue_of(content)
    assert not (content / "contracts").exists()
