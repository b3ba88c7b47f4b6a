"""Sites whose records and proofs have the checksummed address alone answer as those with a name in lower case too."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from statuary.contracts.paths import CONTRACT_PATH, plain_path
from statuary.publish.listing import lower_case_address
from statuary.site.settings import HostingSettings, PathLayout
from support.edge_runtimes import Served, serve_project_with_cloudflare, serve_project_with_netlify
from support.host_servers import (
    caddy_and_deno,
    nginx_and_deno,
    serve_folder_with_deno,
    serve_snapshot,
    serve_with_statuary,
)
from support.packed_sites import built_files
from support.same_answers import Request, asked, assert_same, requests_of
from support.sites import CHAIN, address_of, site_of_many

pytestmark = pytest.mark.slow

ON = frozenset({"apis"})
UNKNOWN = 99
REQUESTS = [each for number in (1, 17, UNKNOWN) for each in requests_of(number)]


class Sites(NamedTuple):
    """A project whose records have both names, one whose records have one; how the second is laid out."""

    both: Path
    one: Path
    settings: HostingSettings


def made(root: Path, layout: PathLayout) -> Sites:
    for name, has_both in (("both", True), ("one", False)):
        content = site_of_many(root / name, 20)
        with (content / "site.yaml").open("a") as file:
            hosting = f"{{layout: {layout}, lower_case_names: {str(has_both).lower()}, files: [cloudflare]}}"
            file.write(f"apis: [etherscan, blockscout]\nhosting: {hosting}\n")
        built_files(content, root / name / "build")
    settings = HostingSettings(layout=layout, lower_case_names=False)
    return Sites(root / "both", root / "one", settings)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    return made(tmp_path_factory.mktemp("plain"), PathLayout.PLAIN)


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    return made(tmp_path_factory.mktemp("sharded"), PathLayout.SHARDED)


def names_of_contracts(project: Path) -> Iterator[str]:
    """Yield the names of all records, proofs and entries over all chains, in the plain layout."""
    build = project / "build"
    for file in build.rglob("*"):
        path = plain_path(file.relative_to(build).as_posix())
        if file.is_file() and CONTRACT_PATH.fullmatch(path):
            yield path


@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_checksum_only_site_omits_lowercase_files(layout: str, request: pytest.FixtureRequest) -> None:
    sites: Sites = request.getfixturevalue(layout)
    both, one = map(set, map(names_of_contracts, (sites.both, sites.one)))
    assert len(one) == 3 * 20
    assert both == one | {lower_case_address(path) for path in one}


Serve = Callable[[Path], AbstractContextManager[Served]]


def compare(serve: Serve, sites: Sites, requests: list[Request] = REQUESTS, *, tags: bool = False) -> None:
    """Make sure that both sites answer the same."""
    with serve(sites.both) as server:
        expected = asked(server, requests, tags=tags)
    with serve(sites.one) as server:
        assert_same(expected, asked(server, requests, tags=tags))


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_deno_serves_lowercase_address_without_file(layout: str, request: pytest.FixtureRequest) -> None:
    sites: Sites = request.getfixturevalue(layout)
    compare(partial(serve_folder_with_deno, settings=sites.settings), sites, tags=True)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_cloudflare_serves_lowercase_address_without_file(
    layout: str, request: pytest.FixtureRequest
) -> None:
    sites: Sites = request.getfixturevalue(layout)
    compare(partial(serve_project_with_cloudflare, settings=sites.settings, on=ON), sites)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_netlify_serves_lowercase_address_without_file(layout: str, request: pytest.FixtureRequest) -> None:
    """Each request starts a new worker there, so that a few are asked."""
    sites: Sites = request.getfixturevalue(layout)
    address, record = address_of(17).lower(), f"/v2/contract/{CHAIN}"
    requests = [
        ("GET", f"{record}/{address}?fields=abi,compilation.compiler"),
        ("HEAD", f"{record}/{address_of(17)}"),
        ("GET", f"/v2/contract/all-chains/{address}"),
        ("GET", f"/proof/{CHAIN}/{address}.json"),
        ("HEAD", f"/proof/{CHAIN}/{address_of(17)}.json"),
        ("GET", f"{record}/{address_of(UNKNOWN).lower()}"),
        ("GET", f"/proof/{CHAIN}/{address_of(UNKNOWN).lower()}.json"),
    ]
    compare(partial(serve_project_with_netlify, settings=sites.settings, on=ON), sites, requests)


SERVERS: Mapping[str, Serve] = {
    "statuary": serve_with_statuary,
    "snapshot": serve_snapshot,
    "nginx": nginx_and_deno,
    "caddy": caddy_and_deno,
}


@pytest.mark.slow
@pytest.mark.parametrize("server", SERVERS)
def test_web_servers_serve_lowercase_addresses(server: str, plain: Sites) -> None:
    compare(SERVERS[server], plain)


def test_serve_command_reads_sharded_layout(sharded: Sites) -> None:
    compare(serve_with_statuary, sharded)
