"""The page of any contract: in a real browser it shows what the page of each contract shows, and says what it cannot show."""

import json
import re
from pathlib import Path

import pytest

from statuary.base.primitives import checksum_address
from support.browser import browse, build
from support.contracts import made_record
from support.hostile_records import RECORD_SINKS
from support.real_records import real_records
from support.sites import write_files

NOW = "2026-11-23T12:00:00Z"
"""After the newest of the records."""

SHARES = 8
"""Tests among which the records are divided: each has a time limit."""

SITE = """\
page: {name: Plinth, url: https://plinth.example, id: plinthpage01, created_at: 2026-01-01T00:00:00Z}
chains:
"""


def chain_lines(chain_ids: list[str]) -> str:
    return "".join(
        f"  - {{chain_id: {chain_id}, name: Chain {chain_id}, explorer: 'https://scan.example', "
        f"rpc: ['https://rpc.example/{chain_id}']}}\n"
        for chain_id in chain_ids
    )


def write_content(folder: Path) -> None:
    records = {record["chainId"] + "/" + record["address"]: record for _, record in real_records()}
    chains = sorted({path.partition("/")[0] for path in records}, key=int)
    files = {f"contracts/{path}.json": json.dumps(record) for path, record in records.items()}
    write_files(folder, {"site.yaml": SITE + chain_lines(chains), **files})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = tmp_path_factory.mktemp("real") / "content"
    write_content(content)
    return build(content, content.parent / "site", NOW)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_viewer_matches_real_record_pages(site: Path, share: int):
    paths = [page.relative_to(site).as_posix() for page in sorted(site.glob("contracts/*/0x*.html"))]
    assert len(paths) > 50
    for page in browse(site, "viewer", paths=paths[share::SHARES]):
        assert (page["difference"], page["said"], page["complaints"]) == (None, "", []), page["path"]


BLOW = '"><img src=x onerror="window.acted.push(1)"><script>window.acted.push(2)</script>{{ 7 * 7 }}javascript:alert(1)'
"""Markup, a template and a link that would act if they were taken as such."""


def test_viewer_uses_contract_page_styles(site: Path):
    def sheets(page: Path) -> list[str]:
        links = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.read_text("utf-8"))
        return [link.rpartition("/")[2] for link in links]

    own = next(page for page in sorted(site.glob("contracts/*/0x*.html")))
    assert sheets(site / "contract.html") == sheets(own)
    assert "contract.css" in sheets(own)


@pytest.mark.slow
def test_viewer_never_executes_markup_in_records(site: Path):
    paths = []
    for place, damage in enumerate(RECORD_SINKS.values(), start=1):
        record = made_record("everything")
        damage(record, BLOW)
        chain_id, address = "1", checksum_address(f"0x{place:040x}")
        record |= {"chainId": chain_id, "address": address}
        for name in (address, address.lower()):
            (site / f"v2/contract/{chain_id}/{name}").write_text(json.dumps(record), encoding="utf-8")
        paths.append(f"contract.html?chain={chain_id}&address={address}")
    pages = browse(site, "viewer_inert", paths=paths)
    assert pages["found"] == []
    assert len(paths) > 20
    shown = [text for text in pages["shown"] if "window.acted" in text]
    assert len(shown) > len(paths) * 2 / 3  # the others are in what is not shown, such as digits
    assert not any("49javascript" in text for text in pages["shown"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "Enter a chain ID"),
        ("?chain=1&address=0x12", "A chain ID is a number"),
        (f"?chain=1&address=0x{'9' * 40}", "on chain 1."),
        ("?chain=%3Cb%3E&address=../../x", "A chain ID is a number"),
    ],
)
def test_viewer_shows_reason_for_unavailable_contract(site: Path, query: str, words: str):
    pages = browse(site, "viewer_inert", paths=[f"contract.html{query}"])
    assert pages["found"] == []
    assert words in pages["shown"][0]
