"""Parts of a site."""

from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.site_subset import parse_site_subset
from statuary.extensions.snapshots.snapshot_reader import read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget
from statuary.site.document import Document
from support.snapshots import ORIGIN, contract, made, status

ONE, TWO = contract(1), contract(2, chain=10)
ADDRESS_ONE = ONE.path.rpartition("/")[2]
ADDRESS_TWO = TWO.path.rpartition("/")[2]


def all_chains(document: Document, *chains: str) -> Document:
    address = document.path.rpartition("/")[2]
    entries = ",".join(f'{{"chainId":"{chain}"}}' for chain in chains)
    return Document(
        path=f"v2/contract/all-chains/{address}",
        aliases=(f"v2/contract/all-chains/{address.lower()}",),
        body=f'{{"results":[{entries}]}}'.encode(),
    )


def plain(path: str) -> Document:
    return Document(path=path, body=b"{}")


SITE = [
    ONE,
    TWO,
    status(),
    all_chains(ONE, "1", "10"),
    all_chains(TWO, "10"),
    plain("chains"),
    plain("v2/contracts/1"),
    plain("v2/contracts/10"),
    plain("v2/contracts-pages/1/index.json"),
    plain("v2/contracts-pages/10/oldest.json"),
    plain(f"proof/1/{ADDRESS_ONE}.json"),
    plain(f"contracts/1/{ADDRESS_ONE}.html"),
    plain(f"contracts/10/{ADDRESS_TWO}.html"),
    plain("contracts/search/index.json"),
    plain("index.html"),
    plain("history.atom"),
    plain("assets/statuary.css"),
    plain("api.html"),
]


def kept(tmp_path: Path, *texts: str) -> set[str]:
    with open_site(made(tmp_path / "part.zip", SITE, only=parse_site_subset(texts))) as site:
        return set(site.paths()) - {name for document in SITE for name in document.aliases}


def paths(*wanted: str) -> set[str]:
    return {document.path for document in SITE if document.path.startswith(wanted)} | {
        "assets/statuary.css",
        "api.html",
    }


def test_snapshot_without_subset_keeps_whole_site(tmp_path: Path) -> None:
    assert kept(tmp_path) == {document.path for document in SITE}


def test_contracts_subset_keeps_contract_documents(tmp_path: Path) -> None:
    assert kept(tmp_path, "contracts") == paths("v2/", "chains", "proof/", "contracts/")


def test_status_subset_keeps_status_documents(tmp_path: Path) -> None:
    assert kept(tmp_path, "status") == paths("api/v2/", "index.html", "history.atom")


def test_chain_subset_keeps_chain_documents(tmp_path: Path) -> None:
    of_one = ("v2/contract/1/", "v2/contracts/1", "v2/contracts-pages/1/", "proof/1/", "contracts/1/")
    expected = paths(*of_one, "chains", f"v2/contract/all-chains/{ADDRESS_ONE}") - {"v2/contracts/10"}
    assert kept(tmp_path, "chain=1") == expected


def test_address_list_subset_keeps_listed_contracts(tmp_path: Path) -> None:
    listing = tmp_path / "list.txt"
    listing.write_text(f"# ours\n\n{ADDRESS_ONE.lower()}\n1/{ADDRESS_TWO}\n")
    expected = {
        ONE.path,
        f"proof/1/{ADDRESS_ONE}.json",
        f"contracts/1/{ADDRESS_ONE}.html",
        f"v2/contract/all-chains/{ADDRESS_ONE}",
        f"v2/contract/all-chains/{ADDRESS_TWO}",  # listed, though on another chain
        "chains",
        "assets/statuary.css",
        "api.html",
    }
    assert kept(tmp_path, f"address-list={listing}") == expected


def test_several_snapshot_subsets_are_combined(tmp_path: Path) -> None:
    assert kept(tmp_path, "status", "contracts") == {document.path for document in SITE}


def test_manifest_states_subset_without_file_path(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    files[0].write_text(f"{ADDRESS_ONE}\n1/{ADDRESS_TWO}\n")
    files[1].write_text(f"# the same\n1/{ADDRESS_TWO.lower()}\n{ADDRESS_ONE}\n")
    one, other = (
        made(
            tmp_path / f"{file.stem}.zip", SITE, only=parse_site_subset([f"address-list={file}", "chain=10"])
        ).read_bytes()
        for file in files
    )
    assert one == other
    with read_snapshot(str(tmp_path / "a.zip")) as snapshot:
        only = snapshot.manifest.origin.only
    assert only[1] == "chain=10"
    assert only[0].startswith("address-list=sha256:")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("everything", "not name a part of a site"),
        ("chain", "not name a part of a site"),
        ("contracts=1", "not name a part of a site"),
        ("chain=one", "not a decimal number"),
        ("address-list=/nowhere", "cannot be read"),
    ],
)
def test_invalid_snapshot_subsets_are_rejected(text: str, why: str) -> None:
    with pytest.raises(PublishingError, match=why):
        parse_site_subset([text])


def test_invalid_listed_address_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(ADDRESS_ONE[:-1])
    with pytest.raises(PublishingError, match="hex digits"):
        parse_site_subset([f"address-list={tmp_path / 'list'}"])


def test_subset_of_partial_site_is_rejected(tmp_path: Path) -> None:

    origin = ORIGIN._replace(only=("status",))
    with pytest.raises(PublishingError, match="already only a part of a site"):
        SnapshotTarget(tmp_path / "a.zip", origin, only=parse_site_subset(["chain=1"]))
