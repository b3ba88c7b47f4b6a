"""hardhat-verify asks whether a contract is verified before it sends one: of Sourcify's API and of an explorer's."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from clients.installed import installed
from clients.loopback import plain_folder
from support.host_servers import project_for, serve_with_caddy, serve_with_nginx, serve_with_statuary

pytestmark = pytest.mark.slow

CHAIN, ABSENT = 748463, "0x" + "12" * 20

Serve = Callable[[Path], AbstractContextManager[str]]


@contextmanager
def plain_files(project: Path) -> Iterator[str]:
    """A host that sends `errors/404.json` with each 404, as CloudFront does with our settings."""
    missing = (project / "build/errors/404.json").read_bytes()
    with plain_folder(project / "build", missing) as url:
        yield url


def on(serve: Callable[..., AbstractContextManager]) -> Serve:
    @contextmanager
    def served(project: Path) -> Iterator[str]:
        with serve(project) as server:
            yield f"http://127.0.0.1:{server.port}"

    return served


HOSTS: dict[str, Serve] = {
    "statuary serve": on(serve_with_statuary),
    "nginx": on(serve_with_nginx),
    "Caddy": on(serve_with_caddy),
    "plain files": plain_files,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory)


@pytest.mark.parametrize(
    ("host", "explorer"),
    [*((host, False) for host in HOSTS), *((host, True) for host in HOSTS if host != "plain files")],
)
def test_hardhat_verify_recognizes_verified_contracts(host, explorer, project, tmp_path):
    client = installed("hardhat-verify")
    [listed, *_] = json.loads((project / f"build/v2/contracts/{CHAIN}").read_bytes())["results"]
    with HOSTS[host](project) as url:
        request = {
            "url": url,
            "chain": CHAIN,
            "addresses": [listed["address"], ABSENT],
            "explorer": explorer,
        }
        assert client.ask(request, tmp_path) == [True, False]


def test_hardhat_verify_rejects_incomplete_404_response(project, tmp_path):
    """A page, or fewer members, as the 404 of a host that knows nothing of the site, is an error to it."""
    client = installed("hardhat-verify")
    with plain_folder(project / "build", b'{"match":null,"creationMatch":null,"runtimeMatch":null}') as url:
        request = {"url": url, "chain": CHAIN, "addresses": [ABSENT], "explorer": False}
        with pytest.raises(AssertionError, match="failed"):
            client.ask(request, tmp_path)
