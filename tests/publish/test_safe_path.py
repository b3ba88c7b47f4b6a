"""Paths that every file system can hold: Windows reserves names, and has less room than others."""

import re

import pytest

from statuary.base.files import LONGEST_PATH, PublishingError, require_safe_path
from statuary.base.primitives import ADDRESS_DIGITS, CHAIN_ID_DIGITS
from statuary.base.reserved_names import is_reserved_name
from statuary.contracts.paths import sharded_path
from statuary.publish.folder.site_folder import PLAIN_NAME
from statuary.site.pages_and_theme import MAX_PAGE_PATH
from statuary.site.settings import CompressedFormat
from statuary.site.url_table import all_urls, match_url
from statuary.site.urls import OWN_PAGE, PATTERN_PARTS, url_regex
from statuary.source.source_model import MAX_ID_LENGTH
from statuary.status.urls import EPOCH_DOCUMENT, EPOCH_PATCH

LONGEST = {
    "chain_id": "9" * CHAIN_ID_DIGITS,
    "address": "0x" + "a" * ADDRESS_DIGITS,
    "incident_id": "i" * MAX_ID_LENGTH,
    "component_id": "c" * MAX_ID_LENGTH,
    "update_id": "u" * MAX_ID_LENGTH,
    "metric_id": "m" * MAX_ID_LENGTH,
    "period": "month",
    "page": "9" * 10,
    "shard": "s" * 20,
    "action": "getcontractcreation",
    "kind": "selector",
    "month": "9999-12",
    "quarter": "9999-q4",
    "epoch": "99991231T235959999Z",
    "name": "n" * 100,
    "digest": "f" * 64,
    "selector": "f" * 8,
    "topic": "f" * 64,
    "code_hash": "0x" + "f" * 64,
    "before": "0x" + "f" * 40,
    "after": "0x" + "f" * 40,
    "length": "99999999",
    "folder": "f" * 100,
    "path": "tile/entries/x999/x999/x999/999.p/255",
}
"""The longest value of each parameter of a URL."""

PATHS = {
    url.name: url.path(**LONGEST) for url in all_urls() if url not in (EPOCH_DOCUMENT, EPOCH_PATCH, OWN_PAGE)
}
PATHS[OWN_PAGE.name] = OWN_PAGE.path(path="/".join(["p" * 44] * 4))
LATER = [
    url.path(**LONGEST)
    for url in all_urls()
    if url.changes_with_time and url not in (EPOCH_DOCUMENT, EPOCH_PATCH)
]
for epoch in (EPOCH_DOCUMENT, EPOCH_PATCH):
    PATHS[epoch.name] = max((epoch.path(epoch=LONGEST["epoch"], path=path) for path in LATER), key=len)


@pytest.mark.parametrize("name", PATHS)
def test_longest_url_paths_are_safe(name):
    path = PATHS[name]
    for stored in (path, sharded_path(path), *(f"{path}.{form}" for form in CompressedFormat)):
        assert require_safe_path(stored) == stored


@pytest.mark.parametrize("url", all_urls(), ids=[url.name for url in all_urls()])
def test_longest_path_matches_its_url_pattern(url):
    path = url.path(**LONGEST)
    assert match_url(path) == (url, re.fullmatch(url_regex(url), path).groupdict())


def test_longest_markdown_page_path_is_safe():
    assert len(PATHS[OWN_PAGE.name].removeprefix("pages/").removesuffix(".html")) <= MAX_PAGE_PATH
    assert len(OWN_PAGE.path(path="p" * MAX_PAGE_PATH)) + len(".zst") <= LONGEST_PATH
    with pytest.raises(PublishingError, match="Windows allows at most"):
        require_safe_path("/".join(["p" * 66] * 3) + "p")


@pytest.mark.parametrize("url", all_urls(), ids=[url.name for url in all_urls()])
def test_url_patterns_avoid_reserved_windows_names(url):
    literals = [text for _, text in PATTERN_PARTS.findall(url.pattern) if text]
    assert [name for text in literals for name in text.split("/") if name and is_reserved_name(name)] == []


@pytest.mark.parametrize("device", ["con", "PRN", "aux.md", "nul.tar.gz", "Com9", "lpt0.json", "conin$"])
def test_windows_device_names_are_reserved(device):
    assert is_reserved_name(device)
    assert not PLAIN_NAME.fullmatch(device)
    for name in (f"{device[:3]}x{device[3:]}", f"x{device}", f"-{device}"):
        assert not is_reserved_name(name)
