"""Every published path of a site with everything on is a file of every host."""

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

from statuary.status.api.epoch_index import read_epoch_index
from support.edge_runtimes import serve_project_with_cloudflare
from support.host_servers import (
    build_project,
    serve_folder_with_deno,
    serve_with_caddy,
    serve_with_nginx,
    serve_with_statuary,
)
from support.packed_sites import require_zstd
from support.whole_site import ADDITIONS, SETTINGS

pytestmark = pytest.mark.slow

SERVERS = {
    "statuary serve": serve_with_statuary,
    "Deno": serve_folder_with_deno,
    "Workers": serve_project_with_cloudflare,
    "nginx": serve_with_nginx,
    "Caddy": serve_with_caddy,
}
FOR_HOSTS = ("_headers", "_redirects", "_routes.json", ".nojekyll", ".assetsignore")
"""Files that hosts read and do not serve."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_zstd()
    return build_project(tmp_path_factory.mktemp("project"), SETTINGS, ADDITIONS)


def published(project: Path) -> Iterator[tuple[str, str]]:
    """Yield each path as a reader asks for it, with that of its file."""
    site = project / "build"
    for file in sorted(file for file in site.rglob("*") if file.is_file()):
        path = file.relative_to(site).as_posix()
        if not path.startswith(".statuary/") and path not in FOR_HOSTS:
            target = path.removesuffix("index.html") if file.name == "index.html" else path
            yield f"/{quote(target)}", path


def get(connection: HTTPConnection, target: str) -> tuple[int, bytes]:
    """Ask for a target, and where a host redirects it: Workers serve `a.html` as `a`."""
    connection.request("GET", target, headers={"Accept-Encoding": "identity"})
    response = connection.getresponse()
    body = response.read()
    moved = response.getheader("Location") if response.status in (307, 308) else None
    return get(connection, moved) if moved else (response.status, body)


@pytest.mark.parametrize("name", SERVERS)
def test_web_server_serves_every_published_path(name, project):
    of_status = read_epoch_index(project / "build").documents  # follow the clock where the edge serves them
    wrong, count = {}, 0
    with (
        SERVERS[name](project) as server,
        closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection,
    ):
        for target, path in published(project):
            status, body = get(connection, target)
            count += 1
            if status != 200 or (path not in of_status and body != (project / "build" / path).read_bytes()):
                wrong[target] = (status, body[:80])
    assert (wrong, count > 500) == ({}, True)
