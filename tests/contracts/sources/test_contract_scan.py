"""The paths of contracts are the same in any order and number of requests."""

from pathlib import Path

import pytest

from statuary.contracts.sources.contract_scan import ContractScan, ExternalSource
from statuary.contracts.sources.source_stat import ListingCache

ADDRESSES = [f"0x{number:040x}" for number in range(5)]


@pytest.fixture
def root(tmp_path):
    for chain_id, count in (("1", 2), ("10", 5), ("137", 3)):
        folder = tmp_path / "contracts" / chain_id
        folder.mkdir(parents=True)
        for address in ADDRESSES[:count]:
            (folder / f"{address}.json").write_text("{}")
        (folder / ".hidden.json").write_text("{}")
        (folder / "odd.bin").write_text("")
    workspace = tmp_path / "contracts/10" / f"0x{9:040x}"
    workspace.mkdir()
    (workspace / "contract.yaml").write_text("")
    (workspace / "input.json").write_text("{}")
    (tmp_path / "contracts/more.jsonl").write_text("")
    return tmp_path


def paths(places: ContractScan) -> list[str]:
    return [source.path for source in places]


def test_scan_count_matches_read_contracts(root):
    places = ContractScan(root)

    assert len(places) == 11
    assert paths(places) == paths(places) == paths(ContractScan(root)) == sorted(paths(places))
    assert len(paths(places)) == 11
    assert [source.path for source in places.bulk] == ["contracts/more.jsonl"]
    assert {finding.path for finding in places.findings} == {f"contracts/{n}/odd.bin" for n in (1, 10, 137)}


def test_external_folder_is_scanned_like_content(root):
    """As a chain's below `contracts`, and as a folder of its own, in which records are strays."""
    elsewhere = [ExternalSource("contracts/10", "site.yaml", ("contracts", "sources", 0))]
    places = ContractScan(root, elsewhere)

    assert len(places) == len(paths(places)) == len(paths(ContractScan(root, elsewhere)))
    assert paths(places)[:2] == [f"contracts/1/{address}.json" for address in ADDRESSES[:2]]


@pytest.mark.parametrize(
    ("most", "again_looked"),
    [(100_000, []), (0, ["1", "137"])],  # the largest folder is cached, whatever its size
)
def test_folder_listings_are_cached_once(root, monkeypatch, most, again_looked):
    monkeypatch.setattr("statuary.contracts.sources.source_stat.CACHED_NAMES", most)
    looked: list[str] = []
    scan = __import__("os").scandir
    monkeypatch.setattr("os.scandir", lambda folder: looked.append(Path(folder).name) or scan(folder))
    listings = ListingCache()
    folders = [root / "contracts" / name for name in ("1", "10", "137")]

    first = [listings.list_folder(folder, is_chain=True) for folder in folders]
    again = [listings.list_folder(folder, is_chain=True) for folder in folders]

    assert first == again
    assert looked == ["1", "10", "137", *again_looked]
