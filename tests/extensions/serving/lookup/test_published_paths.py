"""Every published file is served: the look-up claims only paths that it answers itself."""

import pytest

from statuary.contracts.urls import LOOKUP_URLS
from statuary.extensions.serving.lookup import Resource, find_route
from statuary.site.url_table import all_urls
from statuary.site.urls import PATTERN_PARTS

EXAMPLES = {
    "chain_id": "1",
    "address": "0x" + "a" * 40,
    "page": "1",
    "path": "a.json",
    "epoch": "20261101T000000000Z",
}


def example_path(url):
    names = {name: EXAMPLES.get(name, "a") for name, _ in PATTERN_PARTS.findall(url.pattern) if name}
    return url.path(**names)


FILES = [url for url in all_urls() if url not in LOOKUP_URLS and url.name != "etherscan-list"]
"""The rows of files; explorers' requests for their list of chains are answered before the look-up."""


@pytest.mark.parametrize("url", FILES, ids=lambda url: url.name)
def test_lookup_ignores_path_of_published_file(url):
    assert find_route(f"/{example_path(url)}") is None


@pytest.mark.parametrize("path", ["/v2", "/v2/", "/v2/verify", "/v2/verify/1/0xaa", "/server/v2/contract"])
def test_unknown_lookup_path_gets_api_error(path):
    route = find_route(path)
    assert route is not None
    assert route.resource is Resource.NONE
