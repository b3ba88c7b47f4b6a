"""One server of each kind for all tests of a worker; moto is in tests/conftest.py."""

from collections.abc import Iterator

import pytest

from support.object_stores import Server, azurite, rclone
from support.requirements import require_module


@pytest.fixture(scope="session", autouse=True)
def obstore() -> None:
    require_module("obstore", install='pip install "statuary[s3]"')


@pytest.fixture(scope="session")
def azurite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with azurite(tmp_path_factory.mktemp("azurite")) as server:
        yield server


@pytest.fixture(scope="session")
def rclone_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with rclone(tmp_path_factory.mktemp("rclone")) as server:
        yield server


@pytest.fixture(params=["moto", "azurite"])
def server(request: pytest.FixtureRequest) -> Server:
    """Both kinds of store that keep conditions."""
    return request.getfixturevalue(f"{request.param}_server")
