"""Otterscan, built from its repository, in a browser: the demo network's sources, calls and logs, read from a site."""

import json
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from clients.installed import installed_page
from support.browser import browse, build
from support.demo_chain import PLAN, DemoChain, demo_chain
from support.edge_runtimes import served
from support.host_servers import BUILT_AT
from support.requirements import CHECKOUT

pytestmark = pytest.mark.slow

CHAIN = "748463"
COIN = {"name": "Plinth", "symbol": "PLT", "decimals": 18}
SECONDS = 20
"""That a page may take to show all; each takes one or two."""


class Visit(NamedTuple):
    """A page of Otterscan, and texts that it must show."""

    path: str
    expected: list[str]
    tab: str = ""  # the name of a tab to choose; none where it is empty


class Explorer(NamedTuple):
    """Otterscan's own files with the configuration of a site, which is served, and the chain that both are about."""

    folder: Path
    site: str
    chain: DemoChain

    def shows(self, *visits: Visit) -> None:
        """Compare the text of each page with what is expected; none asks outside of this machine."""
        found = browse(
            self.folder, "otterscan", visits=[visit._asdict() for visit in visits], seconds=SECONDS
        )
        for visit, text in zip(visits, found["shown"], strict=True):
            assert [one for one in visit.expected if one not in text] == [], f"{visit.path} shows:\n{text}"
        assert (found["errors"], found["outside"]) == ([], [])

    def configure(self, source: dict[str, str]) -> None:
        """Let it read contracts elsewhere than the configuration says."""
        file = self.folder / "config.json"
        configuration = json.loads(file.read_bytes())
        file.write_text(json.dumps(configuration | {"sourcify": {"sources": {"Other": source}}}))


@pytest.fixture(scope="module")
def chain() -> Iterator[DemoChain]:
    with demo_chain() as found:
        yield found


@pytest.fixture(scope="module")
def site(chain: DemoChain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The demo network's site, built for the address at which it is served and for the node of this test."""
    folder = tmp_path_factory.mktemp("otterscan")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    content = shutil.copytree(CHECKOUT / "content", folder / "content")
    settings = yaml.safe_load((content / "site.yaml").read_text(encoding="utf-8"))
    settings["page"]["url"] = f"http://127.0.0.1:{port}"
    settings["chains"][0]["rpc"] = [chain.rpc]
    (content / "site.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    entry = {"name": "Plinth", "chainId": int(CHAIN), "faucets": [], "nativeCurrency": COIN}
    (content / "apis/chains").mkdir(parents=True)
    (content / f"apis/chains/eip155-{CHAIN}.json").write_text(json.dumps(entry))
    built = build(content, folder / "build", BUILT_AT)
    command = [sys.executable, "-m", "statuary", "serve", str(built), "--port", str(port)]
    with served(command, r"http://127\.0\.0\.1:(\d+)", PYTHONUNBUFFERED="1"):
        yield settings["page"]["url"], built


@pytest.fixture
def explorer(chain: DemoChain, site: tuple[str, Path], tmp_path: Path) -> Explorer:
    url, built = site
    folder = shutil.copytree(installed_page("otterscan"), tmp_path / "otterscan")
    shutil.copyfile(built / "otterscan/files/config.json", folder / "config.json")
    return Explorer(folder, url, chain)


def lines_of(source: str) -> list[str]:
    """Return the lines of a source of the demo network that are not empty."""
    text = (PLAN.parent / source).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_otterscan_shows_verified_sources(explorer):
    addresses = explorer.chain.addresses
    explorer.shows(
        Visit(
            f"address/{addresses['Faucet']}/contract",
            ["Match:\nFull", "0.5.17+commit.d19bba13", *lines_of("contracts/faucet/Faucet.sol")],
        ),
        Visit(
            f"address/{addresses['RevenueSplitter']}/contract",
            ["Match:\nPartial", *lines_of("contracts/treasury/RevenueSplitter.sol")],
        ),
        Visit(
            f"address/{addresses['Staking']}/contract",
            [
                "Optimizer Enabled:\nYes with 200 runs",
                "error MoreThanStaked(uint256 asked, uint256 staked)",
                *lines_of("contracts/staking/Staking.sol"),
            ],
        ),
    )


@pytest.mark.parametrize(
    ("folder", "form"),
    [("/otterscan", "RepositoryV1"), ("/otterscan", "RepositoryV2"), ("", "SourcifyAPIV2")],
)
def test_otterscan_reads_every_backend_format(folder, form, explorer):
    explorer.configure({"url": explorer.site + folder, "backendFormat": form})
    address = explorer.chain.addresses["Bridge"]
    explorer.shows(
        Visit(f"address/{address}/contract", ["Match:\nFull", *lines_of("contracts/bridge/Bridge.sol")])
    )


def test_otterscan_decodes_calls_by_contract_abi(explorer):
    served = explorer.chain.calls["Faucet.serve"]["hash"]
    artist = "0x76d0B6927620314A0555aCa2d762458a8643779a"
    explorer.shows(
        Visit(
            f"tx/{served}",
            ["serve\n\nValue:\n0 PLT", "serve(address visitor)", "visitor (0)", artist],
            "Decoded",
        ),
        Visit(
            f"tx/{served}/logs",
            ["Served(address indexed visitor, uint256 value)", "visitor (0)", artist, "500000000000000000"],
        ),
    )


def test_otterscan_decodes_proxy_calls_by_signature(explorer):
    """A proxy's own ABI has neither the function nor the event of its implementation."""
    accession = explorer.chain.calls["CatalogueProxy.accession"]["hash"]
    explorer.shows(
        Visit(f"tx/{accession}", ["accession(", "Plinth study IV"], "Decoded"),
        Visit(
            f"tx/{accession}/logs",
            ["Accessioned(uint256 indexed number", "work.artist (0)\nstring\nA. Lithos", "Plinth study IV"],
        ),
    )


def test_otterscan_decodes_vyper_calls_by_signature(explorer):
    """Its records have no metadata, which is all that Otterscan reads of a contract."""
    report = explorer.chain.calls["PriceFeed.report"]["hash"]
    address = explorer.chain.addresses["PriceFeed"]
    explorer.shows(
        Visit(f"tx/{report}", ["report(uint256", "41310000"], "Decoded"),
        Visit(f"tx/{report}/logs", ["Reported(", "41310000"]),
        Visit(f"address/{address}/contract", ["estimate of the ABI from its bytecode"]),
    )
