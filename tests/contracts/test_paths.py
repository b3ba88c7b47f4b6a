"""Paths of contracts in the sharded layout, and what hides them."""

import re

import pytest

from statuary.contracts.paths import apply_host_layout, sharded_document, sharded_path
from statuary.extensions.hosting.documents import make_shard_rewrites, render_redirects_file
from statuary.extensions.hosting.hosts import HostOptions, make_edge_module_files
from statuary.site.document import Document
from statuary.site.settings import CompressedFormat, HostingSettings, PathLayout
from support.edge_runtimes import EDGE, run_deno

EIP_55 = "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
LOWER = EIP_55.lower()

PLACES = {
    f"v2/contract/1/{LOWER}": f"_shards/contract/1/d8/{LOWER}",
    f"v2/contract/1/{EIP_55}": f"_shards/contract/1/d8/{EIP_55}",
    f"v2/contract/all-chains/{LOWER}": f"_shards/contract/all-chains/d8/{LOWER}",
    f"proof/1/{EIP_55}.json": f"_shards/proof/1/d8/{EIP_55}.json",
    "v2/contracts/1": "v2/contracts/1",
    "v2/contract/1/0x12": "v2/contract/1/0x12",
    "proof/schema.json": "proof/schema.json",
    "api/v2/summary.json": "api/v2/summary.json",
    f"contracts/1/{LOWER}.html": f"contracts/1/{LOWER}.html",
}


@pytest.mark.parametrize(("path", "place"), PLACES.items())
def test_sharded_path_uses_first_two_digits(path, place):
    assert sharded_path(path) == place


def test_address_spellings_share_folder():
    document = Document(path=f"v2/contract/1/{EIP_55}", aliases=(f"v2/contract/1/{LOWER}",), body=b"{}")
    placed = sharded_document(document)
    assert {placed.path.rpartition("/")[0], placed.aliases[0].rpartition("/")[0]} == {"_shards/contract/1/d8"}


def test_lower_case_names_can_be_disabled():
    record = Document(path=f"v2/contract/1/{EIP_55}", aliases=(f"v2/contract/1/{LOWER}",), body=b"[]" * 2000)
    lists = Document(path="contracts/1/page", aliases=("contracts/1/PAGE",), body=b"")
    hosting = HostingSettings(lower_case_names=False, precompressed=(CompressedFormat.GZIP,))
    assert [
        (document.path, document.aliases) for document in apply_host_layout([record, lists], hosting)
    ] == [
        (record.path, ()),
        (f"{record.path}.gz", ()),
        (lists.path, lists.aliases),
    ]


@pytest.mark.parametrize("path", [path for path, place in PLACES.items() if path != place])
def test_netlify_rule_maps_path_to_shard(path):
    """The first rule that fits wins; `:chain` is one name, `*` the rest, `:splat` what the star stood for."""
    for requested, held in make_shard_rewrites():
        found = re.fullmatch(
            re.escape(requested).replace(":chain", "([^/]+)").replace(r"\*", "(.*)"), f"/{path}"
        )
        if found:
            assert held.replace(":chain", found[1]).replace(":splat", found[2]) == f"/{PLACES[path]}"
            return
    pytest.fail(f"no rule fits /{path}")


def test_rewrites_are_in_redirects_file():
    lines = render_redirects_file(HostingSettings(layout=PathLayout.SHARDED)).splitlines()
    assert "/v2/contract/:chain/0xaB* /_shards/contract/:chain/ab/0xaB:splat 200" in lines
    assert len(lines) == 4 + 2 * 22 * 22 + 1


def test_edge_module_deploys_with_site_layout():
    plain, other = (
        {
            file.path: file.text
            for file in make_edge_module_files(HostOptions(settings=HostingSettings(layout=layout)))
        }
        for layout in PathLayout
    )
    assert plain[".edge/modules/layout.js"] != other[".edge/modules/layout.js"]
    assert "SHARDED = true;" in other[".edge/modules/layout.js"]
    assert {path for path in plain if plain[path] != other[path]} == {".edge/modules/layout.js"}
    assert plain[".edge/modules/layout.js"] == (EDGE / "layout.js").read_text(encoding="utf-8")


@pytest.mark.slow
def test_edge_module_computes_stored_paths(tmp_path):
    requested = [*PLACES]
    script = tmp_path / "places.js"
    script.write_text(
        f'import {{ storedPath }} from "{EDGE.as_uri()}/stored-path.js";\n'
        f"console.log(JSON.stringify({requested}.map((path) => storedPath(path, true))));\n"
    )
    assert run_deno(script, "") == [PLACES[path] for path in requested]
