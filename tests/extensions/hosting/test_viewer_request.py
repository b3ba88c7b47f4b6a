"""CloudFront's function, run by Deno: which object a path means."""

import json

import pytest

from statuary.contracts.api.proof_rules import EXPLORER_ERROR
from statuary.extensions.hosting.hosts import HostOptions, make_s3_files
from support.edge_runtimes import run_deno

pytestmark = pytest.mark.slow

EIP_55 = "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
CAPITALS = "0x" + EIP_55[2:].upper()

OBJECTS = {
    f"/v2/contract/1/{EIP_55}": f"/v2/contract/1/{EIP_55}",
    f"/v2/contract/1/{EIP_55.lower()}": f"/v2/contract/1/{EIP_55.lower()}",
    f"/v2/contract/1/{CAPITALS}": f"/v2/contract/1/{EIP_55.lower()}",
    f"/V2/Contract/1/{EIP_55}/": f"/v2/contract/1/{EIP_55}",
    f"/server/v2/contract/all-chains/{EIP_55}": f"/v2/contract/all-chains/{EIP_55}",
    f"/v2/contract/ALL-chains/{EIP_55}": f"/v2/contract/all-chains/{EIP_55}",
    "/server/chains": "/chains",
    "/v2/contracts/10/": "/v2/contracts/10",
    "/": "/index.html",
    "/contracts/1/": "/contracts/1/index.html",
    "/api/v2/summary.json": "/api/v2/summary.json",
    "/v2/contract/1/0x12": "/v2/contract/1/0x12",
    "/chainsaw": "/chainsaw",
}


def test_request_paths_map_to_s3_objects(tmp_path):
    files = {file.path: file.text for file in make_s3_files(HostOptions())}
    script = tmp_path / "function.js"
    requested = f"{json.dumps(list(OBJECTS))}.map((uri) => handler({{ request: {{ uri }} }}).uri)"
    script.write_text(f"{files['cloudfront/viewer-request.js']}\nconsole.log(JSON.stringify({requested}));\n")
    assert dict(zip(OBJECTS, run_deno(script, ""), strict=True)) == OBJECTS
    assert len(files["cloudfront/viewer-request.js"]) < 10_000


def test_explorer_api_call_is_json_error(tmp_path):
    files = {file.path: file.text for file in make_s3_files(HostOptions())}
    script = tmp_path / "function.js"
    requests = [{"uri": "/api", "querystring": query} for query in ({"module": {"value": "contract"}}, {})]
    script.write_text(
        f"{files['cloudfront/viewer-request.js']}\n"
        f"console.log(JSON.stringify({json.dumps(requests)}.map((request) => handler({{ request }}))));\n"
    )
    error, page = run_deno(script, "")
    assert (error["statusCode"], json.loads(error["body"])) == (404, EXPLORER_ERROR)
    assert page["uri"] == "/api"
