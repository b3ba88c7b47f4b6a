"""The OpenAPI document: valid, true of a build, and held by schemathesis against `statuary serve`."""

import json
import re
import subprocess
from itertools import cycle
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from statuary.contracts.model.field_names import DOTTED, SELECTABLE
from statuary.contracts.urls import CONTRACT_PAGE
from statuary.site.url_table import all_urls
from support.edge_runtimes import HOSTS_INSTALL
from support.host_servers import build_project, project_for, serve_with_statuary
from support.openapi_schemas import OPERATIONS, SCHEMAS, generated_schemas
from support.random_runs import IS_LARGE
from support.real_records import real_records
from support.requirements import HOSTS, absent

UNTESTED = "positive_data_acceptance,unsupported_method"
"""Checks that the API breaks on purpose, as the real server does: `fields` and `omit` exclude each other and a wrong
checksum is refused, which no schema can say; methods that it does not know are answered with 404."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory)


@pytest.fixture(scope="module")
def description(project: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((project / "build" / "openapi.json").read_bytes())
    return value


def schema(description: dict[str, Any], name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}", "components": description["components"]}


def test_shipped_json_schemas_match_types():
    """`python tests/support/openapi_schemas.py` writes them again."""
    assert SCHEMAS.read_text(encoding="utf-8") == generated_schemas()


@pytest.mark.slow
def test_openapi_document_is_valid(description):
    OpenAPIV31SpecValidator(description).validate()


def test_operations_cover_every_api_url():
    """Pages, their assets and what serves hosts are no part of it, nor documents of later instants."""
    described = {operation.url.name for operation in OPERATIONS}
    left_out = {url.name for url in all_urls() if url.name not in described}
    assert len(described) == len(OPERATIONS)
    assert CONTRACT_PAGE.name in left_out
    apis = {
        url.name
        for url in all_urls()
        if url.pattern.startswith(("api/v2/", "v2/", "chains", "incidents/{incident_id}.json"))
    }
    of_extensions = {"instatus-components", "etherscan-list"}  # which are listed where their key is
    assert left_out & apis == {"uptime-schema", "epoch-document", "epoch-patch"} | of_extensions


def _values(schema: dict[str, Any]) -> str:
    pattern = schema.get("pattern", "[^/]+").removeprefix("^").removesuffix("$")
    words = schema.get("enum", [pattern])
    return f"(?:{'|'.join(words)})"


def shape_of(path: str, parameters: list[dict[str, Any]]) -> re.Pattern[str]:
    """Return the expression of the files of a path with parameters."""
    kinds = {one["name"]: one["schema"] for one in parameters}
    parts = re.split(r"\{(\w+)\}", path.lstrip("/"))
    spelled = (
        _values(kinds[part]) if odd else re.escape(part)
        for part, odd in zip(parts, cycle((False, True)), strict=False)
    )
    return re.compile("".join(spelled))


@pytest.mark.slow
def test_built_documents_match_declared_schema(description, project):
    """Those without parameters, and each that a path with parameters fits."""
    site = project / "build"
    judged = set()
    for path, item in description["paths"].items():
        content = item["get"]["responses"]["200"]["content"]
        if "application/json" not in content:
            continue
        shape = shape_of(path, item["get"].get("parameters", []))
        fitting = [file for file in site.rglob("*") if shape.fullmatch(file.relative_to(site).as_posix())]
        for file in [file for file in fitting if file.is_file()][:4]:
            wanted = content["application/json"]["schema"] | {"components": description["components"]}
            jsonschema.validate(json.loads(file.read_bytes()), wanted, jsonschema.Draft202012Validator)
            judged.add(path)
    assert len(judged) >= 20


@pytest.mark.slow
def test_real_records_match_declared_schema(description):
    validator = jsonschema.Draft202012Validator(schema(description, "Record"))
    bodies = [record for _, record in real_records()]
    assert len(bodies) > 50
    for record in bodies:
        validator.validate(record)


def test_openapi_patterns_accept_only_valid_fields(description):
    parameters = description["paths"]["/v2/contract/{chainId}/{address}"]["get"]["parameters"]
    patterns = {
        one["name"]: re.compile(one["schema"]["pattern"]) for one in parameters if one["in"] == "query"
    }
    for name in (*SELECTABLE, *DOTTED):
        assert patterns["fields"].fullmatch(f"abi,{name}")
        assert patterns["omit"].fullmatch(name)
    assert patterns["fields"].fullmatch("all")
    for text in ("", "all,abi", "abi,", "match", "abi.name", "Abi", " abi"):
        assert not patterns["fields"].fullmatch(text), text
    assert not patterns["omit"].fullmatch("all")


@pytest.mark.slow
def test_disabled_documents_are_missing_from_openapi(tmp_path):
    project = build_project(tmp_path, "\nstatus: {archives: false, uptime: false}\n")
    paths = json.loads((project / "build" / "openapi.json").read_bytes())["paths"]
    assert "/api/v2/uptime.json" not in paths
    assert "/api/v2/history.json" not in paths
    assert "/api/v2/summary.json" in paths


def with_real_names(description: dict[str, Any], site: Path) -> dict[str, Any]:
    """Return the document with names that the site knows among those that its parameters may take."""
    listed = json.loads((site / "v2/contracts/748463").read_bytes())["results"]
    names = {
        "address": [entry["address"] for entry in listed],
        "incident_id": [file.stem for file in (site / "incidents").glob("*.json")],
        "component_id": [folder.name for folder in (site / "components").iterdir()],
        "month": ["2026-11"],
        "page": ["oldest"],
    }
    for item in description["paths"].values():
        for one in item["get"].get("parameters", []):
            if one["name"] in names:
                one["schema"] = {"anyOf": [{"enum": names[one["name"]]}, one["schema"]]}
    return description


@pytest.mark.slow
def test_schemathesis_reports_only_listed_openapi_differences(description, project, tmp_path):
    """It asks with what the document allows and with what it does not; all of it in a large run."""
    program = HOSTS / "schemathesis" / "bin" / "st"
    if not program.is_file():
        absent("schemathesis", HOSTS_INSTALL)
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(with_real_names(description, project / "build")))
    much = ("--phases", "examples,coverage,fuzzing", "--max-examples", "60")
    little = ("--phases", "fuzzing", "--max-examples", "4")
    with serve_with_statuary(project) as server:
        command = [
            str(program),
            "run",
            str(document),
            "--url",
            f"http://127.0.0.1:{server.port}",
            "--seed",
            "7",
            "--no-color",
            "--warnings",
            "off",
            # these answer 500 or 200 to what is invalid, as the measured services do
            "--exclude-path-regex",
            "^/(signature-database/v1/(lookup|search)|v2/api)$",
            "--checks",
            "all",
            "--exclude-checks",
            UNTESTED,
            "--generation-database",
            ":memory:",
            *(much if IS_LARGE else little),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout or "passed" in done.stdout
